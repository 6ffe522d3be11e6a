// Search: a line for the query, and the files that match. In one space, or in all that the person sees.

import type { SearchResult } from "../../search/schema.ts";
import type { Desk } from "../desk.ts";
import type { Input } from "../keys.ts";
import type { Line, Size } from "../line.ts";
import type { Hint, Page, Stage } from "../page.ts";
import { TablePage } from "../table-page.ts";
import { documentPage } from "./document.ts";

const RESULTS_PER_SPACE_MAX = 50;
const SPACES_SEARCHED_MAX = 20;
const QUERY_CHARACTERS_MAX = 200;
/** The line of the query and an empty one. */
const HEAD_ROWS = 2;

interface Row extends SearchResult {
  readonly space: string;
}

export class SearchPage implements Page {
  readonly title = "Search";
  readonly #results: TablePage<Row>;
  #query = "";
  /** What the results belong to. */
  #asked = "";
  #isTyping = true;
  #note: string | undefined;

  constructor(desk: Desk) {
    this.#results = new TablePage<Row>({
      title: "Results",
      columns: [
        { title: "FILE", width: 30, of: ({ space, path }) => `${space}/${path}`, keepsEnd: true },
        { title: "LINE", width: 6, of: ({ lines }) => String(lines[0]?.line ?? "—") },
        { title: "TEXT", of: ({ lines }) => lines[0]?.text.trim() ?? "" },
      ],
      rows: () => this.#search(desk),
      text: ({ space, path, lines }) => `${space}/${path} ${lines[0]?.text ?? ""}`,
      empty: "no file matches",
      note: () => this.#note,
      open: ({ space, path }, stage) => stage.open(documentPage(desk, space, path)),
    });
  }

  get isTyping(): boolean {
    return this.#isTyping || this.#results.isTyping;
  }

  get hints(): readonly Hint[] {
    if (this.#isTyping)
      return [
        { key: "Enter", does: "search" },
        { key: "Esc", does: "leave the field" },
      ];
    return [{ key: "s", does: "new search" }, ...this.#results.hints];
  }

  async load(): Promise<void> {
    if (this.#asked !== "") await this.#results.load();
  }

  draw(size: Size): readonly Line[] {
    const query: Line = [
      { text: "Search: ", tone: "bold" },
      { text: `${this.#query}${this.#isTyping ? "_" : ""}` },
    ];
    const body =
      this.#asked === ""
        ? [[{ text: 'Words, "phrases" and prefixes (word*), all of which a file must contain.' }]]
        : this.#results.draw({ ...size, rows: size.rows - HEAD_ROWS });
    return [query, [], ...body];
  }

  press(input: Input, stage: Stage): boolean {
    if (this.#isTyping) return this.#type(input, stage);
    if (input.kind === "text" && input.text === "s" && !this.#results.isTyping) {
      this.#isTyping = true;
      return true;
    }
    const below = input.kind === "click" ? { ...input, row: input.row - HEAD_ROWS } : input;
    return this.#asked !== "" && this.#results.press(below, stage);
  }

  #type(input: Input, stage: Stage): boolean {
    if (input.kind === "text") this.#query = (this.#query + input.text).slice(0, QUERY_CHARACTERS_MAX);
    else if (input.kind !== "key") return false;
    else if (input.key === "backspace") this.#query = [...this.#query].slice(0, -1).join("");
    else if (input.key === "escape") this.#isTyping = false;
    else if (input.key === "enter") {
      this.#asked = this.#query.trim();
      this.#isTyping = this.#asked === "";
      stage.reload();
    } else return false;
    return true;
  }

  async #search(desk: Desk): Promise<Row[]> {
    const text = this.#asked;
    const spaces = await desk.spaces();
    const rows: Row[] = [];
    let isMore = spaces.length > SPACES_SEARCHED_MAX;
    for (const { name: space } of spaces.slice(0, SPACES_SEARCHED_MAX)) {
      const query = { text, limit: RESULTS_PER_SPACE_MAX, lines: 1 };
      const { results, more } = await desk.look(space, (door) => door.search(query));
      isMore ||= more;
      for (const one of results) rows.push({ ...one, space });
    }
    this.#note = isMore ? "there is more: narrow the search" : undefined;
    return rows;
  }
}
