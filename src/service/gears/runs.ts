// Runs gears and records the runs. `order` and `toolOrder` execute approved content only; `dryOrder` runs unapproved content, for people only.
//
// A run is stored before it starts, in the write that makes the final check and hashes the stored bytes again, so that only approved bytes are
// executed. A gear's failure is data; only a reason not to run it is raised.

import { Ongoing } from "../../kit/concurrency/background.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound, stopping } from "../../kit/error.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Audit } from "../audit/audit.ts";
import { requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Sandbox, SandboxFile, SandboxResult } from "../sandbox/sandbox.ts";
import type { Access } from "../workspaces/access.ts";
import { WORKSPACES_PER_LIST_MAX } from "../workspaces/schema.ts";
import { filesIn, type ArgsChecks } from "./args-checks.ts";
import type { GearBindings } from "./bindings.ts";
import { canonicalContent, contentHash, type Content } from "./content.ts";
import type { Gears } from "./gears.ts";
import { isIsolationLost, NOT_ISOLATED_NOTICE } from "./isolation.ts";
import { LiveText } from "./live-text.ts";
import { RunQueue } from "./run-queue.ts";
import { RunningGears } from "./running.ts";
import { resultFields, saidOf, toDetail, toRun } from "./run-records.ts";
import type { RunRow, RunStore, Viewer } from "./run-store.ts";
import {
  GEAR_RUNS_AT_ONCE_MAX,
  GEAR_RUNS_WAITING_MAX,
  RUN_FILES_BYTES_MAX,
  RUN_FILES_MAX,
  type GearResult,
  type GearRun,
  type GearRunDetail,
  type GearRunKind,
  type GearRunStatus,
  type RunGear,
} from "./schema.ts";
import type { GearRow, GearStore } from "./store.ts";

export interface GearRunsDeps {
  db: Db;
  store: RunStore;
  gearStore: GearStore;
  gears: Gears;
  argsChecks: ArgsChecks;
  bindings: GearBindings;
  access: Access;
  audit: Audit;
  clock: Clock;
  sandbox: Sandbox;
  /** Reads the exact bytes of a workspace file. Raises `not_found`, `invalid`, `too_large`. */
  readWorkspaceFile: (
    workspaceId: number,
    path: string,
    bytesMax: number,
  ) => Promise<{ path: string; content: Uint8Array }>;
}

type Output = (stream: "stdout" | "stderr", text: string) => void;

/** A run that has passed every check except the final one at its start. */
export interface Order {
  readonly caller: Caller;
  readonly gearId: number;
  /** Hash of the content whose schema the arguments were checked against. */
  readonly hash: string;
  readonly kind: GearRunKind;
  readonly args: Record<string, unknown>;
  readonly workspaceId: number | null;
  readonly files: readonly string[];
  /** The final check, which raises if the gear may not run. Called inside the write that stores the run. */
  readonly require: (row: GearRow) => void;
  readonly callId?: string;
  readonly agentId?: number;
}

/** Of an agent. */
interface GearCall extends Pick<Order, "gearId" | "hash" | "args"> {
  readonly agentId: number;
  readonly workspaceId: number;
  readonly callId: string;
}

export interface Ended {
  readonly runId: number;
  readonly result: SandboxResult;
  /** By a person, a stopped turn or a stop of the service. */
  readonly cancelled: boolean;
}

interface Following {
  /** Ends the run. */
  readonly cancel?: AbortSignal;
  /** The caller has left: removes a queued run from the queue. A run that has started goes on. */
  readonly left?: AbortSignal;
  /** Called if all places are taken. */
  readonly queued?: () => void;
  /** Called once the run is stored and begins. */
  readonly started?: (runId: number) => void;
}

export class GearRuns {
  readonly #deps: GearRunsDeps;
  readonly #queue = new RunQueue(GEAR_RUNS_AT_ONCE_MAX, GEAR_RUNS_WAITING_MAX);
  readonly #ongoing = new Ongoing();
  readonly #running = new RunningGears();
  readonly #stopping = new AbortController();

  constructor(deps: GearRunsDeps) {
    this.#deps = deps;
  }

  /** Marks, at start, runs that a stop interrupted. Returns their number. */
  reconcile(): number {
    const { db, store, clock } = this.#deps;
    return db.writeNow(() => store.interruptOpen.run(clock.now()));
  }

  /** Kills running gears and refuses new runs. Resolves once every run's end is recorded. */
  async stop(): Promise<void> {
    this.#stopping.abort(stopping("service"));
    await this.#ongoing.ended();
  }

  /** Resolves once it is known whether gears are isolated. Await it before making an order. */
  ready(): Promise<void> {
    return this.#deps.sandbox.decided();
  }

  /**
   * Anyone signed in, for approved gears only. Raises `forbidden` (not approved), `refused` (approved to run isolated, but isolation is not
   * available), `invalid` (arguments), `not_found`.
   */
  order(caller: Caller, gearId: number, input: RunGear): Promise<Order> {
    const require = (row: GearRow) => {
      requireApproved(row);
      this.#requireIsolation(row);
    };
    return this.#order(caller, input, { gearId, kind: "run", require });
  }

  /** For a gear of any status. Anyone signed in if gears are isolated, otherwise admins; never agents. Raises `forbidden`, `invalid`, `not_found`. */
  dryOrder(caller: Caller, gearId: number, input: RunGear, kind: "dry" | "test" = "dry"): Promise<Order> {
    return this.#order(caller, input, { gearId, kind, require: () => this.requireMayTry(caller) });
  }

  /**
   * For an agent's call. `hash` is that of the content whose schema the arguments were checked against; if it is no longer callable, the final
   * check raises `refused`.
   */
  toolOrder(caller: Caller, call: GearCall): Order {
    return {
      ...call,
      caller,
      kind: "tool",
      files: filesIn(this.#deps.gears.existing(call.gearId).args_schema, call.args),
      require: (row) => this.#requireCallable(row, call),
    };
  }

  /** Waits for a place, runs the gear and records it. Raises if the gear cannot run (including `unavailable`); a gear's failure is in the result. */
  async execute(
    order: Order,
    output: Output,
    { cancel, left, queued, started }: Following = {},
  ): Promise<Ended> {
    const signal = eitherOf(this.#stopping.signal, cancel);
    const begin = async () => {
      // Not while it is queued: the files of all queued runs could take gigabytes.
      const inputs = await this.#inputs(order);
      const stored = await this.#start(order);
      started?.(stored.runId);
      return this.#running.during(stored.runId, signal, (either) =>
        this.#runStarted({ ...stored, inputs }, order, output, either),
      );
    };
    return this.#ongoing.keep(this.#queue.run(eitherOf(signal, left), begin, queued));
  }

  /**
   * For the person who started the run, and admins. Resolves with the run once its end is recorded. Raises `not_found`, `forbidden`, `conflict`
   * (it has ended, or it is a tool call, which ends with its turn).
   */
  async cancel(caller: Caller, id: number): Promise<GearRunDetail> {
    const { db, store, audit } = this.#deps;
    await db.write(() => {
      requireSignedIn(caller);
      const row = store.byId.get({ id, ...this.#viewerOf(caller) });
      if (!row) throw notFound("gear run", id);
      requireMayCancel(caller, row);
      audit.record(caller, { action: "gear.cancel_run", target: `gear:${row.gear_id}`, detail: { run: id } });
    });
    await this.#running.cancel(id);
    return this.get(caller, id);
  }

  /** Converts a run's end for an HTTP response. */
  answer(kind: "run" | "dry", { result, cancelled }: Ended): GearResult {
    const { isolated } = this.#deps.sandbox;
    const fields = { ...resultFields(result), ...(cancelled && { cancelled }) };
    if (kind === "run") return fields;
    return isolated ? { ...fields, isolated } : { ...fields, isolated, notice: NOT_ISOLATED_NOTICE };
  }

  /** Raises `forbidden`, and `unauthenticated` once the credential is no longer valid. */
  requireMayTry(caller: Caller): void {
    requireSignedIn(caller);
    if (caller.agent !== undefined)
      throw new AppError("forbidden", "run refused; gear not executed: agents cannot dry-run gears");
    if (this.#deps.sandbox.isolated || caller.role === "admin") return;
    throw new AppError(
      "forbidden",
      "run refused; gear not executed: gears are not isolated on this server, so only an admin may dry-run them",
    );
  }

  /** Returns pages newest first, each in ascending order. Non-admins see their own runs, and those in workspaces visible to them. */
  list(caller: Caller, gearId: number, page: PageQuery): GearRun[] {
    const { gearStore, gears, store } = this.#deps;
    if (caller.role !== "admin") gears.existing(gearId);
    else if (!gearStore.withDeleted.get(gearId)) throw notFound("gear", gearId);
    const rows = store.page.all({
      gear_id: gearId,
      before: page.before ?? Number.MAX_SAFE_INTEGER,
      limit: page.limit ?? LIST_DEFAULT,
      ...this.#viewerOf(caller),
    });
    return rows.toReversed().map(toRun);
  }

  get(caller: Caller, id: number): GearRunDetail {
    const row = this.#deps.store.byId.get({ id, ...this.#viewerOf(caller) });
    if (!row) throw notFound("gear run", id);
    return toDetail(row);
  }

  /** Returns the runs of a turn by tool call, without an access check. */
  ofTurn(turnId: number): ReadonlyMap<string, { id: number; gearId: number; version: number }> {
    const rows = this.#deps.store.ofTurn.all(turnId);
    return new Map(
      rows.map(({ call_id, id, gear_id: gearId, version }) => [call_id, { id, gearId, version }]),
    );
  }

  #viewerOf(caller: Caller): Viewer {
    const seesAll = caller.role === "admin";
    const workspaces = seesAll ? [] : this.#deps.access.visibleAfter(caller, 0, WORKSPACES_PER_LIST_MAX);
    return {
      is_admin: seesAll ? 1 : 0,
      user_id: caller.userId,
      workspace_ids: JSON.stringify(workspaces.map((workspace) => workspace.id)),
    };
  }

  async #order(
    caller: Caller,
    input: RunGear,
    { gearId, kind, require }: Pick<Order, "gearId" | "kind" | "require">,
  ): Promise<Order> {
    const { gears, access, argsChecks } = this.#deps;
    const row = gears.existing(gearId);
    require(row);
    const workspaceId = input.workspace_id ?? null;
    if (workspaceId !== null) access.workspace(caller, workspaceId);
    const args = input.args ?? {};
    await argsChecks.requireArgs(caller, row.args_schema, args);
    const files =
      workspaceId === null
        ? [...(input.files ?? [])]
        : [...new Set([...(input.files ?? []), ...filesIn(row.args_schema, args)])];
    if (workspaceId === null && files.length > 0)
      throw fieldError("invalid", "workspace_id", "missing; files belong to a workspace");
    return { caller, gearId, hash: row.hash, kind, args, workspaceId, files, require };
  }

  #requireCallable(row: GearRow, call: GearCall): void {
    if (row.status !== "approved")
      throw new AppError("refused", `run refused; gear not executed: "${row.name}" is ${row.status}`);
    if (row.hash !== call.hash)
      throw new AppError(
        "refused",
        `run refused; gear not executed: "${row.name}" was changed since it was offered to you`,
      );
    this.#requireIsolation(row);
    if (this.#deps.bindings.isBound({ ...call, gearId: row.id })) return;
    throw new AppError("refused", `run refused; gear not executed: you are no longer bound to "${row.name}"`);
  }

  #requireIsolation(row: GearRow): void {
    if (!isIsolationLost(row, this.#deps.sandbox)) return;
    throw new AppError(
      "refused",
      `run refused; gear not executed: "${row.name}" was approved to run isolated, but gears are not isolated on this server now; ` +
        "start the container runtime and restart the service, or ask an admin to approve the gear again",
      { reason: "isolation_lost", gear_id: row.id, approved_isolated: true, isolated: false },
    );
  }

  async #inputs(order: Order): Promise<SandboxFile[]> {
    if (order.files.length > RUN_FILES_MAX)
      throw fieldError("invalid", "files", `at most ${RUN_FILES_MAX} per run`);
    const inputs = new Map<string, SandboxFile>();
    let room = RUN_FILES_BYTES_MAX;
    for (const path of order.files) {
      const file = await this.#deps.readWorkspaceFile(order.workspaceId!, path, room);
      if (inputs.has(file.path)) continue;
      room -= file.content.byteLength;
      inputs.set(file.path, { ...file, executable: false });
    }
    return [...inputs.values()];
  }

  /** Makes the final check, reads the bytes and inserts the run, in one write. */
  #start(order: Order): Promise<{ runId: number; row: GearRow; content: Content }> {
    const { db, store, gears, access, audit, clock, sandbox } = this.#deps;
    const { caller, kind, workspaceId } = order;
    return db.write(() => {
      requireSignedIn(caller);
      const row = gears.existing(order.gearId);
      order.require(row);
      if (row.hash !== order.hash) {
        throw new AppError(
          "conflict",
          "run refused; gear not executed: the gear was changed in the meantime",
        );
      }
      if (workspaceId !== null) access.workspace(caller, workspaceId);
      const content = gears.contentOf(row);
      const hash = contentHash(content);
      requireExact(kind, row, hash);
      const { id } = store.insert.get({
        gear_id: row.id,
        version: row.version,
        content_hash: hash,
        kind,
        workspace_id: workspaceId,
        agent: caller.agent ?? null,
        turn_id: caller.turnId ?? null,
        call_id: order.callId ?? null,
        user_id: caller.userId,
        user_name: caller.name,
        auth: caller.auth,
        isolated: sandbox.isolated ? 1 : 0,
        args: JSON.stringify(order.args),
        files: JSON.stringify(order.files),
        started_at: clock.now(),
      })!;
      const unapproved = (kind === "dry" || kind === "test") && row.status !== "approved";
      if (unapproved && !sandbox.isolated) {
        const detail = { name: row.name, version: row.version, run: id, isolated: false };
        audit.record(caller, {
          action: "gear.dry_run",
          target: `gear:${row.id}`,
          detail,
          content: canonicalContent(content),
        });
      }
      return { runId: id, row, content };
    });
  }

  async #runStarted(
    started: { runId: number; row: GearRow; content: Content; inputs: SandboxFile[] },
    order: Order,
    output: Output,
    signal: AbortSignal,
  ): Promise<Ended> {
    const { runId, row, content, inputs } = started;
    const live = new LiveText(output);
    try {
      const result = await this.#deps.sandbox.run({
        runtime: content.runtime,
        entrypoint: content.entrypoint,
        files: content.files.map((file) => ({
          path: file.path,
          content: file.content,
          executable: content.runtime === "binary" && file.path === content.entrypoint,
        })),
        inputs,
        stdin: JSON.stringify(order.args),
        timeoutMs: row.timeout_seconds * 1000,
        signal,
        output: live.add,
      });
      live.end();
      const cancelled = signal.aborted;
      await this.#finish(runId, cancelled ? "cancelled" : "done", result, null);
      return { runId, result, cancelled };
    } catch (error) {
      await this.#finish(runId, "failed", null, error instanceof AppError ? error.message : "internal error");
      throw error;
    }
  }

  #finish(
    id: number,
    status: GearRunStatus,
    result: SandboxResult | null,
    error: string | null,
  ): Promise<void> {
    const { db, store, clock } = this.#deps;
    return db.write(
      () => void store.finish.run({ id, status, ...saidOf(result), error, finished_at: clock.now() }),
    );
  }
}

function eitherOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other ? AbortSignal.any([one, other]) : one;
}

function requireMayCancel(
  caller: Caller,
  { id, kind, status, user_id: userId, turn_id: turnId }: RunRow,
): void {
  if (caller.userId !== userId && caller.role !== "admin")
    throw new AppError("forbidden", "only the person who started the run, or an admin, may cancel it");
  if (kind === "tool")
    throw new AppError("conflict", `gear run ${id} is a tool call; cancel turn ${turnId}`, {
      turn_id: turnId,
    });
  if (status !== "running") throw new AppError("conflict", `gear run ${id} is ${status}`, { status });
}

function requireApproved(row: GearRow): void {
  if (row.status === "approved") return;
  const why =
    row.status === "pending"
      ? "this version is not approved; ask an admin to review it"
      : "an admin has disabled it";
  throw new AppError("forbidden", `run refused; gear not executed: ${why}`, { status: row.status });
}

/** Approved kinds run the approved content; the others run the version's. Refuses stored bytes that were changed behind the service's back. */
function requireExact(kind: GearRunKind, row: GearRow, hash: string): void {
  const expected = kind === "run" || kind === "tool" ? row.approved_hash : row.hash;
  if (hash === expected) return;
  throw new AppError(
    "refused",
    "run refused; gear not executed: the stored program does not match the recorded hash",
  );
}
