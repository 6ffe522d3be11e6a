// All data of a server at one moment: every database frozen in one step, with the length of the audit record, and copied while writes continue.

import { createReadStream } from "node:fs";
import type { Clock } from "../../kit/clock.ts";
import { untilAborted } from "../../kit/concurrency/deadline.ts";
import type { FrozenFile } from "../../kit/storage/frozen-copy.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { Audit } from "../audit/audit.ts";
import type { CopyFor, FrozenSpace } from "../spaces/freezing.ts";
import type { Spaces } from "../spaces/spaces.ts";

export interface Moment {
  readonly time: number;
  readonly server: FrozenFile;
  readonly spaces: readonly FrozenSpace[];
  readonly audit: ReturnType<Audit["mark"]>;
}

export interface MomentDeps {
  readonly db: Db;
  readonly spaces: Spaces;
  readonly audit: Audit;
  readonly clock: Clock;
}

/**
 * Opens all spaces, and resolves when everything can be frozen in the same step, which may be after another copy: a backup and a snapshot for other
 * nodes wait for each other. Raises the reason of the signal and, for a backup, the first space that cannot be opened.
 */
export async function calm(
  { db, spaces }: MomentDeps,
  copyFor: CopyFor,
  signal?: AbortSignal,
): Promise<void> {
  if (copyFor === "backup") await spaces.openAll();
  for (const name of spaces.names()) await (await spaces.opened(name))?.engine.checkpointed();
  await db.checkpointed();
  await spaces.calm();
  for (let other = db.frozen ?? db.checkpointing; other; other = db.frozen ?? db.checkpointing) {
    await (signal ? untilAborted(signal, other) : other);
    signal?.throwIfAborted();
    await spaces.calm();
  }
}

/** Synchronous, so that nothing happens in between. Raises as `Db.freeze` does. */
export function freeze({ db, spaces, audit, clock }: MomentDeps, copyFor: CopyFor): Moment {
  const frozen = spaces.freeze(copyFor);
  try {
    return { time: clock.now(), server: db.freeze(), spaces: frozen, audit: audit.mark() };
  } catch (error) {
    spaces.thaw(frozen);
    throw error;
  }
}

export function thaw({ spaces }: MomentDeps, moment: Moment): void {
  moment.server.thaw();
  spaces.thaw(moment.spaces);
}

/** The records of the audit file at that moment. */
export function recordsOf({ audit }: Moment): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return audit.bytes === 0 ? [] : createReadStream(audit.path, { end: audit.bytes - 1 });
}
