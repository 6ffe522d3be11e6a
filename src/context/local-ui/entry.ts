// The one-time key of `cairn ui` and the session that it is exchanged for. Kept in memory only, as hashes, and gone with the program. Knows no HTTP.

import type { Clock } from "../../kit/clock.ts";
import { isSameSecret, sha256Hex } from "../../kit/crypto.ts";
import { randomSecret } from "../../kit/random.ts";
import { KEY_MINUTES } from "./limits.ts";

const SECRET_BITS = 256;
const KEY_LIFE_MS = KEY_MINUTES * 60_000;
/** The keys of earlier addresses, to say why one of them fails. */
const FORMER_MAX = 20;

interface Key {
  readonly hash: string;
  /** On the monotonic clock. */
  readonly until: number;
}

export type Exchanged =
  | { readonly session: string }
  /** `used`: exchanged before, or replaced by a newer key. */
  | { readonly problem: "used" | "expired" | "unknown" };

export class Entry {
  readonly #clock: Clock;
  #key: Key | undefined;
  readonly #former: string[] = [];
  /** One at a time: a new key ends the session of the one before, once it is exchanged. */
  #session: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a new key and ends the one before. */
  newKey(): string {
    const key = randomSecret(SECRET_BITS);
    this.#forget();
    this.#key = { hash: sha256Hex(key), until: this.#clock.elapsed() + KEY_LIFE_MS };
    return key;
  }

  /** Works once for each key. */
  exchange(given: string): Exchanged {
    const hash = sha256Hex(given);
    if (this.#former.some((former) => isSameSecret(former, hash))) return { problem: "used" };
    if (this.#key === undefined || !isSameSecret(this.#key.hash, hash)) return { problem: "unknown" };
    if (this.#clock.elapsed() > this.#key.until) return { problem: "expired" };
    this.#forget();
    const session = randomSecret(SECRET_BITS);
    this.#session = sha256Hex(session);
    return { session };
  }

  admits(session: string): boolean {
    return this.#session !== undefined && isSameSecret(this.#session, sha256Hex(session));
  }

  #forget(): void {
    if (this.#key === undefined) return;
    this.#former.push(this.#key.hash);
    if (this.#former.length > FORMER_MAX) this.#former.shift();
    this.#key = undefined;
  }
}
