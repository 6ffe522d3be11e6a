// A page of the terminal UI: it loads its data, draws itself into the rows that it gets, and answers keys.

import type { Attempt, Desk, WritingHands } from "./desk.ts";
import type { Input } from "./keys.ts";
import type { Line, Size } from "./line.ts";

/** A key and what it does, for the line at the bottom and the help. */
export interface Hint {
  readonly key: string;
  readonly does: string;
  /** Not offered to a session that may not change anything. */
  readonly changes?: boolean;
}

export type Work = (hands: WritingHands) => Promise<string | undefined>;

/** The requests that a page may make of the program around it. */
export interface Stage {
  readonly desk: Desk;
  /** Opens a page on top of this one. */
  open(page: Page): void;
  /** Closes this page. */
  back(): void;
  /** Loads the page again. */
  reload(): void;
  /** Shows one sentence until the next key. */
  tell(sentence: string): void;
  /**
   * Runs a change. Over SSH the attempt is recorded and refused instead. All pages are loaded again before they are shown, and `work` may return a
   * sentence to show. `closes`: the page is about something that the change removes.
   */
  change(attempt: Attempt, work: Work, options?: { readonly closes: boolean }): void;
  /** Asks a question that `y` answers. */
  confirm(question: string, yes: () => void): void;
  /** Draws again, because a background load changed something. */
  redraw(): void;
}

export interface Page {
  readonly title: string;
  /** Keys that do something here. */
  readonly hints: readonly Hint[];
  /** Keys that move through the page; only the help names them. */
  readonly moves: readonly Hint[];
  /** Text goes to the page, also keys that mean something everywhere else, and what is pasted. */
  readonly isTyping: boolean;
  load(): Promise<void>;
  /** At most `size.rows` lines. */
  draw(size: Size): readonly Line[];
  /** False: not for this page. */
  press(input: Input, stage: Stage): boolean;
}
