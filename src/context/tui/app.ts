// The terminal UI: sections, the page on top of each, keys, and the frame around them. It knows pages and a desk, and nothing of where either the
// terminal or the data is.

import { systemClock, turnOfOthers } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { WhoAmI } from "../people/schema.ts";
import type { Attempt, Desk, WritingHands } from "./desk.ts";
import { frameOf, HEAD_ROWS, isLargeEnough, tabAt, type Frame } from "./frame.ts";
import { Keys, type Input } from "./keys.ts";
import type { Line } from "./line.ts";
import type { Page, Stage } from "./page.ts";
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
  #isHelp = false;
  #isChanging = false;
  #isSuspended = false;
  #isEnded = false;
  #queue: Input[] = [];
  #isWorking = false;
  #escape: Timer | undefined;

  constructor({ desk, terminal, onEnd }: AppOptions) {
    this.desk = desk;
    this.#screen = new Screen(terminal);
    this.#onEnd = onEnd;
  }

  /** Raises what the desk raises: nothing is drawn then. */
  async start(): Promise<void> {
    this.#me = await this.desk.server?.whoAmI();
    this.#sections = sectionsOf(this.desk, this.#me);
    if (this.#isEnded) return;
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

  change(attempt: Attempt, work: (hands: WritingHands) => Promise<string | undefined>): void {
    const { hands } = this.desk;
    if (hands.transport === "ssh") {
      hands.refused(attempt);
      this.tell(REFUSED_OVER_SSH);
      return;
    }
    if (this.#isChanging) return this.tell("another change is under way");
    this.#isChanging = true;
    this.#notice = "working…";
    this.#changed(() => work(hands)).catch((error: unknown) => this.end(error));
  }

  async #changed(work: () => Promise<string | undefined>): Promise<void> {
    let sentence: string | undefined;
    try {
      sentence = await work();
    } catch (error) {
      sentence = errorText(error);
    }
    this.#isChanging = false;
    this.#notice = sentence;
    this.reload();
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

  #load(page: Page): void {
    if (this.#loading.has(page)) return;
    this.#loading.add(page);
    this.#current.isLoaded = true;
    this.#loaded(page).catch((error: unknown) => this.end(error));
    this.redraw();
  }

  async #loaded(page: Page): Promise<void> {
    try {
      await page.load();
      this.#problems.delete(page);
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated") return this.end(error);
      this.#problems.set(page, errorText(error));
    } finally {
      this.#loading.delete(page);
    }
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
    if (!isLargeEnough(this.#screen.size)) {
      if (input.kind === "text" && input.text === "q") this.end();
      return;
    }
    if (this.#question) return this.#answer(input);
    this.#notice = undefined;
    if (this.#isHelp) {
      this.#isHelp = false;
      return;
    }
    if (input.kind === "click" && input.row < HEAD_ROWS) return this.#clickTab(input.row, input.column);
    const below = input.kind === "click" ? { ...input, row: input.row - HEAD_ROWS } : input;
    const hasProblem = this.#problems.has(this.#page);
    if (!hasProblem && this.#page.press(below, this)) return;
    if (input.kind === "text") this.#command(input.text);
    else if (input.kind === "key") this.#navigate(input.key);
  }

  #command(text: string): void {
    const section = this.#sections[Number(text) - 1];
    if (section) return this.#goTo(Number(text) - 1);
    if (text === "q") this.end();
    else if (text === "r") this.reload();
    else if (text === "?") this.#isHelp = true;
  }

  #navigate(key: string): void {
    const count = this.#sections.length;
    if (key === "tab") this.#goTo((this.#section + 1) % count);
    else if (key === "back-tab") this.#goTo((this.#section + count - 1) % count);
    else if (key === "escape" || key === "backspace" || key === "left") this.back();
  }

  #goTo(index: number): void {
    this.#section = index;
    if (!this.#current.isLoaded) this.#load(this.#page);
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
    const frame: Frame = {
      size: this.#screen.size,
      place: this.desk.place,
      who: this.#me ? `${this.#me.name} (${this.#me.role})` : "",
      isReadOnly: this.desk.hands.transport === "ssh",
      tabs: this.#sections.map(({ name }) => name),
      tab: this.#section,
      page: this.#page,
      problem: this.#problems.get(this.#page),
      isLoading: this.#loading.has(this.#page),
      question: this.#question?.text,
      notice: this.#notice,
      isHelp: this.#isHelp,
    };
    return frameOf(frame);
  }
}
