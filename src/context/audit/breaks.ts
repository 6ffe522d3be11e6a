// Breaks of the audit record: the file did not match its anchor. A break is reported until an admin acknowledges it, whatever is recorded
// afterwards, and stays in the database permanently.

import { rfc3339, rfc3339OrNull, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { AuditBreak } from "./schema.ts";
import type { AuditStore, BreakRow } from "./store.ts";
import type { Anchor, Baseline, Checked } from "./verify.ts";
import { CHAIN_START } from "../../kit/secrets/hash-chain.ts";

export class Breaks {
  readonly #db: Db;
  readonly #store: AuditStore;
  readonly #clock: Clock;
  #open: BreakRow[] = [];

  constructor(db: Db, store: AuditStore, clock: Clock) {
    this.#db = db;
    this.#store = store;
    this.#clock = clock;
  }

  /** Called at startup. */
  load(): void {
    this.#open = this.#store.openBreaks();
  }

  /** Breaks not acknowledged yet, oldest first. */
  get open(): readonly AuditBreak[] {
    return this.#open.map(toBreak);
  }

  /** All breaks, oldest first. */
  all(): AuditBreak[] {
    return this.#store.breaks.all().map(toBreak);
  }

  /** Called at startup, before anything is recorded. Returns whether the break is new. */
  noticeNow(found: Checked, anchor: Anchor | null): boolean {
    if (this.#knows(found)) return false;
    this.#db.writeNow(() => this.#insert(found, anchor));
    this.load();
    return true;
  }

  /** Returns whether the break is new. */
  async notice(found: Checked, anchor: Anchor | null): Promise<boolean> {
    const isNews = await this.#db.write(() => {
      if (this.#knows(found)) return false;
      this.#insert(found, anchor);
      return true;
    });
    this.load();
    return isNews;
  }

  /** `baseline`: the part of the file that counts as intact from now on. Returns the acknowledged breaks. */
  async acknowledge(upTo: number, by: string, baseline: Baseline | undefined, admit: () => void) {
    const acknowledged = await this.#db.write(() => {
      admit();
      const now = this.#clock.now();
      this.#store.acknowledge.run(now, by, upTo);
      if (baseline) {
        const { bytes, lines, sha256, seq, hash } = baseline;
        this.#store.setBaseline.run({ bytes, lines, sha256, seq, hash });
      }
      return this.#store.breaks.all().filter(({ acknowledged_at: at }) => at === now);
    });
    this.load();
    return acknowledged.map(toBreak);
  }

  #knows({ line, problem }: Checked): boolean {
    return this.#store.openBreaks().some((row) => row.line === line && row.problem === problem);
  }

  #insert({ line, problem, last }: Checked, anchor: Anchor | null): void {
    this.#store.insertBreak.run({
      noticed_at: this.#clock.now(),
      line: line ?? 0,
      problem: problem ?? "",
      expected_entries: anchor?.entries ?? 0,
      expected_hash: anchor?.hash ?? CHAIN_START,
      found_entries: last.seq,
      found_hash: last.hash,
    });
  }
}

export function toBreak({ noticed_at, acknowledged_at, ...row }: BreakRow): AuditBreak {
  return {
    ...row,
    noticed_at: rfc3339(noticed_at),
    acknowledged_at: rfc3339OrNull(acknowledged_at),
  };
}
