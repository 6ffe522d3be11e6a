// Stores, once a second, what has arrived of the answers that models are giving, so that a crash loses the text of a second and not the whole answer.
// Only new text is written. A call that ends takes its pieces with it (recorder.ts); those that a crash left become a partial answer (openings.ts).

import type { Timers } from "../../kit/clock.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { OpenCall } from "./recorder.ts";
import type { TurnStore } from "./store.ts";

const KEEP_EVERY_MS = 1_000;

interface ArrivedTextsDeps {
  readonly db: Db;
  readonly store: TurnStore;
  readonly background: Background;
  readonly timers: Timers;
}

export class ArrivedTexts {
  readonly #deps: ArrivedTextsDeps;
  #grown = new Set<OpenCall>();

  constructor(deps: ArrivedTextsDeps) {
    this.#deps = deps;
  }

  /** Call it after each chunk. */
  grown(call: OpenCall): void {
    if (this.#grown.size === 0) this.#deps.timers.after(KEEP_EVERY_MS, () => this.#keepSoon());
    this.#grown.add(call);
  }

  #keepSoon(): void {
    const open = [...this.#grown].filter(({ over }) => !over);
    this.#grown = new Set();
    if (open.length === 0) return;
    this.#deps.background.run("texts of open model calls", () =>
      this.#deps.db.write(
        () => {
          for (const call of open) this.#keep(call);
        },
        // A power cut may lose it; waiting for the disk here would delay the chunks of all turns.
        { repeatable: true, relaxed: true },
      ),
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
