// The conversation of a workspace: its entries, forgetting and restoring them, and the threads of prompts.
// An entry's text never changes. Threads in use are cached and extended with new entries.

import { turnOfOthers, rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { pagesBySize, type SizedRow } from "../../kit/storage/pages.ts";
import { AppError } from "../../kit/error.ts";
import { LIST_DEFAULT } from "../../kit/schema.ts";
import type { Audit } from "../audit/audit.ts";
import type { MessageAttachment } from "../attachments/schema.ts";
import type { Journal } from "../journal/journal.ts";
import type { EntryEvents } from "./events.ts";
import type { TokenUsage, ToolCall } from "../llm/model.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { ThreadEntry } from "./assembly.ts";
import {
  CLEARED_CHARACTERS_MAX,
  MARKS_CLEARED_MAX,
  type ClearedTaint,
  type EntriesQuery,
  type Entry,
  type EntryKind,
  type Outcome,
  type Truncation,
} from "./schema.ts";
import type { ConversationStore, EntryRow } from "./store.ts";

const THREADS_KEPT_MAX = 32;
const THREADS_KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;

export interface NewEntry {
  readonly workspaceId: number;
  readonly turnId: number;
  readonly runId: number;
  readonly agentId: number;
  readonly thread: number;
  readonly kind: EntryKind;
  readonly text: string;
  readonly reasoning?: string;
  readonly calls?: readonly ToolCall[];
  readonly callId?: string;
  readonly tool?: string;
  readonly outcome?: Outcome;
  readonly durationMs?: number | null;
  /** Of the model call that gave this answer. */
  readonly usage?: Pick<TokenUsage, "input" | "output">;
  readonly partial?: boolean;
  readonly truncated?: Truncation | null;
  readonly droppedCalls?: readonly string[];
  /** The entry contains untrusted text, even if its thread has none yet. */
  readonly tainted?: boolean;
  readonly attachments?: readonly MessageAttachment[];
}

interface ConversationDeps {
  db: Db;
  store: ConversationStore;
  access: Access;
  journal: Journal<EntryEvents>;
  audit: Audit;
  clock: Clock;
}

/** Takes a few milliseconds to read; of long ones, fewer are read at once. */
const ENTRIES_PER_READ = 500;

interface Thread {
  entries: ThreadEntry[];
  lastId: number;
  characters: number;
}

export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #threads = new Map<string, Thread>();

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the newest entries in pages, oldest first. Includes the entries of workers, with their thread. Access is checked at once, and again
   * for each page.
   */
  list(caller: Caller, workspaceId: number, page: EntriesQuery): Generator<Entry[]> {
    const { store, access } = this.#deps;
    access.workspace(caller, workspaceId);
    const query = page.branches === "all" ? store.newestOfAll : store.newest;
    const rows = query.all(workspaceId, page.before ?? Number.MAX_SAFE_INTEGER, page.limit ?? LIST_DEFAULT);
    return this.#pages(caller, workspaceId, rows.toReversed());
  }

  *#pages(caller: Caller, workspaceId: number, rows: readonly SizedRow[]): Generator<Entry[]> {
    const { store, access } = this.#deps;
    for (const ids of pagesBySize(rows)) {
      access.workspace(caller, workspaceId);
      yield store.byIds.all(JSON.stringify(ids)).map(toEntry);
    }
  }

  /** Any entry, also of a worker, of another branch, or forgotten. Raises `not_found`. */
  get(caller: Caller, id: number): Entry {
    const { store, access } = this.#deps;
    return toEntry(access.nested(caller, "entry", id, store.byId.get(id)));
  }

  /** Stops replaying an entry to the model, on the record: the agents act without it from then on. Idempotent. */
  forget(caller: Caller, id: number): Promise<void> {
    return this.#deps.db.write(() => {
      const row = this.#visible(caller, id);
      if (row.forgotten_at !== null) return;
      this.#recordReplay(caller, "entry.forget", row);
      this.forgetIn(row);
    });
  }

  restore(caller: Caller, id: number): Promise<Entry> {
    const { db, store, journal } = this.#deps;
    return db.write(() => {
      const row = this.#visible(caller, id);
      if (row.forgotten_at !== null) {
        this.#recordReplay(caller, "entry.restore", row);
        store.setForgotten.run(null, id);
        journal.append(row.workspace_id, row.turn_id, "entry.restored", { entry_id: id });
        db.afterCommit(() => this.#drop(row.workspace_id, row.thread));
      }
      return toEntry(store.byId.get(id)!);
    });
  }

  /** Clears an entry's mark of untrusted text. Only a person may; the audit records a hash of the text they reviewed. Idempotent. */
  clearTaint(caller: Caller, id: number): Promise<Entry> {
    const { db, store, audit } = this.#deps;
    return db.write(() => {
      const row = this.#visible(caller, id);
      requirePerson(caller);
      if (row.tainted === 1) {
        audit.record(caller, {
          action: "entry.clear_taint",
          target: `entry:${id}`,
          detail: { workspace: row.workspace_id, turn: row.turn_id },
          content: reviewed(row),
        });
        this.#clearIn(caller, row);
      }
      return toEntry(store.byId.get(id)!);
    });
  }

  /** Clears the marks of the conversation up to an entry, oldest first. Writes one audit record with a hash of all the texts. */
  clearTaintThrough(caller: Caller, workspaceId: number, through: number): Promise<ClearedTaint> {
    const { db, store, access, audit } = this.#deps;
    return db.write(() => {
      access.changeable(caller, workspaceId);
      requirePerson(caller);
      const rows = this.#taintedThrough(workspaceId, through);
      if (rows.length > 0)
        audit.record(caller, {
          action: "workspace.clear_taint",
          target: `workspace:${workspaceId}`,
          detail: { first: rows[0]!.id, last: rows.at(-1)!.id, entries: rows.length },
          content: rows.map(reviewed).join("\n"),
        });
      for (const row of rows) this.#clearIn(caller, row);
      return { cleared: rows.length, left: store.taintedCount.get(workspaceId, through)!.count };
    });
  }

  /** Makes these turns, inside a write, the ones whose entries are on other branches. They are neither replayed nor shown. */
  setAside(workspaceId: number, turnIds: readonly number[]): void {
    const { db, store } = this.#deps;
    const wanted = new Set(turnIds);
    for (const { turn_id: id } of store.asides.all(workspaceId))
      if (!wanted.delete(id)) store.takeBack.run(id);
    for (const id of wanted) store.putAside.run(id, workspaceId);
    db.afterCommit(() => this.#drop(workspaceId, 0));
  }

  /** Reports whether the next prompt from this thread would replay untrusted text. */
  isTainted(workspaceId: number, thread: number): boolean {
    return this.#deps.store.isTainted.get(workspaceId, thread) !== null;
  }

  /** Forgets an entry inside a write, without an access check. */
  forgetIn(row: EntryRow): void {
    const { db, store, journal, clock } = this.#deps;
    store.setForgotten.run(clock.now(), row.id);
    journal.append(row.workspace_id, row.turn_id, "entry.forgotten", { entry_id: row.id });
    db.afterCommit(() => this.#drop(row.workspace_id, row.thread));
  }

  /** Forgets, inside a write, the partial answers of a turn. */
  forgetPartials(turnId: number): void {
    const { store } = this.#deps;
    for (const { id } of store.partialsOfTurn.all(turnId)) this.forgetIn(store.byId.get(id)!);
  }

  /** Returns the outcomes of a turn by tool call. */
  outcomesOf(turnId: number): ReadonlyMap<string, Outcome> {
    const rows = this.#deps.store.outcomesOfTurn.all(turnId);
    return new Map(rows.map((row) => [row.call_id, row.outcome]));
  }

  /** Returns entries, newest first and including forgotten ones, each truncated to the length that is compared. */
  recentTexts(workspaceId: number, limit: number): { id: number; text: string }[] {
    return this.#deps.store.recentTexts.all(workspaceId, limit);
  }

  /** Appends an entry inside a write. Once a thread contains untrusted text, every later entry is marked too, except those of a person. */
  append(entry: NewEntry): Entry {
    const { store, journal, clock } = this.#deps;
    const { attachments = [] } = entry;
    const holds = entry.tainted === true || attachments.some(({ untrusted }) => untrusted);
    const inherits = entry.kind !== "person" && this.isTainted(entry.workspaceId, entry.thread);
    const row = store.insert.get({
      workspace_id: entry.workspaceId,
      turn_id: entry.turnId,
      run_id: entry.runId,
      agent_id: entry.agentId,
      thread: entry.thread,
      kind: entry.kind,
      text: entry.text,
      reasoning: entry.reasoning || null,
      calls: entry.calls && entry.calls.length > 0 ? JSON.stringify(entry.calls) : null,
      call_id: entry.callId ?? null,
      tool: entry.tool ?? null,
      outcome: entry.outcome ?? null,
      duration_ms: entry.durationMs ?? null,
      input_tokens: entry.usage?.input ?? null,
      output_tokens: entry.usage?.output ?? null,
      partial: entry.partial ? 1 : 0,
      truncated: entry.truncated ?? null,
      dropped_calls:
        entry.droppedCalls && entry.droppedCalls.length > 0 ? JSON.stringify(entry.droppedCalls) : null,
      tainted: holds || inherits ? 1 : 0,
      attachments: attachments.length > 0 ? JSON.stringify(attachments) : null,
      created_at: clock.now(),
    })!;
    const record = toEntry(row);
    journal.append(entry.workspaceId, entry.turnId, "entry", { entry: record });
    return record;
  }

  /** Returns a thread in order, as of the last commit. The caller must not change it. */
  thread(workspaceId: number, thread: number): readonly ThreadEntry[] {
    while (this.#readMore(workspaceId, thread));
    return this.#threads.get(`${workspaceId}/${thread}`)!.entries;
  }

  /** Like `thread`, but yields between pages while loading. */
  async loaded(workspaceId: number, thread: number): Promise<readonly ThreadEntry[]> {
    while (this.#readMore(workspaceId, thread)) await turnOfOthers();
    return this.thread(workspaceId, thread);
  }

  /** Reads a page of new entries. Returns whether there may be more. */
  #readMore(workspaceId: number, thread: number): boolean {
    const key = `${workspaceId}/${thread}`;
    const known = this.#threads.get(key) ?? { entries: [], lastId: 0, characters: 0 };
    const { store } = this.#deps;
    const sizes = store.threadSizesSince.all({
      workspace_id: workspaceId,
      thread,
      after: known.lastId,
      limit: ENTRIES_PER_READ,
    });
    const [ids = []] = pagesBySize(sizes);
    for (const row of ids.length === 0 ? [] : store.byIds.all(JSON.stringify(ids))) {
      known.entries.push(toThreadEntry(row));
      known.lastId = row.id;
      known.characters += row.text.length + (row.reasoning?.length ?? 0);
    }
    this.#threads.delete(key);
    this.#threads.set(key, known);
    this.#trim();
    return ids.length < sizes.length || sizes.length === ENTRIES_PER_READ;
  }

  /** Returns the oldest marked entries, at most what one request clears, but at least one. */
  #taintedThrough(workspaceId: number, through: number): EntryRow[] {
    const { store } = this.#deps;
    const rows: EntryRow[] = [];
    let characters = 0;
    for (const { id } of store.taintedThrough.all(workspaceId, through, MARKS_CLEARED_MAX)) {
      const row = store.byId.get(id)!;
      characters += row.text.length;
      if (rows.length > 0 && characters > CLEARED_CHARACTERS_MAX) break;
      rows.push(row);
    }
    return rows;
  }

  #recordReplay(caller: Caller, action: "entry.forget" | "entry.restore", row: EntryRow): void {
    this.#deps.audit.record(caller, {
      action,
      target: `entry:${row.id}`,
      detail: { workspace: row.workspace_id, turn: row.turn_id },
      content: reviewed(row),
    });
  }

  #clearIn({ name, auth }: Caller, row: EntryRow): void {
    const { db, store, journal } = this.#deps;
    store.clearTaint.run(row.id);
    journal.append(row.workspace_id, row.turn_id, "entry.taint_cleared", {
      entry_id: row.id,
      by: name,
      auth,
    });
    db.afterCommit(() => this.#drop(row.workspace_id, row.thread));
  }

  #trim(): void {
    let characters = 0;
    for (const thread of this.#threads.values()) characters += thread.characters;
    for (const [key, thread] of this.#threads) {
      if (this.#threads.size <= 1) return;
      if (this.#threads.size <= THREADS_KEPT_MAX && characters <= THREADS_KEPT_CHARACTERS_MAX) return;
      characters -= thread.characters;
      this.#threads.delete(key);
    }
  }

  #drop(workspaceId: number, thread: number): void {
    this.#threads.delete(`${workspaceId}/${thread}`);
  }

  #visible(caller: Caller, id: number): EntryRow {
    const row = this.#deps.access.changeableIn(caller, "entry", id, this.#deps.store.byId.get(id));
    if (row.thread === 0) return row;
    throw new AppError(
      "refused",
      "entries of a worker are not replayed after its run; only those of the conversation with the orchestrator can be forgotten",
    );
  }
}

/** The content that a person vouches for: the text, and the attachments by their hashes. */
function reviewed(row: EntryRow): string {
  return [row.text, ...attachmentsOf(row).map(({ hash }) => hash)].join("\n");
}

/** Requires a person: an agent acting for one does not count. */
function requirePerson(caller: Caller): void {
  if (caller.agent === undefined) return;
  throw new AppError("forbidden", "only a person may clear the mark of text from the web");
}

function toEntry(row: EntryRow): Entry {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    turn_id: row.turn_id,
    run_id: row.run_id,
    agent_id: row.agent_id,
    thread: row.thread,
    kind: row.kind,
    text: row.text,
    reasoning: row.reasoning,
    calls: row.calls === null ? [] : (JSON.parse(row.calls) as ToolCall[]),
    call_id: row.call_id,
    tool: row.tool,
    outcome: row.outcome,
    duration_ms: row.duration_ms,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    partial: row.partial === 1,
    truncated: row.truncated,
    dropped_calls: row.dropped_calls === null ? [] : (JSON.parse(row.dropped_calls) as string[]),
    tainted: row.tainted === 1,
    attachments: attachmentsOf(row),
    forgotten: row.forgotten_at !== null,
    aside: row.aside === 1,
    created_at: rfc3339(row.created_at),
  };
}

export function toThreadEntry(row: EntryRow): ThreadEntry {
  return {
    id: row.id,
    kind: row.kind,
    text: row.text,
    reasoning: row.reasoning,
    calls: row.calls === null ? [] : (JSON.parse(row.calls) as ToolCall[]),
    callId: row.call_id,
    tool: row.tool,
    outcome: row.outcome,
    truncated: row.truncated,
    tainted: row.tainted === 1,
    attachments: attachmentsOf(row),
    forgotten: row.forgotten_at !== null,
  };
}

/** Of an entry or of a turn. */
export function attachmentsOf({ attachments }: Pick<EntryRow, "attachments">): MessageAttachment[] {
  return attachments === null ? [] : (JSON.parse(attachments) as MessageAttachment[]);
}
