// Lock 3 and the search itself: an agent requests a search, a person decides on the exact query, and it is sent at most once.
//
// The state is in the row, so that a resumed turn finds its request again. Waiting holds no transaction. After every wait, all locks are
// checked again, in order.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, messageOf, notFound } from "../../kit/error.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Log } from "../../kit/log.ts";
import { LIST_DEFAULT, LIST_MAX, type PageQuery } from "../../kit/schema.ts";
import type { Approval, ApprovalDecision } from "../approvals/schema.ts";
import type { Audit } from "../audit/audit.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Journal } from "../journal/journal.ts";
import type { ApprovalEvents } from "../approvals/events.ts";
import { requirePerson, requireAdmin, type Caller } from "../identity/caller.ts";
import { failed, ok, type ToolPorts, type ToolResult, type ToolScope } from "../tools/tool.ts";
import { TurnStopped } from "../turns/turn-context.ts";
import type { Access } from "../workspaces/access.ts";
import { SWITCHED_OFF, type Locks } from "./locks.ts";
import { factsOf, queryProblem } from "./query.ts";
import { toApproval, toRequest } from "./records.ts";
import { resultsText } from "./results.ts";
import {
  DECISION_MINUTES_MAX,
  REQUESTS_OPEN_MAX,
  type DecideRequest,
  type EgressRequest,
  type EgressStatus,
  type RequestState,
} from "./schema.ts";
import { SearchFailure, type SearchClient, type SearchResult } from "./search-client.ts";
import type { EgressStore, RequestRow } from "./store.ts";

type DecidedState = Extract<RequestState, "approved" | "refused" | "expired">;

const DECISION_MS_MAX = DECISION_MINUTES_MAX * 60_000;
const EXPIRY_CHECK_MS = 250;
const ENTRIES_COMPARED_MAX = 200;

interface SearchesDeps {
  db: Db;
  store: EgressStore;
  access: Access;
  conversation: Conversation;
  journal: Journal<ApprovalEvents>;
  audit: Audit;
  background: Background;
  clock: Clock;
  log: Log;
  locks: Locks;
  client: SearchClient;
}

export class Searches {
  readonly #deps: SearchesDeps;
  /** Callbacks of calls waiting for a decision, by request. */
  readonly #waiting = new Map<number, () => void>();
  /** Running searches, by request. */
  readonly #running = new Map<number, AbortController>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(deps: SearchesDeps) {
    this.#deps = deps;
  }

  status(): EgressStatus {
    const reason = this.#deps.locks.switchProblem() ?? null;
    return { on: reason === null, reason };
  }

  /** Resumes, at start, the deadlines of open requests. */
  prepare(): void {
    if (this.#deps.store.openCount.get()!.count > 0) this.#watchDeadlines();
  }

  /** Stops at shutdown. Pending requests stay open in the database. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Executes an agent's call. A closed lock or an invalid query is the call's result, not an error. */
  async search(scope: ToolScope, query: string, ports: ToolPorts): Promise<ToolResult> {
    const closed = this.#deps.locks.problem(scope.agentId);
    if (closed !== undefined) return notDone(closed);
    const problem = queryProblem(query);
    if (problem !== undefined) return failed(problem);
    const id = await this.#ask(scope, query, ports.callId);
    return this.#seeThrough(id, scope, ports);
  }

  /** Continues a call after a restart from its row; requests again only if the row was never written. */
  resume(scope: ToolScope, query: string, ports: ToolPorts): Promise<ToolResult> {
    const row = this.#deps.store.requestOfCall.get(ports.callId);
    return row ? this.#seeThrough(row.id, scope, ports) : this.search(scope, query, ports);
  }

  /** Lists pending requests of the workspaces visible to the caller. */
  pending(caller: Caller): EgressRequest[] {
    const { store, access, clock } = this.#deps;
    const rows = store.pending.all(clock.now(), LIST_MAX);
    return rows.filter((row) => access.sees(caller, row.workspace_id)).map(toRequest);
  }

  /** An ApprovalSource; only admins decide. */
  approvals(caller: Caller, limit: number): Approval[] {
    if (caller.role !== "admin" || caller.agent !== undefined) return [];
    return this.#deps.store.pending.all(this.#deps.clock.now(), limit).map(toApproval);
  }

  /** Admin. Lists all requests, newest first, including those of deleted workspaces. */
  log(caller: Caller, page: PageQuery): EgressRequest[] {
    requireAdmin(caller);
    return this.#deps.store.log
      .all(page.before ?? Number.MAX_SAFE_INTEGER, page.limit ?? LIST_DEFAULT)
      .map(toRequest);
  }

  /**
   * Admin, in person. Raises `not_found`, `conflict` (already decided or expired, or the query differs from the reviewed one), `refused` (lock 1
   * or 2).
   */
  decide(caller: Caller, id: number, input: DecideRequest): Promise<EgressRequest> {
    const { db, store, audit, clock, locks } = this.#deps;
    return db.write(() => {
      requirePerson(caller);
      const row = store.requestById.get(id);
      if (!row) throw notFound("search request", id);
      if (row.state !== "pending")
        throw new AppError("conflict", `this search is already ${stateWord(row.state)}`);
      if (clock.now() >= row.expires_at) throw new AppError("conflict", "this search has already expired");
      if (row.query_hash !== input.query_hash)
        throw fieldError("conflict", "query_hash", "not the hash of this request's query; review it again");
      const closed = input.decision === "approve" ? locks.problem(row.agent_id) : undefined;
      if (closed !== undefined) throw new AppError("refused", closed);
      const state = input.decision === "approve" ? "approved" : "refused";
      const detail = { workspace: row.workspace_id, turn: row.turn_id, agent: row.agent_id };
      audit.record(caller, {
        action: `search.${input.decision}`,
        target: `search:${id}`,
        detail,
        content: row.query,
      });
      this.#close(row, state, caller);
      return toRequest(store.requestById.get(id)!);
    });
  }

  /** Admin, in person. The kill switch: refuses open requests, aborts running searches and stays off until the next start. */
  switchOff(caller: Caller): Promise<EgressStatus> {
    const { db, audit, locks } = this.#deps;
    requirePerson(caller);
    // First, before any wait: the switch must work even if storage fails.
    locks.kill();
    const aborted = this.#running.size;
    for (const running of this.#running.values()) running.abort(new AppError("refused", SWITCHED_OFF));
    return db.write(() => {
      const refused = this.refuseOpenIn(caller, null, "web search was disabled");
      audit.record(caller, { action: "egress.off", target: "egress", detail: { refused, aborted } });
      return this.status();
    });
  }

  /** Refuses, inside a write, the unsent requests of one agent or of all. Returns their number. */
  refuseOpenIn(caller: Caller, agentId: number | null, reason: string): number {
    const { store, audit } = this.#deps;
    const open = store.open.all(agentId, agentId);
    for (const row of open) {
      audit.record(caller, {
        action: "search.refuse",
        target: `search:${row.id}`,
        detail: { workspace: row.workspace_id, reason },
        content: row.query,
      });
      this.#close(row, "refused", caller, { reason });
    }
    return open.length;
  }

  /**
   * Withdraws, inside a write, the unsent requests of turns that can no longer be resumed. Returns their tool calls, which had no effect.
   */
  withdrawIn(workspaceId: number): ReadonlySet<string> {
    const { store, audit } = this.#deps;
    const open = store.openIn.all(workspaceId);
    for (const row of open) {
      audit.record(null, {
        action: "search.withdraw",
        target: `search:${row.id}`,
        detail: { workspace: row.workspace_id },
        content: row.query,
      });
      this.#close(row, "refused", null, {
        reason: "the conversation continued without it",
        decision: "withdrawn",
      });
    }
    return new Set(open.map(({ call_id: id }) => id));
  }

  async #ask(scope: ToolScope, query: string, callId: string): Promise<number> {
    const { db, store, access, conversation, journal, clock, locks } = this.#deps;
    const facts = JSON.stringify(
      factsOf(query, conversation.recentTexts(scope.workspaceId, ENTRIES_COMPARED_MAX)),
    );
    const { workspaceId, turnId, runId, agentId, caller } = scope;
    const id = await db.write(() => {
      const workspace = access.workspace(caller, workspaceId).display_name;
      const closed = locks.problem(agentId);
      if (closed !== undefined) throw new AppError("refused", closed);
      if (store.openCount.get()!.count >= REQUESTS_OPEN_MAX)
        throw new AppError("refused", `${REQUESTS_OPEN_MAX} searches are already pending`);
      const chain = JSON.stringify(store.chain.all(runId).map((agent) => agent.name));
      const now = clock.now();
      const inserted = store.insertRequest.get({
        call_id: callId,
        workspace_id: workspaceId,
        workspace,
        turn_id: turnId,
        run_id: runId,
        agent_id: agentId,
        chain,
        asked_by_id: caller.userId,
        asked_by: caller.name,
        query,
        query_hash: sha256Hex(query),
        facts,
        asked_at: now,
        expires_at: now + DECISION_MS_MAX,
      })!;
      journal.append(workspaceId, turnId, "approval.requested", {
        approval: toApproval(store.requestById.get(inserted.id)!),
      });
      return inserted.id;
    });
    this.#watchDeadlines();
    return id;
  }

  async #seeThrough(id: number, scope: ToolScope, ports: ToolPorts): Promise<ToolResult> {
    const row = await this.#decided(id, ports);
    if (!row) return { outcome: "cancelled", text: "Cancelled by a person before anything was searched." };
    // An approval moves the deadline.
    const wasApproved = row.expires_at > row.asked_at + DECISION_MS_MAX;
    if (row.state === "expired") return notDone(wasApproved ? UNUSED : UNDECIDED);
    if (row.state === "refused") return notDone(rejectionOf(row));
    if (row.state !== "approved" || row.started_at !== null) return UNKNOWN;
    return this.#send(row, scope, ports);
  }

  /**
   * Returns the row once it is no longer pending; undefined when the turn was cancelled meanwhile. Raises the signal's reason when the service
   * stops.
   */
  async #decided(id: number, ports: ToolPorts): Promise<RequestRow | undefined> {
    const { store } = this.#deps;
    if (store.requestById.get(id)!.state === "pending")
      await ports.waiting(() => this.#decision(id, ports.signal));
    const row = store.requestById.get(id)!;
    if (!ports.signal.aborted) return row;
    if (!isCancelled(ports.signal)) throw ports.signal.reason;
    await this.#deps.db.write(() => {
      const now = store.requestById.get(id)!;
      if (now.started_at === null && (now.state === "pending" || now.state === "approved"))
        this.#close(now, "refused", null, { reason: "the turn was cancelled" });
    });
    return undefined;
  }

  /** Resolves when the request is decided or the signal is aborted. Holds no transaction. */
  #decision(id: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(id);
        signal.removeEventListener("abort", done);
        resolve();
      };
      if (signal.aborted || this.#deps.store.requestById.get(id)!.state !== "pending") return resolve();
      this.#waiting.set(id, done);
      signal.addEventListener("abort", done);
    });
  }

  /** Sends an approved search. Checks the locks again in the write that marks it as sent. */
  async #send(row: RequestRow, scope: ToolScope, ports: ToolPorts): Promise<ToolResult> {
    const { db, store, access, clock, locks } = this.#deps;
    const running = new AbortController();
    const closed = await db.write(() => {
      access.workspace(scope.caller, scope.workspaceId);
      const problem = locks.problem(scope.agentId);
      if (problem !== undefined) this.#close(row, "refused", null, { reason: problem });
      else if (clock.now() >= row.expires_at) {
        this.#expireDueIn();
        return UNUSED;
      } else if (store.start.run(clock.now(), row.id) !== 1) return "this search is no longer open";
      else this.#running.set(row.id, running);
      return problem;
    });
    if (closed !== undefined) return notDone(closed);
    try {
      const results = await this.#deps.client.search(
        row.query,
        AbortSignal.any([ports.signal, running.signal]),
      );
      return await this.#finish(row, scope, results);
    } catch (error) {
      return await this.#fail(row, running.signal.aborted ? SWITCHED_OFF : sentenceOf(error, this.#deps.log));
    } finally {
      this.#running.delete(row.id);
    }
  }

  /** Returns the results as tainted text, if the person may still see the workspace. Otherwise raises `not_found`, `forbidden`. */
  async #finish(row: RequestRow, scope: ToolScope, results: readonly SearchResult[]): Promise<ToolResult> {
    const { db, store, access, clock } = this.#deps;
    await db.write(() => {
      access.workspace(scope.caller, scope.workspaceId);
      store.finish.run({
        id: row.id,
        state: "done",
        reason: null,
        results: results.length,
        finished_at: clock.now(),
      });
    });
    return { ...ok(resultsText(row.query, results, row.call_id)), tainted: true };
  }

  async #fail(row: RequestRow, reason: string): Promise<ToolResult> {
    const { db, store, clock } = this.#deps;
    await db.write(
      () =>
        void store.finish.run({
          id: row.id,
          state: "failed",
          reason,
          results: null,
          finished_at: clock.now(),
        }),
    );
    return failed(asSentence(reason));
  }

  /** Records a decision inside a write, notifies viewers, and wakes the waiting call once the write is durable. */
  #close(
    row: RequestRow,
    state: DecidedState,
    by: Caller | null,
    { reason = null, decision = state }: { reason?: string | null; decision?: ApprovalDecision } = {},
  ): void {
    const { db, store, access, journal, clock } = this.#deps;
    const now = clock.now();
    const expires = state === "approved" ? now + DECISION_MS_MAX : row.expires_at;
    store.decide.run({
      id: row.id,
      state,
      decided_at: now,
      decided_by_id: by?.userId ?? null,
      decided_by: by?.name ?? null,
      auth: by?.auth ?? null,
      reason,
      expires_at: expires,
    });
    if (access.exists(row.workspace_id))
      journal.append(row.workspace_id, row.turn_id, "approval.decided", {
        kind: "search",
        id: row.id,
        decision,
        by: by?.name ?? null,
        auth: by?.auth ?? null,
        reason,
        content_hash: row.query_hash,
        subject: row.query,
        version: null,
        agent: (JSON.parse(row.chain) as string[]).at(-1) ?? null,
        requested_at: rfc3339(row.asked_at),
      });
    db.afterCommit(() => this.#waiting.get(row.id)?.());
  }

  /** Polls the clock instead of setting timeouts, so that a machine's sleep counts. Runs only while requests are open. */
  #watchDeadlines(): void {
    if (this.#timer) return;
    const check = () => this.#deps.background.run("search deadlines", () => this.#expireDue());
    this.#timer = setInterval(check, EXPIRY_CHECK_MS);
    this.#timer.unref?.();
  }

  async #expireDue(): Promise<void> {
    const { db, store, clock } = this.#deps;
    if (store.openCount.get()!.count === 0) return this.stop();
    if (store.due.all(clock.now()).length === 0) return;
    await db.write(() => this.#expireDueIn());
  }

  #expireDueIn(): void {
    const { store, audit, clock } = this.#deps;
    for (const row of store.due.all(clock.now())) {
      audit.record(null, {
        action: "search.expire",
        target: `search:${row.id}`,
        detail: { workspace: row.workspace_id },
        content: row.query,
      });
      const reason = row.state === "approved" ? "approved, but not used in time" : "nobody decided in time";
      this.#close(row, "expired", null, { reason });
    }
  }
}

const UNKNOWN: ToolResult = {
  outcome: "unknown",
  text: "Interrupted: the search was sent, and its result is not known. It is not repeated automatically.",
};

const UNUSED = `the approval of this search was not used within ${DECISION_MINUTES_MAX} minutes (lock 3 of 3)`;
const UNDECIDED = `nobody approved this search within ${DECISION_MINUTES_MAX} minutes, which counts as a rejection (lock 3 of 3)`;

function notDone(reason: string): ToolResult {
  return failed(`${asSentence(reason)} Nothing was searched.`);
}

function rejectionOf(row: RequestRow): string {
  if (row.reason !== null) return `this search was rejected (lock 3 of 3): ${row.reason}`;
  return "a person rejected this search (lock 3 of 3); do not ask for it again in other words";
}

function sentenceOf(error: unknown, log: Log): string {
  if (error instanceof SearchFailure || error instanceof AppError) return error.message;
  log.error("search failed", { error: messageOf(error) });
  return "The search failed for an internal reason.";
}

/** The word of the interface for a state. */
function stateWord(state: RequestState): string {
  return state === "refused" ? "rejected" : state;
}

function asSentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return text.endsWith(".") ? text : `${text}.`;
}

function isCancelled(signal: AbortSignal): boolean {
  return signal.reason instanceof TurnStopped && signal.reason.how === "cancelled";
}
