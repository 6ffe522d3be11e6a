// Rules for instructions: texts that people write for the prompts of agents. Anyone may read all of them and create new ones. Only the author
// and admins change or delete one, because that affects every prompt in which it is bound.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import { canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { nameKey, parseName, type Name } from "../../kit/text/names.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Audit } from "../audit/audit.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Journal } from "../journal/journal.ts";
import type { InstructionEvents } from "./events.ts";
import { requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import {
  BINDINGS_PER_WORKSPACE_MAX,
  INSTRUCTION_CHARACTERS_MAX,
  INSTRUCTIONS_MAX,
  VERSIONS_PAGE_BYTES_MAX,
  type BindInstruction,
  type CreateInstruction,
  type Instruction,
  type InstructionBinding,
  type InstructionSummary,
  type InstructionVersion,
  type UpdateInstruction,
} from "./schema.ts";
import type { BindingRow, InstructionRow, LibraryStore, VersionRow } from "./store.ts";

const PER_PAGE = 500;
/** Texts of up to 100,000 characters. */
const VERSIONS_PER_READ = 10;

export interface InstructionsDeps {
  db: Db;
  store: LibraryStore;
  access: Access;
  blueprint: Blueprint;
  journal: Journal<InstructionEvents>;
  audit: Audit;
  clock: Clock;
}

/** A validated name and text, as stored. */
export interface Wording {
  readonly name: Name;
  readonly text: string;
  readonly hash: string;
}

/** Text that takes about as long to hash and store as a write of ordinary size. */
const CHARACTERS_AS_WRITE = 4 * 1024;

export class Instructions {
  readonly #deps: InstructionsDeps;

  constructor(deps: InstructionsDeps) {
    this.#deps = deps;
  }

  /** Any caller. Yields all instructions by name, without their texts. Each page takes about a millisecond. */
  *pages(): Generator<InstructionSummary[]> {
    for (let after = ""; ;) {
      const rows = this.#deps.store.page.all(after, PER_PAGE);
      yield rows.map(toSummary);
      if (rows.length < PER_PAGE) return;
      after = rows.at(-1)!.name_key;
    }
  }

  /** The first instructions by name, without their texts. */
  first(count: number): InstructionSummary[] {
    return this.#deps.store.page.all("", count).map(toSummary);
  }

  get count(): number {
    return this.#deps.store.count.get()!.count;
  }

  isThere(id: number): boolean {
    return this.#deps.store.byId.get(id) !== null;
  }

  /** Any caller. */
  get(id: number): Instruction {
    return toInstruction(this.existing(id));
  }

  /** Undefined when no instruction has that name. */
  byName(name: string): Instruction | undefined {
    const row = this.#deps.store.byKey.get(nameKey(name));
    return row ? toInstruction(row) : undefined;
  }

  /**
   * Any caller. Returns pages newest first, each in ascending order. `before` is a version. A page is cut at VERSIONS_PAGE_BYTES_MAX of text; the
   * last one contains version 1.
   */
  versions(id: number, page: PageQuery): InstructionVersion[] {
    this.existing(id);
    return [...this.#newest(id, page)].toReversed().map(toVersion);
  }

  /** Yields versions until the page is full. */
  *#newest(id: number, { before = Number.MAX_SAFE_INTEGER, limit = LIST_DEFAULT }: PageQuery) {
    let bytes = 0;
    let next = before;
    for (let left = limit; left > 0; left -= VERSIONS_PER_READ) {
      const wanted = Math.min(left, VERSIONS_PER_READ);
      const rows = this.#deps.store.versions.all(id, next, wanted);
      for (const row of rows) {
        const isFirst = bytes === 0;
        bytes += Buffer.byteLength(row.text);
        if (bytes > VERSIONS_PAGE_BYTES_MAX && !isFirst) return;
        yield row;
      }
      if (rows.length < wanted) return;
      next = rows.at(-1)!.version;
    }
  }

  /** Any caller, who becomes the author. Raises `invalid`, `conflict` (name taken), `refused` (too many). */
  create(caller: Caller, input: CreateInstruction): Promise<Instruction> {
    const wording = parseWording(input.name, input.text);
    return this.#deps.db.write(() => this.createIn(caller, wording, null), { weight: weightOf(input) });
  }

  /** Runs inside a write. `proposedBy` is the agent whose proposal is accepted. */
  createIn(caller: Caller, wording: Wording, proposedBy: string | null): Instruction {
    const { store, audit, clock } = this.#deps;
    requireSignedIn(caller);
    this.#requireFreeName(wording.name);
    if (store.count.get()!.count >= INSTRUCTIONS_MAX)
      throw new AppError("refused", `there are already ${INSTRUCTIONS_MAX} instructions; delete one first`);
    const now = clock.now();
    const { id } = store.insert.get({
      name: wording.name.text,
      name_key: wording.name.key,
      text: wording.text,
      author_id: caller.userId,
      author: caller.name,
      created_at: now,
      updated_at: now,
    })!;
    store.insertVersion.run({
      instruction_id: id,
      version: 1,
      name: wording.name.text,
      text: wording.text,
      hash: wording.hash,
      author: caller.name,
      proposed_by: proposedBy,
      created_at: now,
    });
    audit.record(caller, {
      action: "instruction.create",
      target: `instruction:${id}`,
      detail: { name: wording.name.text, version: 1 },
      content: contentOf(wording),
    });
    return this.get(id);
  }

  /** Author or admin. An identical text makes no new version. Raises `stale` (with the current version), `forbidden`, `invalid`, `conflict`. */
  update(caller: Caller, id: number, input: UpdateInstruction): Promise<Instruction> {
    const change = () => {
      const row = this.existing(id);
      this.requireEditor(caller, row);
      requireVersion(row, input.expected_version);
      return this.updateIn(caller, row, parseWording(input.name ?? row.name, input.text ?? row.text), null);
    };
    return this.#deps.db.write(change, { weight: weightOf(input) });
  }

  /** Runs inside a write, after `requireEditor`. */
  updateIn(caller: Caller, row: InstructionRow, wording: Wording, proposedBy: string | null): Instruction {
    const { store, journal, audit, clock } = this.#deps;
    if (wording.name.text === row.name && wording.text === row.text) return toInstruction(row);
    this.#requireFreeName(wording.name, row.id);
    const version = row.version + 1;
    const now = clock.now();
    store.update.run({
      id: row.id,
      name: wording.name.text,
      name_key: wording.name.key,
      text: wording.text,
      version,
      updated_at: now,
    });
    store.insertVersion.run({
      instruction_id: row.id,
      version,
      name: wording.name.text,
      text: wording.text,
      hash: wording.hash,
      author: caller.name,
      proposed_by: proposedBy,
      created_at: now,
    });
    audit.record(caller, {
      action: "instruction.update",
      target: `instruction:${row.id}`,
      detail: { name: wording.name.text, version },
      content: contentOf(wording),
    });
    for (const workspaceId of this.#boundIn(row.id)) {
      journal.append(workspaceId, null, "instruction.updated", {
        instruction_id: row.id,
        name: wording.name.text,
        version,
        user: caller.name,
      });
    }
    return this.get(row.id);
  }

  /** Author or admin. Removes it from every future prompt; past calls keep what was sent. */
  remove(caller: Caller, id: number): Promise<void> {
    const { db, store, audit } = this.#deps;
    return db.write(() => {
      const row = this.existing(id);
      this.requireEditor(caller, row);
      for (const binding of store.bindingsOfInstruction.all(id)) this.#unbind(caller, binding);
      store.remove.run(id);
      audit.record(caller, {
        action: "instruction.delete",
        target: `instruction:${id}`,
        detail: { name: row.name, version: row.version },
      });
    });
  }

  bindings(caller: Caller, workspaceId: number): InstructionBinding[] {
    this.#deps.access.workspace(caller, workspaceId);
    return this.bindingsOf(workspaceId);
  }

  /** Lists bindings to the whole workspace first, then those to single agents, each by name. */
  bindingsOf(workspaceId: number): InstructionBinding[] {
    return this.#deps.store.bindings.all(workspaceId).map(toBinding);
  }

  /** Raises `not_found` (instruction), `invalid` (agent of another workspace), `conflict` (already bound), `refused` (too many). */
  bind(caller: Caller, workspaceId: number, input: BindInstruction): Promise<InstructionBinding> {
    return this.#deps.db.write(() => this.bindIn(caller, workspaceId, input));
  }

  /** Runs inside a write. */
  bindIn(caller: Caller, workspaceId: number, input: BindInstruction): InstructionBinding {
    const { store, access, blueprint } = this.#deps;
    access.changeable(caller, workspaceId);
    const instruction = this.existing(input.instruction_id);
    const agentId = input.agent_id ?? null;
    const agent = agentId === null ? undefined : blueprint.agentById(agentId);
    if (agentId !== null && agent?.workspace_id !== workspaceId)
      throw fieldError("invalid", "agent_id", `agent ${agentId} is not in this workspace`);
    if (store.bindingBetween.get(workspaceId, instruction.id, agentId)) {
      throw new AppError(
        "conflict",
        `"${instruction.name}" is already bound to ${agent ? `"${agent.name}"` : "this workspace"}`,
      );
    }
    if (store.bindingCount.get(workspaceId)!.count >= BINDINGS_PER_WORKSPACE_MAX) {
      throw new AppError(
        "refused",
        `a workspace has at most ${BINDINGS_PER_WORKSPACE_MAX} bound instructions`,
      );
    }
    return this.#bind(caller, workspaceId, instruction, agentId);
  }

  unbind(caller: Caller, id: number): Promise<void> {
    const { db, store, access } = this.#deps;
    return db.write(() =>
      this.#unbind(caller, access.changeableIn(caller, "instruction binding", id, store.bindingById.get(id))),
    );
  }

  /** Copies bindings for a clone, like `Blueprint.copyOf`. `agents` maps the original's agents to their copies. */
  bindingsCopyOf(fromId: number): (toId: number, agents: ReadonlyMap<number, number>) => Generator<void> {
    const rows = this.#deps.store.bindings.all(fromId);
    return (toId, agents) => this.#copyBindings(rows, toId, agents);
  }

  *#copyBindings(
    rows: readonly BindingRow[],
    toId: number,
    agents: ReadonlyMap<number, number>,
  ): Generator<void> {
    const { store, journal, clock } = this.#deps;
    for (const row of rows) {
      yield;
      const agentId = row.agent_id === null ? null : agents.get(row.agent_id)!;
      // The instruction was deleted after the bindings were read.
      if (!store.byId.get(row.instruction_id)) continue;
      const { id } = store.insertBinding.get({
        workspace_id: toId,
        instruction_id: row.instruction_id,
        agent_id: agentId,
        created_at: clock.now(),
      })!;
      journal.append(toId, null, "instruction.bound", { binding: toBinding(store.bindingById.get(id)!) });
    }
  }

  /** Returns an agent's instructions in the stable order of the prompt. */
  instructionsFor(workspaceId: number, agentId: number): { source: string; text: string }[] {
    return this.#deps.store.textsFor
      .all(workspaceId, agentId)
      .map(({ name, version, text }) => ({ source: `instruction:${name}@v${version}`, text }));
  }

  boundCount(id: number): number {
    return this.#deps.store.boundCount.get(id)!.count;
  }

  existing(id: number): InstructionRow {
    const row = this.#deps.store.byId.get(id);
    if (!row) throw notFound("instruction", id);
    return row;
  }

  existingByKey(key: string): InstructionRow | null {
    return this.#deps.store.byKey.get(key);
  }

  /** Null: no instruction has that name. */
  authorOf(key: string): Pick<InstructionRow, "author_id"> | null {
    return this.#deps.store.authorOf.get(key);
  }

  requireEditor(caller: Caller, row: InstructionRow): void {
    if (!mayEdit(caller, row))
      throw new AppError("forbidden", "only its author or an admin may change an instruction");
  }

  #bind(
    caller: Caller,
    workspaceId: number,
    instruction: InstructionRow,
    agentId: number | null,
  ): InstructionBinding {
    const { store, journal, audit, clock } = this.#deps;
    const { id } = store.insertBinding.get({
      workspace_id: workspaceId,
      instruction_id: instruction.id,
      agent_id: agentId,
      created_at: clock.now(),
    })!;
    const binding = toBinding(store.bindingById.get(id)!);
    audit.record(caller, {
      action: "instruction.bind",
      target: `instruction:${instruction.id}`,
      detail: { workspace: workspaceId, agent_id: agentId, version: instruction.version },
    });
    journal.append(workspaceId, caller.turnId ?? null, "instruction.bound", { binding });
    return binding;
  }

  #unbind(caller: Caller, row: BindingRow): void {
    const { store, journal, audit } = this.#deps;
    store.deleteBinding.run(row.id);
    audit.record(caller, {
      action: "instruction.unbind",
      target: `instruction:${row.instruction_id}`,
      detail: { workspace: row.workspace_id, agent_id: row.agent_id },
    });
    journal.append(row.workspace_id, caller.turnId ?? null, "instruction.unbound", {
      binding_id: row.id,
      instruction_id: row.instruction_id,
      agent_id: row.agent_id,
    });
  }

  #boundIn(instructionId: number): Set<number> {
    return new Set(this.#deps.store.bindingsOfInstruction.all(instructionId).map((row) => row.workspace_id));
  }

  #requireFreeName(name: Name, exceptId?: number): void {
    const other = this.#deps.store.byKey.get(name.key);
    if (other && other.id !== exceptId)
      throw fieldError("conflict", "name", `an instruction named "${other.name}" already exists`);
  }
}

export function mayEdit(caller: Caller, row: Pick<InstructionRow, "author_id">): boolean {
  return caller.role === "admin" || row.author_id === caller.userId;
}

/** Raises `invalid`. */
export function parseWording(name: string, text: string): Wording {
  const parsed = parseName("name", name);
  if (text.trim() === "") throw fieldError("invalid", "text", "must not be empty");
  if (text.length > INSTRUCTION_CHARACTERS_MAX)
    throw fieldError("invalid", "text", `at most ${INSTRUCTION_CHARACTERS_MAX} characters`);
  return { name: parsed, text, hash: sha256Hex(canonicalJson({ name: parsed.text, text })) };
}

/** Returns the text whose hash identifies a wording. */
export function contentOf(wording: Wording): string {
  return canonicalJson({ name: wording.name.text, text: wording.text });
}

function requireVersion(row: InstructionRow, expected: number | undefined): void {
  if (expected === undefined || expected === row.version) return;
  throw new AppError(
    "stale",
    `instruction ${row.id} was changed since you read it: it is at version ${row.version}`,
    { current: row.version },
  );
}

function toSummary(row: Omit<InstructionRow, "text">): InstructionSummary {
  const { id, name, version, author_id, author } = row;
  return {
    id,
    name,
    version,
    author_id,
    author,
    created_at: rfc3339(row.created_at),
    updated_at: rfc3339(row.updated_at),
  };
}

function toInstruction(row: InstructionRow): Instruction {
  return { ...toSummary(row), text: row.text };
}

function toVersion({ hash, created_at, ...rest }: VersionRow): InstructionVersion {
  return { ...rest, content_hash: hash, created_at: rfc3339(created_at) };
}

function toBinding(row: BindingRow): InstructionBinding {
  return { ...row, created_at: rfc3339(row.created_at) };
}

/** The weight of the write that stores this text (see `WriteOptions`), so that several long instructions are not one commit. */
function weightOf({ text = "" }: { readonly text?: string | undefined }): number {
  return 1 + Math.floor(text.length / CHARACTERS_AS_WRITE);
}
