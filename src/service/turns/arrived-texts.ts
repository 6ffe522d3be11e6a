// Stores, once a second, what has arrived of the answers that models are giving, so that a crash loses the text of a second and not the whole answer.
// Only new text is written. A call that ends takes its pieces with it (recorder.ts); those that a crash left become a partial answer (openings.ts).

import type { Timers } from "../../kit/clock.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { OpenCall } from "./recorder.ts";
import type { TurnStore } from "./store.ts";

const KEEP_EVERY_MS = 1_000;
/** Of one write, which takes about half a millisecond: meanwhile the chunks of all turns wait. */
const CALLS_AT_ONCE = 32;

interface ArrivedTextsDeps {
  readonly db: Db;
  readonly store: TurnStore;
  readonly background: Background;
  readonly timers: Timers;
}

export class ArrivedTexts {
  readonly #deps: ArrivedTextsDeps;
  #grown = new Set<OpenCall>();
  /** A timer or a write is pending: a second write must not store the same text. */
  #isDue = false;

  constructor(deps: ArrivedTextsDeps) {
    this.#deps = deps;
  }

  /** Call it after each chunk. */
  grown(call: OpenCall): void {
    this.#grown.add(call);
    if (!this.#isDue) this.#keepSoon();
  }

  #keepSoon(): void {
    const { timers, background } = this.#deps;
    this.#isDue = true;
    timers.after(KEEP_EVERY_MS, () => background.run("texts of open model calls", () => this.#keepGrown()));
  }

  async #keepGrown(): Promise<void> {
    const open = [...this.#grown].filter(({ over }) => !over);
    this.#grown = new Set();
    try {
      for (let from = 0; from < open.length; from += CALLS_AT_ONCE)
        await this.#keepAll(open.slice(from, from + CALLS_AT_ONCE));
    } finally {
      this.#isDue = false;
      if (this.#grown.size > 0) this.#keepSoon();
    }
  }

  #keepAll(open: readonly OpenCall[]): Promise<void> {
    return this.#deps.db.write(
      () => {
        for (const call of open) this.#keep(call);
      },
      // A power cut may lose it; waiting for the disk here would delay the chunks of all turns.
      { repeatable: true, relaxed: true },
    );
  }

  #keep(call: OpenCall): void {
    const { db, store } = this.#deps;
    const { text, reasoning, kept } = call;
    const of = { call_id: call.id };
    if (text.length > kept.text)
      store.keepArrived.run({ ...of, kind: "text", start: kept.text, text: text.slice(kept.text) });
    if (reasoning.length > kept.reasoning)
      store.keepArrived.run({
        ...of,
        kind: "reasoning",
        start: kept.reasoning,
        text: reasoning.slice(kept.reasoning),
      });
    db.afterCommit(() => (call.kept = { text: text.length, reasoning: reasoning.length }));
  }
}
