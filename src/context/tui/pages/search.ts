// Search: a line for the query, and the files that match, in all spaces that the person sees.

import { AppError } from "../../../kit/error.ts";
import { visibleInLine } from "../../../kit/text/visible.ts";
import type { SearchResult } from "../../search/schema.ts";
import { askAllSpaces } from "../all-spaces.ts";
import type { Desk } from "../desk.ts";
import type { Input } from "../keys.ts";
import { cutStart, wrapped, type Line, type Size } from "../line.ts";
import type { Hint, Page, Stage } from "../page.ts";
import { TablePage } from "../table-page.ts";
import { documentPage } from "./document.ts";

const RESULTS_PER_SPACE_MAX = 50;
const QUERY_CHARACTERS_MAX = 200;
/** The line of the query and an empty one. */
const HEAD_ROWS = 2;
const LABEL = "Search: ";

interface Row extends SearchResult {
  readonly space: string;
}

export class SearchPage implements Page {
  readonly title = "Search";
  readonly #results: TablePage<Row>;
  #query = "";
  /** The query. */
  #asked = "";
  /** The query that the results belong to. */
  #answered = "";
  #isTyping = true;
  #note: string | undefined;
  /** Why this query has no answer. */
  #problem: string | undefined;

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
    return [{ key: "s", does: "new search" }, ...(this.#isAnswered ? this.#results.hints : [])];
  }

  get moves(): readonly Hint[] {
    return this.#isAnswered ? this.#results.moves : [];
  }

  get #isAnswered(): boolean {
    return this.#asked !== "" && this.#answered === this.#asked && this.#problem === undefined;
  }

  async load(): Promise<void> {
    const asked = this.#asked;
    if (asked === "") return;
    this.#problem = undefined;
    try {
      await this.#results.load();
    } catch (error) {
      // A query that is refused must leave the field usable.
      if (!(error instanceof AppError) || error.code === "unauthenticated") throw error;
      this.#problem = error.message;
    }
    this.#answered = asked;
  }

  draw(size: Size): readonly Line[] {
    const room = Math.max(1, size.columns - LABEL.length - 1);
    const query: Line = [
      { text: LABEL, tone: "bold" },
      { text: `${cutStart(this.#query, room)}${this.#isTyping ? "_" : ""}` },
    ];
    return [query, [], ...this.#body({ ...size, rows: size.rows - HEAD_ROWS })];
  }

  #body(size: Size): readonly Line[] {
    if (this.#asked === "")
      return [[{ text: 'Words, "phrases" and prefixes (word*), all of which a file must contain.' }]];
    if (this.#answered !== this.#asked) return [[{ text: "searching…", tone: "dim" }]];
    if (this.#problem === undefined) return this.#results.draw(size);
    const rows = wrapped(visibleInLine(this.#problem), size.columns);
    return rows.map((text): Line => [{ text, tone: "warning" }]);
  }

  press(input: Input, stage: Stage): boolean {
    if (this.#isTyping) return this.#type(input, stage);
    if (input.kind === "text" && input.text === "s" && !this.#results.isTyping) {
      this.#isTyping = true;
      return true;
    }
    const below = input.kind === "click" ? { ...input, row: input.row - HEAD_ROWS } : input;
    return this.#isAnswered && this.#results.press(below, stage);
  }

  #type(input: Input, stage: Stage): boolean {
    if (input.kind === "text" || input.kind === "paste")
      this.#query = (this.#query + input.text).slice(0, QUERY_CHARACTERS_MAX).toWellFormed();
    else if (input.kind !== "key") return false;
    else if (input.key === "backspace") this.#query = [...this.#query].slice(0, -1).join("");
    else if (input.key === "escape") this.#isTyping = false;
    else if (input.key === "enter") {
      this.#asked = this.#query.trim();
      this.#answered = "";
      this.#isTyping = this.#asked === "";
      stage.reload();
    } else return false;
    return true;
  }

  async #search(desk: Desk): Promise<Row[]> {
    const text = this.#asked;
    const query = { text, limit: RESULTS_PER_SPACE_MAX, lines: 1 };
    const isWanted = () => this.#asked === text;
    const { answers, note } = await askAllSpaces(desk, { done: "searched", isWanted }, (space) =>
      desk.look(space, (door) => door.search(query)),
    );
    const isMore = answers.some(({ answer }) => answer.more);
    this.#note = note ?? (isMore ? "there is more: narrow the search" : undefined);
    return answers.flatMap(({ space, answer }) => answer.results.map((one) => ({ ...one, space })));
  }
}
