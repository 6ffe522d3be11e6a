// Sends a new viewer of an event log the stored events, a page at a time. The viewer joins the live ones in the step that finds no page left, so
// no event is missed. A stream that fails is aborted, not ended, because its viewer would take an end for completion.

import { turnOfOthers } from "../clock.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { breakOff } from "./sse.ts";
import type { ViewerRights, Watching } from "./viewer-rights.ts";

/** The result of a page: nothing sent, everything sent, or as much as fits. */
export type PageSent = "nothing" | "rest" | "part";

/** For a page of at most `max` events. */
export function sentOf(count: number, max: number): PageSent {
  if (count === 0) return "nothing";
  return count < max ? "rest" : "part";
}

interface Replay {
  readonly watching: Watching;
  /** Sends the next page of stored events. */
  readonly page: () => PageSent;
  /** Called once, for an admitted viewer. */
  readonly join: () => void;
  /** For the log, if it fails. */
  readonly about?: Readonly<Record<string, number>>;
}

export class Replays {
  readonly #rights: ViewerRights;
  readonly #log: Log;
  readonly #running = new Set<Watching>();

  constructor(rights: ViewerRights, log: Log) {
    this.#rights = rights;
    this.#log = log;
  }

  /** Viewers that still receive stored events. */
  watching(): Iterable<Watching> {
    return this.#running;
  }

  /** Returns the function to call when the viewer disconnects. */
  start(replay: Replay): () => void {
    const { watching, about } = replay;
    this.#running.add(watching);
    this.#run(replay)
      .catch((error: unknown) => {
        this.#log.error("event stream failed", { ...about, error: messageOf(error) });
        breakOff(watching.viewer);
      })
      .finally(() => this.#running.delete(watching));
    return () => void this.#running.delete(watching);
  }

  async #run({ watching, page, join }: Replay): Promise<void> {
    while (this.#running.has(watching) && this.#rights.ask(watching)) {
      const sent = page();
      if (sent === "nothing") return join();
      if (!(await watching.viewer.drained())) return;
      // A viewer that is up to date joins in this turn of the event loop, so it receives the events of the next turn live.
      if (sent === "part") await turnOfOthers();
    }
  }
}
