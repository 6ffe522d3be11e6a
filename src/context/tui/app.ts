// The terminal UI: sections, the page on top of each, keys, and the frame around them. It knows pages and a desk, and nothing of where either the
// terminal or the data is.

import { systemClock, turnOfOthers } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { WhoAmI } from "../people/schema.ts";
import type { Attempt, Desk } from "./desk.ts";
import { frameOf, HEAD_ROWS, isLargeEnough, tabAt, type Frame } from "./frame.ts";
import { Help } from "./help.ts";
import { Keys, type Input } from "./keys.ts";
import type { Line } from "./line.ts";
import type { Page, Stage, Work } from "./page.ts";
import { Screen, type Terminal } from "./screen.ts";
import { sectionsOf, type Section } from "./sections.ts";
import { errorText } from "./words.ts";

/** A lone Escape is the key unless the rest of a sequence follows within this time. */
const ESCAPE_WAIT_MS = 50;
/** Input waits its turn after this long: on a server, others have the same thread. */
const INPUT_STRETCH_MS = 5;
const INPUTS_QUEUED_MAX = 2_000;
const PAGES_DEEP_MAX = 32;
/** Pages that are left while they load go on loading. */
const LOADS_MAX = 4;
const NO_KEYS: Pick<Page, "hints" | "moves"> = { hints: [], moves: [] };
const REFUSED_OVER_SSH =
  "nothing can be changed over SSH; use cairn tui --server, the console or the command line";

interface AppOptions {
  readonly desk: Desk;
  readonly terminal: Terminal;
  /** Called once: with an error, or because the person quit. */
  readonly onEnd: (error?: unknown) => void;
}

export class App implements Stage {
  readonly desk: Desk;
  readonly #screen: Screen;
  readonly #onEnd: (error?: unknown) => void;
  readonly #keys = new Keys();
  readonly #problems = new WeakMap<Page, string>();
  readonly #loading = new Set<Page>();
  #me: WhoAmI | undefined;
  #sections: readonly Section[] = [];
  #section = 0;
  #question: { readonly text: string; readonly yes: () => void } | undefined;
  #notice: string | undefined;
  #help: Help | undefined;
  #isChanging = false;
  #isSuspended = false;
  #isEnded = false;
  #queue: Input[] = [];
  #isWorking = false;
  #escape: Timer | undefined;
  /** To load once more, because something changed while they were loading. */
  readonly #again = new Set<Page>();
  /** Loaded under other rights, or before a change: not shown until they are loaded again. */
  readonly #stale = new WeakSet<Page>();

  constructor({ desk, terminal, onEnd }: AppOptions) {
    this.desk = desk;
    this.#screen = new Screen(terminal);
    this.#onEnd = onEnd;
  }

  /** Raises what the desk raises: nothing is drawn then. */
  async start(): Promise<void> {
    this.#me = await this.desk.server?.whoAmI();
    if (this.#isEnded) return;
    this.#sections = sectionsOf(this.desk, this.#me);
    this.#screen.enter();
    this.#load(this.#page);
  }

  /** Bytes of the terminal. */
  feed(chunk: Uint8Array): void {
    if (this.#isEnded || this.#isSuspended) return;
    clearTimeout(this.#escape);
    this.#take(this.#keys.read(chunk));
    if (this.#keys.isWaiting) this.#escape = setTimeout(() => this.#take(this.#keys.flush()), ESCAPE_WAIT_MS);
  }

  resized(): void {
    this.#screen.forget();
    this.redraw();
  }

  /** The rights of the person changed: sections come and go. */
  renew(): void {
    if (this.#isEnded || this.#sections.length === 0) return;
    this.#outdate();
    this.#question = undefined;
    this.#help = undefined;
    this.#renewed().catch((error: unknown) => this.end(error));
    this.redraw();
  }

  async #renewed(): Promise<void> {
    this.#me = await this.desk.server?.whoAmI();
    const open = this.#current.name;
    const before = this.#sections;
    this.#sections = sectionsOf(this.desk, this.#me).map(
      (made) => before.find(({ name }) => name === made.name) ?? made,
    );
    this.#section = Math.max(
      0,
      this.#sections.findIndex(({ name }) => name === open),
    );
    this.#notice = "your rights changed";
    this.#show();
    this.redraw();
  }

  /** Leaves the terminal as it was. */
  end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#escape);
    this.#screen.leave();
    this.#onEnd(error);
  }

  /** Lends the terminal to another program. */
  async suspend<T>(work: () => Promise<T>): Promise<T> {
    this.#isSuspended = true;
    this.#screen.leave();
    try {
      return await work();
    } finally {
      this.#isSuspended = false;
      if (!this.#isEnded) this.#screen.enter();
    }
  }

  open(page: Page): void {
    const { pages } = this.#current;
    if (pages.length >= PAGES_DEEP_MAX || this.#loading.size >= LOADS_MAX) {
      this.tell(pages.length >= PAGES_DEEP_MAX ? "too many open pages; press Esc" : "still loading");
      return;
    }
    pages.push(page);
    this.#load(page);
  }

  back(): void {
    const { pages } = this.#current;
    if (pages.length > 1) pages.pop();
    else this.#section = 0;
    this.#show();
  }

  reload(): void {
    this.#load(this.#page);
  }

  tell(sentence: string): void {
    this.#notice = sentence;
    this.redraw();
  }

  confirm(text: string, yes: () => void): void {
    if (this.desk.hands.transport === "ssh") yes();
    else this.#question = { text, yes };
  }

  change(attempt: Attempt, work: Work, { closes } = { closes: false }): void {
    const { hands } = this.desk;
    if (hands.transport === "ssh") {
      hands.refused(attempt);
      this.tell(REFUSED_OVER_SSH);
      return;
    }
    if (this.#isChanging) return this.tell("another change is in progress");
    this.#isChanging = true;
    this.#notice = "working…";
    const closing = closes ? this.#page : undefined;
    this.#changed(() => work(hands), closing).catch((error: unknown) => this.end(error));
  }

  async #changed(work: () => Promise<string | undefined>, closing: Page | undefined): Promise<void> {
    let sentence: string | undefined;
    try {
      sentence = await work();
      if (closing !== undefined && closing === this.#page) this.#current.pages.pop();
    } catch (error) {
      sentence = errorText(error);
    }
    this.#isChanging = false;
    this.#notice = sentence;
    this.#outdate({ except: this.#page });
    this.reload();
  }

  /** Pages that were loaded before, or are loading now, are loaded again before they are shown. */
  #outdate({ except }: { readonly except?: Page } = {}): void {
    for (const { pages } of this.#sections)
      for (const page of pages) {
        if (page === except) continue;
        this.#stale.add(page);
        if (this.#loading.has(page)) this.#again.add(page);
      }
  }

  redraw(): void {
    if (!this.#isEnded && !this.#isSuspended) this.#screen.draw(() => this.#frame());
  }

  get #current(): Section {
    return this.#sections[this.#section]!;
  }

  get #page(): Page {
    return this.#current.pages.at(-1)!;
  }

  /** Loads the open page unless that was done. */
  #show(): void {
    if (!this.#current.isLoaded || this.#stale.has(this.#page)) this.#load(this.#page);
  }

  #load(page: Page): void {
    this.#current.isLoaded = true;
    if (this.#loading.has(page)) {
      this.#again.add(page);
      return;
    }
    this.#loading.add(page);
    this.#loaded(page).catch((error: unknown) => this.end(error));
    this.redraw();
  }

  async #loaded(page: Page): Promise<void> {
    do {
      this.#again.delete(page);
      try {
        await page.load();
        this.#problems.delete(page);
      } catch (error) {
        if (error instanceof AppError && error.code === "unauthenticated") return this.end(error);
        this.#problems.set(page, errorText(error));
      }
    } while (this.#again.has(page) && !this.#isEnded);
    this.#loading.delete(page);
    this.#stale.delete(page);
    this.redraw();
  }

  #take(inputs: readonly Input[]): void {
    const room = INPUTS_QUEUED_MAX - this.#queue.length;
    this.#queue.push(...inputs.slice(0, room));
    if (this.#isWorking || this.#queue.length === 0) return;
    this.#isWorking = true;
    this.#work().catch((error: unknown) => this.end(error));
  }

  async #work(): Promise<void> {
    try {
      for (let at = 0, end = systemClock.elapsed() + INPUT_STRETCH_MS; at < this.#queue.length; at++) {
        if (this.#isEnded) return;
        this.#press(this.#queue[at]!);
        if (systemClock.elapsed() < end) continue;
        await turnOfOthers();
        end = systemClock.elapsed() + INPUT_STRETCH_MS;
      }
    } finally {
      this.#queue = [];
      this.#isWorking = false;
    }
    this.redraw();
  }

  #press(input: Input): void {
    if (input.kind === "key" && input.key === "redraw") return this.#screen.forget();
    if (input.kind === "key" && input.key === "quit") return this.end();
    // A key that was typed ahead has no page yet.
    if (this.#sections.length === 0 || !isLargeEnough(this.#screen.size)) {
      if (input.kind === "text" && input.text === "q") this.end();
      return;
    }
    // A text that was pasted is for a field; as keys, it would do anything.
    if (input.kind === "paste" && (this.#question !== undefined || !this.#page.isTyping)) return;
    if (this.#question) return this.#answer(input);
    this.#notice = undefined;
    if (this.#help) {
      if (!this.#help.press(input)) this.#help = undefined;
      return;
    }
    if (input.kind === "click" && input.row < HEAD_ROWS) return this.#clickTab(input.row, input.column);
    const below = input.kind === "click" ? { ...input, row: input.row - HEAD_ROWS } : input;
    const isShown = !this.#problems.has(this.#page) && !this.#stale.has(this.#page);
    if (isShown && this.#page.press(below, this)) return;
    if (input.kind === "text") this.#command(input.text);
    else if (input.kind === "key") this.#navigate(input.key);
  }

  #command(text: string): void {
    const section = this.#sections[Number(text) - 1];
    if (section) return this.#goTo(Number(text) - 1);
    if (text === "q") this.end();
    else if (text === "r") this.reload();
    else if (text === "?") this.#help = this.#helpNow();
  }

  #helpNow(): Help {
    const { hints, moves } = this.#problems.has(this.#page) ? NO_KEYS : this.#page;
    const mayChange = this.desk.hands.transport !== "ssh";
    const own = hints.filter(({ changes = false }) => mayChange || !changes);
    return new Help([...own, ...moves], this.#sections.length);
  }

  #navigate(key: string): void {
    const count = this.#sections.length;
    if (key === "tab") this.#goTo((this.#section + 1) % count);
    else if (key === "back-tab") this.#goTo((this.#section + count - 1) % count);
    else if (key === "escape" || key === "backspace" || key === "left") this.back();
  }

  #goTo(index: number): void {
    this.#section = index;
    this.#show();
  }

  #clickTab(row: number, column: number): void {
    const index = tabAt(
      this.#sections.map(({ name }) => name),
      row,
      column,
    );
    if (index !== undefined) this.#goTo(index);
  }

  #answer(input: Input): void {
    const question = this.#question!;
    if (input.kind === "wheel") return;
    this.#question = undefined;
    if (input.kind === "text" && input.text.toLowerCase() === "y") question.yes();
    else this.#notice = "cancelled; nothing was changed";
  }

  #frame(): readonly Line[] {
    const isStale = this.#stale.has(this.#page);
    const frame: Frame = {
      size: this.#screen.size,
      place: this.desk.place,
      who: this.#me ? `${this.#me.name} (${this.#me.role})` : "",
      isReadOnly: this.desk.hands.transport === "ssh",
      tabs: this.#sections.map(({ name }) => name),
      tab: this.#section,
      page: this.#page,
      problem: isStale ? undefined : this.#problems.get(this.#page),
      isStale,
      isLoading: this.#loading.has(this.#page),
      question: this.#question?.text,
      notice: this.#notice,
      help: this.#help,
    };
    return frameOf(frame);
  }
}
