// A form that is sent twice, by a double click or an impatient one, does its work once: the second request gets the answer of the first. A refusal is
// not repeated, and neither is anything that a person sends again after looking at the page.

import { sha256Hex } from "../../kit/crypto.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Answer } from "./area.ts";

/** The same form from the same session within this time is the same click. */
const WITHIN_MS = 2_000;
const KEPT_MAX = 1_000;

interface Sent {
  /** On the monotonic clock. */
  readonly at: number;
  readonly answer: Promise<Answer>;
}

export class Doubles {
  readonly #clock: Pick<Clock, "elapsed">;
  /** The latest last. */
  readonly #sent = new Map<string, Sent>();

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** `form`: everything that was sent, with the token of the session. Raises what `act` raises. */
  async once(path: string, form: string, act: () => Promise<Answer>): Promise<Answer> {
    const key = sha256Hex(`${path}\n${form}`);
    const first = this.#sent.get(key);
    if (first && this.#clock.elapsed() - first.at < WITHIN_MS) {
      const answer = await first.answer.catch(() => undefined);
      if (answer?.kind === "to") return answer;
    }
    const answer = act();
    this.#keep(key, answer);
    return answer;
  }

  #keep(key: string, answer: Promise<Answer>): void {
    const now = this.#clock.elapsed();
    this.#sent.delete(key);
    this.#sent.set(key, { at: now, answer });
    for (const [oldest, { at }] of this.#sent) {
      if (this.#sent.size <= KEPT_MAX && now - at < WITHIN_MS) return;
      this.#sent.delete(oldest);
    }
  }
}
