// Puts refused requests and failed logins on record, at a bounded rate: the first of a kind at once, its repeats as one record with their
// count and their targets when the interval is over. A kind is an action, a code, and who it was: the user, else the address (IPv6: its /64).
// Nothing that a stranger typed gets on record.

import type { Background } from "../../kit/background.ts";
import type { Db } from "../../kit/db.ts";
import { countedTogether } from "../../kit/http/client-address.ts";
import { rememberedCaller, type Caller } from "../identity/caller.ts";
import type { Audit, Stranger } from "./audit.ts";

const INTERVAL_MS = 60_000;
/** Recorded apart from each other in an interval; further ones are counted together. */
const KINDS_MAX = 60;
const OTHERS = "others";
/** Named in the record of the repeats of a kind. */
const TARGETS_NAMED_MAX = 16;
const SEVERAL = "several";

export interface Refusal {
  readonly action: "request.refused" | "login.failed";
  /** Of the error: `forbidden`, `rate_limited`, … */
  readonly code: string;
  /** `GET /api/v1/users`, as declared; `user:7`. */
  readonly target: string;
  readonly by: Caller | Stranger;
}

interface Kind {
  readonly first: Refusal;
  repeats: number;
  /** What the repeats were about, as many as are named. */
  readonly targets: Set<string>;
}

export interface RefusalsDeps {
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

  /** Returns at once; a record that can't be written is logged. */
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

  /** Ends the interval, also at shutdown. */
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

/** Asked now: a connection that is closed has no address. A token that was revoked meanwhile is that of a stranger. */
function remembered(by: Caller | Stranger): Caller | Stranger {
  if (!("userId" in by)) return by;
  return rememberedCaller(by) ?? { requestId: by.requestId, address: by.address() };
}

function keyOf({ action, code, by }: Refusal): string {
  const who = "userId" in by ? `user ${by.userId}` : countedTogether(by.address);
  return `${action} ${code} ${who}`;
}
