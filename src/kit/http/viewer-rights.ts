// Rechecks the rights of viewers after a change of rights: each viewer before its next event, and all viewers with pauses, because there may be
// thousands. A viewer that lost its right receives nothing, and rechecking all viewers delays no request.

import { Stretch, turnOfOthers } from "../clock.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { breakOff, type Viewer } from "./sse.ts";

export interface Watching {
  readonly viewer: Viewer;
  /** Reads the current rights. */
  readonly allowed: () => boolean;
  /** The revision of the rights at the last check. Starts as UNASKED. */
  asked: number;
}

export const UNASKED = -1;

export class ViewerRights {
  readonly #all: () => Iterable<Watching>;
  readonly #log: Log;
  /** The revision: the number of changes of rights. */
  #state = 0;
  #isSweeping = false;

  /** `all` may change during iteration. */
  constructor(all: () => Iterable<Watching>, log: Log) {
    this.#all = all;
    this.#log = log;
  }

  /** Ends the streams of viewers that have lost their rights. The first stretch runs at once. */
  changed(): void {
    this.#state += 1;
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#sweep()
      .catch((error: unknown) =>
        this.#log.error("cannot recheck the rights of viewers", { error: messageOf(error) }),
      )
      .finally(() => (this.#isSweeping = false));
  }

  /** Called before each event: rechecks if rights changed. Returns false if the viewer lost its right and its stream was ended. */
  admits(watching: Watching): boolean {
    return this.isAsked(watching) || this.ask(watching);
  }

  /** Reports whether the viewer was checked since the last change. */
  isAsked({ asked }: Watching): boolean {
    return asked === this.#state;
  }

  /** Always rechecks. Returns false as `admits`. */
  ask(watching: Watching): boolean {
    watching.asked = this.#state;
    try {
      if (watching.allowed()) return true;
      watching.viewer.end();
    } catch (error) {
      this.#log.error("event stream failed", { error: messageOf(error) });
      breakOff(watching.viewer);
    }
    return false;
  }

  /** Repeats if rights changed in the meantime; skips viewers checked since then. */
  async #sweep(): Promise<void> {
    const stretch = new Stretch();
    for (let state = UNASKED; state !== this.#state;) {
      state = this.#state;
      for (const watching of this.#all()) {
        this.admits(watching);
        if (stretch.isOver()) await turnOfOthers();
      }
    }
  }
}
