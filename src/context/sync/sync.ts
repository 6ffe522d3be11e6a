// Pushes and pulls. A push is atomic: every path is checked separately (rights, sync mode, quota, secrets, precondition), and the whole push by
// its real effects. A pull returns the live versions of the requested paths that sync and that the caller may read.

import { SECOND_MS, LIGHT_STEPS, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { parseDocumentPath, type DocumentPath } from "../../kit/text/paths.ts";
import type { Spool, SpoolDirectory } from "../../kit/disk/spool.ts";
import { Semaphore } from "../../kit/concurrency/semaphore.ts";
import type { FileEngine, Operation } from "../versioned-store/engine.ts";
import type { Draft } from "../files/file-rights.ts";
import type { Change } from "../files/change.ts";
import type { Files } from "../files/files.ts";
import { headText, parseHead } from "../versioned-store/head.ts";
import type { Caller } from "../identity/caller.ts";
import type { Events } from "../events/events.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Spaces } from "../spaces/spaces.ts";
import { travelsDown, travelsUp } from "../spaces/modes.ts";
import { conflictIn } from "./conflict-files.ts";
import { ARCHIVE_TYPE, pullArchive, type Pulled } from "./archive.ts";
import { CONTENTS_TYPE, contentsStream, type StoredFile } from "./contents.ts";
import { readOrder, type Order, type OrderedOperation } from "./order.ts";
import { PULL_BYTES_MAX, PUSH_BYTES_MAX, type Pull, type Pushed } from "./schema.ts";

/** The paths processed between two yields: a few milliseconds of work. */
const PATHS_PER_STRETCH = 500;

interface SyncDeps {
  readonly spaces: Spaces;
  readonly files: Files;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly spools: SpoolDirectory;
}

export class Sync {
  readonly #deps: SyncDeps;
  /** Bounds the bytes of large pushes in memory at once; the others wait on disk. */
  readonly #large = new Semaphore(PUSH_BYTES_MAX);

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  /** Reads `body` only after the caller is known to have some right to change the space. */
  async push(caller: Caller, spaceName: string, body: AsyncIterable<Uint8Array>): Promise<Pushed> {
    const { files, events, spools } = this.#deps;
    await using held = new AsyncDisposableStack();
    const spool = held.use(spools.open());
    let order: Order | undefined;
    let engine: FileEngine | undefined;
    const drafts = async () => draftsOf((order = await readOrder(body, spool)));
    const completed: Change["completed"] = async (space, named) => {
      const { base, operations } = order!;
      ({ engine } = space);
      if (base !== undefined) requireEpoch(space, base);
      for (const [index, one] of operations.entries()) {
        requireSendable(space, one, named[index]!.path, index);
        if (index % PATHS_PER_STRETCH === PATHS_PER_STRETCH - 1) await turnOfOthers();
      }
      if (!spool.isInMemory) held.defer(await this.#large.enter({ weight: spool.size }));
      const complete: Operation[] = [];
      for (const [index, one] of operations.entries())
        complete.push(await operationOf(one, named[index]!.path, spool));
      return complete;
    };
    const applied = await files.batch(caller, spaceName, { drafts, completed });
    if (applied.effects.length > 0) {
      const data = { files: applied.effects.length, head: headText(applied.head) };
      events.announce({ type: "space.push", actor: caller.name, space: spaceName, data });
    }
    const stretch = new Stretch();
    for (const { path, before, after } of applied.effects) {
      if (stretch.isOver()) await turnOfOthers();
      const conflict = before === null && after !== null ? await conflictIn(engine!, path) : undefined;
      if (conflict)
        events.announce({
          type: "conflict.open",
          actor: caller.name,
          space: spaceName,
          path,
          version: after!.version,
          data: { file: conflict.path },
        });
    }
    return {
      head: headText(applied.head),
      versions: applied.effects.map(({ path, after }) => ({
        path,
        version: after?.version ?? null,
        hash: after?.hash ?? null,
      })),
    };
  }

  /**
   * Checks all paths before it sends the first; reads contents one after another while sending. Raises `not_found` for the first missing path,
   * `refused` for one that does not sync, `too_large`.
   */
  async pull(
    caller: Caller,
    spaceName: string,
    { paths, form = "archive" }: Pull,
  ): Promise<{ readonly type: string; readonly stream: ReadableStream<Uint8Array> }> {
    const { clock, log } = this.#deps;
    const pulled = await this.#judged(caller, spaceName, paths);
    const interrupted = (error: unknown) =>
      log.warn("a pull was interrupted", { request_id: caller.requestId, error: messageOf(error) });
    if (form === "contents") return { type: CONTENTS_TYPE, stream: contentsStream(pulled, interrupted) };
    const seconds = Math.floor(clock.now() / SECOND_MS);
    return { type: ARCHIVE_TYPE, stream: pullArchive(pulled, seconds, interrupted) };
  }

  async #judged(
    caller: Caller,
    spaceName: string,
    paths: readonly string[],
  ): Promise<(Pulled & StoredFile)[]> {
    const { spaces, files } = this.#deps;
    const space = await spaces.looked(caller, spaceName);
    const pulled: (Pulled & StoredFile)[] = [];
    const stretch = new Stretch(LIGHT_STEPS);
    let total = 0;
    for (const [index, text] of paths.entries()) {
      const path = parseDocumentPath(`paths.${index}`, text);
      const { version, size } = await files.live(caller, spaceName, path);
      if (!travelsDown(space.file.sync, path))
        throw new AppError("refused", `${path}: excluded by the sync rules of ${spaceName}`, {
          path,
        });
      total += size;
      if (total > PULL_BYTES_MAX)
        throw new AppError("too_large", `more than ${PULL_BYTES_MAX} bytes at once; ask for fewer paths`, {
          limit_bytes: PULL_BYTES_MAX,
        });
      const read = async () => (await files.read(caller, spaceName, path, version)).bytes;
      const stored = () => files.stored(caller, spaceName, path, version);
      pulled.push({ path, version, size, read, stored });
      if (stretch.isOver()) await turnOfOthers();
    }
    return pulled;
  }
}

function requireEpoch({ engine }: OpenSpace, base: string): void {
  if (parseHead("base", base).epoch === engine.head().epoch) return;
  const head = headText(engine.head());
  throw new AppError(
    "epoch_changed",
    "the space was restored from a backup since then; pull before you push",
    {
      head,
    },
  );
}

async function draftsOf({ operations }: Order): Promise<Draft[]> {
  const drafts: Draft[] = [];
  for (const [index, { op, path }] of operations.entries()) {
    drafts.push({ op, path: parseDocumentPath(`ops.${index}.path`, path) });
    if (drafts.length % PATHS_PER_STRETCH === 0) await turnOfOthers();
  }
  return drafts;
}

function requireSendable(
  { name, file }: OpenSpace,
  { op, content }: OrderedOperation,
  path: DocumentPath,
  index: number,
): void {
  if (!travelsUp(file.sync, path))
    throw new AppError("refused", `${path}: excluded by the sync rules of ${name}`, { path });
  if (op === "delete") return;
  if (content === undefined) throw new AppError("invalid", `ops.${index}.content_b64: missing`);
  if (!content.isBase64) throw new AppError("invalid", `ops.${index}.content_b64: not valid base64`);
}

async function operationOf(
  { op, expected, content }: OrderedOperation,
  path: DocumentPath,
  spool: Spool,
): Promise<Operation> {
  const given = expected === undefined ? {} : { expected };
  if (op === "delete") return { op, path, ...given };
  return { op, path, content: await spool.read(content!.at, content!.length), ...given };
}
