// Sends local changes, each with the server's version that it replaces. "Sent" is recorded when the server has accepted; a push whose answer is lost
// is recognized by its content in the next cycle.

import { AppError } from "../../kit/error.ts";
import { ancestorsOf, foldedPath, type DocumentPath } from "../../kit/text/paths.ts";
import type { PushOperation } from "../sync/schema.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import { fileError, pathOf, problemOf } from "../versioned-store/file-error.ts";
import { parseHead } from "../versioned-store/head.ts";
import type { LocalCopy } from "./local-copy.ts";
import type { LocalFile } from "./looking.ts";
import type { SyncReport } from "./report.ts";
import type { ServerSpace } from "./server-space.ts";
import type { Agreement, ReplicaState } from "./state.ts";

/** The limits of one push. A single file may be larger. */
const OPERATIONS_PER_PUSH_MAX = 500;
const BYTES_PER_PUSH_MAX = 8 * 1024 * 1024;
/** A push is retried without each refused file; this many refusals have a common cause. */
const REFUSALS_MAX = 100;

export interface Sending {
  readonly path: DocumentPath;
  /** Undefined: delete it on the server. */
  readonly local: LocalFile | undefined;
  /** The server's live version; null: none. */
  readonly expected: number | null;
  /** The hash of that version. */
  readonly replaces: string | null;
}

interface Prepared extends Sending {
  readonly operation: PushOperation;
  readonly bytes: number;
}

interface PushDeps {
  readonly state: ReplicaState;
  readonly server: ServerSpace;
  readonly local: LocalCopy;
  readonly user: string;
  /** The versions that a refused push expected, by path: the server did not find one of its files. A path that still expects the same was not deleted by another client. */
  readonly expectedBefore: Map<string, number | null>;
}

/** Returns `again` if another client was faster or a file changed meanwhile, so that the cycle has to look again. */
export async function pushAll(
  deps: PushDeps,
  sendings: readonly Sending[],
  report: SyncReport,
): Promise<"done" | "again"> {
  const left = inOrder(sendings);
  const refusals = { count: 0 };
  let again = false;
  while (left.length > 0) {
    const { prepared, changed } = await deps.local.use((engine) => take(engine, left));
    again ||= changed;
    if ((await pushChunk(deps, prepared, report, refusals)) === "again") return "again";
  }
  return again ? "again" : "done";
}

/**
 * Deletes come first, so that they free names. A file that moved is sent beside the delete of its old name: other clients hear of both at once, so
 * that they need not take a large move for a delete.
 */
function inOrder(sendings: readonly Sending[]): Sending[] {
  const puts = sendings.filter(({ local }) => local !== undefined);
  const names = new Set(puts.map(({ path }) => foldedPath(path)));
  const folders = new Set([...names].flatMap((name) => [...ancestorsOf(name)]));
  const frees = (path: string) => {
    const name = foldedPath(path);
    return names.has(name) || folders.has(name) || ancestorsOf(name).some((above) => names.has(above));
  };
  const byHash = Map.groupBy(puts, ({ local }) => local!.hash);
  const deletes: Sending[] = [];
  const moves: Sending[] = [];
  for (const one of sendings) {
    if (one.local !== undefined) continue;
    const put = frees(one.path) ? undefined : byHash.get(one.replaces ?? "")?.pop();
    if (put) moves.push(one, put);
    else deletes.push(one);
  }
  const moved = new Set(moves);
  return [...deletes, ...moves, ...puts.filter((one) => !moved.has(one))];
}

/** Takes the next operations from the front of `left`. Leaves out a file that changed since it was compared. */
async function take(
  engine: SpaceEngine,
  left: Sending[],
): Promise<{ prepared: Prepared[]; changed: boolean }> {
  const prepared: Prepared[] = [];
  let bytes = 0;
  let changed = false;
  while (left.length > 0 && prepared.length < OPERATIONS_PER_PUSH_MAX && bytes < BYTES_PER_PUSH_MAX) {
    const sending = left.shift()!;
    const { path, local, expected } = sending;
    const live = await engine.live(path);
    if (live?.version !== local?.version) {
      changed = true;
      continue;
    }
    if (!local) {
      prepared.push({ ...sending, operation: { op: "delete", path, expected }, bytes: 0 });
      continue;
    }
    const content = (await engine.read(path, local.version))!.bytes;
    const content_b64 = Buffer.from(content.buffer, content.byteOffset, content.length).toString("base64");
    prepared.push({
      ...sending,
      operation: { op: "put", path, content_b64, expected },
      bytes: content.length,
    });
    bytes += content.length;
  }
  return { prepared, changed };
}

/** Sends all, or all but those that the server refuses. */
async function pushChunk(
  deps: PushDeps,
  prepared: readonly Prepared[],
  report: SyncReport,
  refusals: { count: number },
): Promise<"done" | "again"> {
  let left = prepared;
  while (left.length > 0) {
    await deps.state.sending(left.map(({ path, local }) => ({ path, hash: local?.hash ?? "" })));
    try {
      const pushed = await deps.server.push(
        deps.state.head!,
        left.map(({ operation }) => operation),
      );
      await accepted(deps, left, pushed, report);
      return "done";
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const refused = left.find(({ path }) => path === pathOf(error));
      if (error.code === "forbidden" && !refused) {
        for (const one of left) await holdUp(deps, one, error, report);
        return "done";
      }
      if (refused && isOutOfReach(deps, refused, error)) {
        await holdUp(deps, refused, outOfReach(refused.path), report);
        left = left.filter((one) => one !== refused);
        continue;
      }
      if (error.code === "not_found")
        for (const { path, expected } of left) deps.expectedBefore.set(path, expected);
      if (MOVED_ON.has(error.code)) return "again";
      if (!refused || refusals.count++ >= REFUSALS_MAX || !IS_ABOUT_A_FILE.has(error.code)) throw error;
      // A rule that is new here, or a name that another client took.
      const isKnown = deps.state
        .held()
        .some(({ path, code }) => path === refused.path && code === error.code);
      await holdUp(deps, refused, error, report);
      if (LOOK_FIRST.has(error.code) && !isKnown) return "again";
      left = left.filter((one) => one !== refused);
    }
  }
  return "done";
}

function isOutOfReach(
  { expectedBefore }: PushDeps,
  { path, expected }: Prepared,
  { code }: AppError,
): boolean {
  return code === "not_found" && expectedBefore.get(path) === expected;
}

/** The server does not say whether it has a file that the user may not see. */
function outOfReach(path: string): AppError {
  return fileError(
    "not_found",
    path,
    "the server has no such file for you; ask an admin whether you may change it",
  );
}

/** Another client was faster. */
const MOVED_ON: ReadonlySet<string> = new Set(["stale", "not_found"]);
/** Others concern the whole push: the network, the credential, the rate. */
const IS_ABOUT_A_FILE: ReadonlySet<string> = new Set([
  "secret_found",
  "forbidden",
  "quota_exceeded",
  "too_large",
  "refused",
  "conflict",
  "invalid",
]);
/** The next look at the server may explain these. */
const LOOK_FIRST: ReadonlySet<string> = new Set(["conflict", "refused"]);

async function holdUp(
  { state }: PushDeps,
  { path, local }: Prepared,
  error: AppError,
  report: SyncReport,
): Promise<void> {
  const held = { path, direction: "up", code: error.code, reason: problemOf(error) } as const;
  await state.hold({ ...held, hash: local?.hash ?? "" });
  report.held.push(held);
}

async function accepted(
  { state, user }: PushDeps,
  sent: readonly Prepared[],
  pushed: {
    head: string;
    versions: readonly { path: string; version: number | null; hash: string | null }[];
  },
  report: SyncReport,
): Promise<void> {
  const now = new Map(pushed.versions.map((one) => [one.path, one]));
  const agreements = sent.map(({ path, local, bytes }): Agreement => {
    const { version, hash } = now.get(path) ?? { version: null, hash: null };
    if (!local || version === null || hash === null) return { path, server: null, local: null };
    return { path, server: { path, version, hash, size: bytes, author: user }, local: local.version };
  });
  await state.agree(agreements);
  // Nobody else wrote in between, so the next cycle need not hear of this push.
  const [before, after] = [parseHead("head", state.head!), parseHead("head", pushed.head)];
  if (before.epoch === after.epoch && before.seq + pushed.versions.length === after.seq)
    await state.advance(pushed.head);
  for (const { path, local } of sent) (local ? report.pushed : report.withdrawn).push(path);
}
