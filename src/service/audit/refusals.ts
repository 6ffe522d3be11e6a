// Records refused requests and failed logins at a bounded rate: the first of a kind at once, its repeats as one record with their count and
// targets at the end of the interval. A kind is an action, a code and a caller: the user, or else the address (for IPv6 its /64).
// Text from an unauthenticated client is never recorded.

import type { Background } from "../../kit/concurrency/background.ts";
import type { Db } from "../../kit/storage/db.ts";
import { countedTogether } from "../../kit/http/client-address.ts";
import { rememberedCaller, type Caller } from "../identity/caller.ts";
import type { Audit, Stranger } from "./audit.ts";

const INTERVAL_MS = 60_000;
/** Kinds recorded separately in one interval; the rest are counted together. */
const KINDS_MAX = 60;
const OTHERS = "others";
/** Targets listed in the record of a kind's repeats. */
const TARGETS_NAMED_MAX = 16;
const SEVERAL = "several";

interface Refusal {
  readonly action: "request.refused" | "login.failed";
  /** The error's code: `forbidden`, `rate_limited`, … */
  readonly code: string;
  /** The declared route (`GET /api/v1/users`), or the user (`user:7`). */
  readonly target: string;
  readonly by: Caller | Stranger;
}

interface Kind {
  readonly first: Refusal;
  repeats: number;
  /** Targets of the repeats, at most TARGETS_NAMED_MAX. */
  readonly targets: Set<string>;
}

interface RefusalsDeps {
  db: Db;
  audit: Audit;
  background: Background;
}

export class Refusals {
  readonly #deps: RefusalsDeps;
  #kinds = new Map<string, Kind>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  /** Returns at once. A record that cannot be written is logged. */
  note(refusal: Refusal): void {
    this.#timer ??= this.#startInterval();
    const key = keyOf(refusal);
    const known = this.#kinds.get(key) ?? (this.#kinds.size >= KINDS_MAX ? this.#others(refusal) : undefined);
    if (known) {
      known.repeats += 1;
      if (known.targets.size < TARGETS_NAMED_MAX) known.targets.add(refusal.target);
      return;
    }
    const first = { ...refusal, by: remembered(refusal.by) };
    this.#kinds.set(key, { first, repeats: 0, targets: new Set() });
    this.#write(() => this.#record(first, {}));
  }

  /** Ends the interval. Also called at shutdown. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const repeated = [...this.#kinds].filter(([, { repeats }]) => repeats > 0);
    this.#kinds = new Map();
    if (repeated.length === 0) return;
    this.#write(() => {
      for (const [key, kind] of repeated) {
        if (key === OTHERS) this.#recordOthers(kind.repeats);
        else this.#recordRepeats(kind);
      }
    });
  }

  #others(first: Refusal): Kind {
    const known = this.#kinds.get(OTHERS);
    if (known) return known;
    const others = { first, repeats: 0, targets: new Set<string>() };
    this.#kinds.set(OTHERS, others);
    return others;
  }

  #record({ action, code, target, by }: Refusal, count: { repeats?: number; targets?: string }): void {
    this.#deps.audit.record(by, { action, target, detail: { code, ...count } });
  }

  #recordRepeats({ first, repeats, targets }: Kind): void {
    const named = [...targets];
    if (named.length === 1) return this.#record({ ...first, target: named[0]! }, { repeats });
    this.#record({ ...first, target: SEVERAL }, { repeats, targets: named.join(", ") });
  }

  #recordOthers(repeats: number): void {
    const detail = { code: "several", repeats, interval_seconds: INTERVAL_MS / 1000 };
    this.#deps.audit.record(null, { action: "request.refused", target: OTHERS, detail });
  }

  #write(run: () => void): void {
    const { db, background } = this.#deps;
    background.run("record of refusals", () => db.write(run));
  }

  #startInterval(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.flush(), INTERVAL_MS);
    timer.unref?.();
    return timer;
  }
}

/** Captures the caller now, since a closed connection has no address. The caller of a token revoked meanwhile becomes a stranger. */
function remembered(by: Caller | Stranger): Caller | Stranger {
  if (!("userId" in by)) return by;
  return rememberedCaller(by) ?? { requestId: by.requestId, address: by.address() };
}

function keyOf({ action, code, by }: Refusal): string {
  const who = "userId" in by ? `user ${by.userId}` : countedTogether(by.address);
  return `${action} ${code} ${who}`;
}
