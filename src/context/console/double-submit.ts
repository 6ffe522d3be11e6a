// A form that is sent twice, by a double click or an impatient one, does its work once: the second request gets the answer of the first. A person who
// has seen a page since then means it, and a refusal is judged each time.

import { sha256Hex } from "../../kit/crypto.ts";
import type { Answer } from "./area.ts";

/** Sessions whose last form is remembered. */
const SESSIONS_MAX = 1_000;

interface Sent {
  readonly hash: string;
  readonly answer: Promise<Answer>;
}

export class Doubles {
  /** The last form of each session, by its CSRF token; the latest last. */
  readonly #last = new Map<string, Sent>();

  /** `form`: where it goes, and everything that was sent. Raises what `act` raises. */
  async once(session: string, form: string, act: () => Promise<Answer>): Promise<Answer> {
    const hash = sha256Hex(form);
    for (let last = this.#last.get(session); last?.hash === hash;) {
      const first = await last.answer.catch(() => undefined);
      if (first?.kind === "to") return first;
      const now = this.#last.get(session);
      if (now === last) break;
      // Another of these requests came first and acts now.
      last = now;
    }
    const answer = act();
    this.#last.delete(session);
    this.#last.set(session, { hash, answer });
    if (this.#last.size > SESSIONS_MAX) this.#last.delete(this.#last.keys().next().value!);
    return answer;
  }

  /** Called when the session opens a page. */
  seen(session: string): void {
    this.#last.delete(session);
  }
}
