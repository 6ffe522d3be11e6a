// The data of the service at one moment: its database and that of memory are frozen, and copied while writes continue; files are listed, and copied
// as they are when their turn comes.

import { dirname } from "node:path";
import type { Clock } from "../../kit/clock.ts";
import { untilAborted } from "../../kit/concurrency/deadline.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Db } from "../../kit/storage/db.ts";
import type { FrozenFile } from "../../kit/storage/frozen-copy.ts";
import type { Audit } from "../audit/audit.ts";
import type { FrozenMemory, MemorySpace } from "../memory/space.ts";
import { dataFiles, documentFiles, type DataFile } from "./data-files.ts";

export interface MomentDeps {
  readonly db: Db;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: left out. */
  readonly memory: Pick<MemorySpace, "kind" | "folder" | "freeze"> | undefined;
}

interface MemoryCopy {
  readonly frozen: FrozenMemory;
  readonly files: readonly DataFile[];
}

export interface Moment extends Disposable {
  readonly time: number;
  readonly database: FrozenFile;
  readonly files: readonly DataFile[];
  readonly audit: { readonly entries: number; readonly head: string };
  /** Undefined: none in a folder, or it is left out. */
  readonly memory: MemoryCopy | undefined;
  /** Why memory in a folder could not be read. */
  readonly memoryProblem: string | undefined;
}

/**
 * The database is frozen before the files are listed and memory is frozen, so that everything that it names is there. Raises as `Db.freeze` does, and
 * the reason of the signal.
 */
export async function momentOf(deps: MomentDeps, signal: AbortSignal): Promise<Moment> {
  const { audit, clock, db } = deps;
  await db.checkpointed();
  using failed = new DisposableStack();
  const database = db.freeze();
  failed.defer(() => database.thaw());
  const { seq, hash } = audit.head();
  const time = clock.now();
  const files = await listed(dataFiles(dirname(db.path)), signal);
  const { memory, memoryProblem } = await memoryOf(deps, signal);
  if (memory) failed.use(memory.frozen);
  const held = failed.move();
  return {
    time,
    database,
    files,
    audit: { entries: seq, head: hash },
    memory,
    memoryProblem,
    [Symbol.dispose]: () => held.dispose(),
  };
}

export function bytesOf({ database, files, memory }: Moment): number {
  const sum = (sized: readonly { readonly size: number }[]) => sized.reduce((all, { size }) => all + size, 0);
  const ofMemory = memory ? memory.frozen.database.size + memory.frozen.file.length + sum(memory.files) : 0;
  return database.size + sum(files) + ofMemory;
}

/** A space that cannot be read must not cost the backup of everything else. */
async function memoryOf(
  { memory, log }: MomentDeps,
  signal: AbortSignal,
): Promise<Pick<Moment, "memory" | "memoryProblem">> {
  const none = { memory: undefined, memoryProblem: undefined };
  if (memory?.kind !== "folder") return none;
  const freezing = memory.freeze();
  if (
    await untilAborted(
      signal,
      freezing.catch(() => undefined),
    )
  ) {
    // It may still be frozen, and nobody waits for that.
    freezing.then(
      (frozen) => frozen[Symbol.dispose](),
      () => undefined,
    );
    signal.throwIfAborted();
  }
  try {
    const frozen = await freezing;
    using failed = new DisposableStack();
    failed.use(frozen);
    const files = await listed(documentFiles(frozen.directory), signal);
    failed.move();
    return { memory: { frozen, files }, memoryProblem: undefined };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof AppError ? error.message : "internal error; see the log of the server";
    log.error("cannot back up memory", { error: messageOf(error) });
    return { ...none, memoryProblem: reason };
  }
}

async function listed(found: AsyncGenerator<DataFile>, signal: AbortSignal): Promise<DataFile[]> {
  const files: DataFile[] = [];
  for await (const file of found) {
    signal.throwIfAborted();
    files.push(file);
  }
  return files;
}
