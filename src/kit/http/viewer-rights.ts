// Asks viewers whether they may still look, after rights changed: each before the next thing that it would get, and all of them with pauses,
// since thousands may look. So nothing reaches a viewer that lost its right, and asking all of them keeps nobody waiting.

import { Stretch, turnOfOthers } from "../clock.ts";
import { messageOf } from "../error.ts";
import type { Log } from "../log.ts";
import { breakOff, type Viewer } from "./sse.ts";

export interface Watching {
  readonly viewer: Viewer;
  /** Looks up the rights as they are now. */
  readonly allowed: () => boolean;
  /** Kept here: the state of the rights for which it was asked. Begins as UNASKED. */
  asked: number;
}

export const UNASKED = -1;

export class ViewerRights {
  readonly #all: () => Iterable<Watching>;
  readonly #log: Log;
  /** The number of changes of rights. */
  #state = 0;
  #isSweeping = false;

  /** `all`: may be changed while it is gone through. */
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

  /** Before each thing that is sent: asks if rights changed since it was asked. False: it may not look, and its stream was ended. */
  admits(watching: Watching): boolean {
    return this.isAsked(watching) || this.ask(watching);
  }

  /** Was it asked since rights changed? */
  isAsked({ asked }: Watching): boolean {
    return asked === this.#state;
  }

  /** Whenever it was asked before. False as for `admits`. */
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

  /** Once more when rights changed meanwhile; those that were asked since then are passed over. */
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
