// Writes a workspace as lines of JSON, as it is when the export begins, while its client reads. Never writes a key, a token, an approval or a
// grant.

import { rfc3339, rfc3339OrNull, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError } from "../../kit/error.ts";
import { version } from "../../kit/version.ts";
import type { Audit } from "../audit/audit.ts";
import type { Files } from "../files/files.ts";
import type { GearBindings } from "../gears/bindings.ts";
import { shownFiles } from "../gears/content.ts";
import type { Gears } from "../gears/gears.ts";
import type { Caller } from "../identity/caller.ts";
import type { Instructions } from "../library/instructions.ts";
import type { ContextBindings } from "../memory/bindings.ts";
import type { Access } from "../workspaces/access.ts";
import type { Budget } from "../workspaces/schema.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { boundsOf, conversationOf } from "./export-conversation.ts";
import { filesOf } from "./export-files.ts";
import { FORMAT, FORMAT_VERSION, type AnyRecord } from "./format.ts";
import { ended, linesOf } from "./lines.ts";
import { Ranks } from "./numbering.ts";
import {
  EXPORTED_GEARS_BYTES_MAX,
  EXPORTED_GEARS_MAX,
  EXPORTS_AT_ONCE_MAX,
  IMPORT_BYTES_MAX,
} from "./schema.ts";
import type { AgentNow, TransferStore } from "./store.ts";

const RETRY_SECONDS = 10;
const DELETED = "deleted during the export";

type WorkspaceRow = ReturnType<Access["workspace"]>;

interface Moment {
  /** Also removed agents, which turns name. */
  readonly team: readonly AgentNow[];
  readonly agents: Ranks;
  /** Every model that an agent or a turn names. */
  readonly models: Ranks;
  readonly wires: ReturnType<Blueprint["wiresOf"]>;
  readonly instructions: ReturnType<Instructions["bindingsOf"]>;
  readonly gears: ReturnType<GearBindings["ofWorkspace"]>;
  readonly documents: ReturnType<ContextBindings["of"]>;
  readonly bounds: ReturnType<typeof boundsOf>;
}

export interface ExportDeps {
  readonly db: Db;
  readonly store: TransferStore;
  readonly access: Access;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly blueprint: Blueprint;
  readonly gears: Gears;
  readonly gearBindings: GearBindings;
  readonly instructions: Instructions;
  readonly contextBindings: ContextBindings;
  readonly files: Files;
}

export class Exports {
  readonly #deps: ExportDeps;
  #running = 0;

  constructor(deps: ExportDeps) {
    this.#deps = deps;
  }

  /**
   * Owner or admin. The returned stream asks for that right again before each piece, and fails once it is lost. It counts as running until it is
   * read or returned, so the caller must begin to read it. Raises `forbidden` for anyone else who sees the workspace, `unavailable` (too many
   * exports at once).
   */
  async begin(caller: Caller, id: number, withFiles: boolean): Promise<AsyncGenerator<Uint8Array>> {
    const { db, audit } = this.#deps;
    this.requireMayExport(caller, id);
    if (this.#running >= EXPORTS_AT_ONCE_MAX)
      throw new AppError(
        "unavailable",
        `${EXPORTS_AT_ONCE_MAX} exports are running; try again in ${RETRY_SECONDS} s`,
        { retry_after_seconds: RETRY_SECONDS },
      );
    // Before the write, because several may share a commit.
    this.#running += 1;
    try {
      const row = await db.write(() => {
        const found = this.requireMayExport(caller, id);
        audit.record(caller, {
          action: "workspace.export",
          target: `workspace:${id}`,
          detail: { name: found.name, files: withFiles },
        });
        return found;
      });
      return this.#pieces(caller, row, withFiles);
    } catch (error) {
      this.#running -= 1;
      throw error;
    }
  }

  async *#pieces(caller: Caller, row: WorkspaceRow, withFiles: boolean): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const piece of ended(this.#lines(row, withFiles))) {
        this.requireMayExport(caller, row.id);
        bytes += piece.length;
        // A cut file is refused by its hash; a longer one no server would take.
        if (bytes > IMPORT_BYTES_MAX)
          throw new AppError("too_large", `an export has at most ${IMPORT_BYTES_MAX} bytes`);
        yield piece;
      }
    } finally {
      this.#running -= 1;
    }
  }

  /** Owner or admin. Raises `not_found`, and `forbidden` for anyone else who sees the workspace. */
  requireMayExport(caller: Caller, id: number): WorkspaceRow {
    const { access } = this.#deps;
    return access.requireOwner(caller, access.workspace(caller, id), "export a workspace");
  }

  async *#lines(row: WorkspaceRow, withFiles: boolean): AsyncGenerator<string> {
    const stretch = new Stretch();
    for await (const record of this.#records(row, withFiles)) {
      yield* linesOf(record);
      if (stretch.isOver()) await turnOfOthers();
    }
  }

  async *#records(row: WorkspaceRow, withFiles: boolean): AsyncGenerator<AnyRecord> {
    const { store, files } = this.#deps;
    const moment = this.#moment(row.id);
    const { agents, models } = moment;
    yield this.#header(row);
    for (const [index, id] of models.ids.entries())
      yield {
        type: "model",
        id: index + 1,
        ...(store.model.get(id) ?? { provider: "", name: "", label: "" }),
      };
    yield* this.#blueprint(moment);
    yield* conversationOf(store, row.id, { agents, models }, moment.bounds);
    if (withFiles) yield* filesOf(files, row.id);
    else yield { type: "left_out", kind: "files", name: "all files", reason: "left out on request" };
  }

  #header(row: WorkspaceRow): AnyRecord {
    return {
      type: "workspace",
      format: FORMAT,
      version: FORMAT_VERSION,
      program: version.version,
      exported_at: rfc3339(this.#deps.clock.now()),
      name: row.name,
      display_name: row.display_name === row.name ? null : row.display_name,
      description: row.description,
      budget: budgetOf(row.budget),
      created_at: rfc3339(row.created_at),
    };
  }

  /** Reads at once what refers to each other: the client may take long to read, and the workspace changes meanwhile. */
  #moment(id: number): Moment {
    const { store, blueprint, instructions, gearBindings, contextBindings } = this.#deps;
    const team = store.agents.all(id);
    const named = [...team, ...store.turnModels.all(id)].map(({ model_id }) => model_id);
    return {
      team,
      agents: new Ranks(team.map((agent) => agent.id)),
      models: new Ranks([...new Set(named)].sort((a, b) => a - b)),
      wires: blueprint.wiresOf(id),
      instructions: instructions.bindingsOf(id),
      gears: gearBindings.ofWorkspace(id),
      documents: contextBindings.of(id),
      bounds: boundsOf(store, id),
    };
  }

  *#blueprint(moment: Moment): Generator<AnyRecord> {
    const { store } = this.#deps;
    const { team, agents, models, wires, documents } = moment;
    for (const [index, { id, name, model_id, removed_at }] of team.entries()) {
      const row = store.agent.get(id)!;
      yield {
        type: "agent",
        id: index + 1,
        name,
        role: row.role,
        model: models.of(model_id)!,
        orchestrator: row.orchestrator === 1,
        x: row.x,
        y: row.y,
        budget: budgetOf(row.budget),
        created_at: rfc3339(row.created_at),
        removed_at: rfc3339OrNull(removed_at),
      };
    }
    for (const { from_agent_id, to_agent_id, created_at } of wires)
      yield { type: "wire", from: agents.of(from_agent_id)!, to: agents.of(to_agent_id)!, created_at };
    yield* this.#library(moment);
    yield* this.#gears(moment);
    for (const { path, agent_id } of documents)
      yield { type: "document", path, agent: agents.orNull(agent_id) };
  }

  *#library({ instructions: bindings, agents }: Moment): Generator<AnyRecord> {
    const { instructions } = this.#deps;
    const numbers = new Map<number, number>();
    for (const [id, name] of new Map(bindings.map((binding) => [binding.instruction_id, binding.name]))) {
      if (!instructions.isThere(id)) {
        yield { type: "left_out", kind: "instruction", name, reason: DELETED };
        continue;
      }
      const { name: nameNow, text } = instructions.get(id);
      numbers.set(id, numbers.size + 1);
      yield { type: "instruction", id: numbers.size, name: nameNow, text };
    }
    for (const { instruction_id, agent_id } of bindings) {
      const instruction = numbers.get(instruction_id);
      if (instruction) yield { type: "instruction_binding", instruction, agent: agents.orNull(agent_id) };
    }
  }

  /** The content of bound gears, never an approval. */
  *#gears({ gears: bindings, agents }: Moment): Generator<AnyRecord> {
    const { gears } = this.#deps;
    const numbers = new Map<number, number>();
    let bytes = 0;
    for (const { gear_id: gearId, gear_name: name } of bindings) {
      if (numbers.has(gearId)) continue;
      if (!gears.isThere(gearId)) {
        numbers.set(gearId, 0);
        yield { type: "left_out", kind: "gear", name, reason: DELETED };
        continue;
      }
      const row = gears.existing(gearId);
      bytes += row.bytes;
      if (bytes > EXPORTED_GEARS_BYTES_MAX || numbers.size >= EXPORTED_GEARS_MAX) {
        bytes -= row.bytes;
        numbers.set(gearId, 0);
        yield { type: "left_out", kind: "gear", name, reason: "the gears are too large together" };
        continue;
      }
      const gear = [...numbers.values()].filter((number) => number > 0).length + 1;
      numbers.set(gearId, gear);
      const { description, runtime, entrypoint, args_schema, tests } = row;
      const tags = JSON.parse(row.tags) as string[];
      yield { type: "gear", id: gear, name, description, tags, runtime, entrypoint, args_schema, tests };
      for (const file of shownFiles(gears.contentOf(row).files)) yield { type: "gear_file", gear, ...file };
    }
    for (const { gear_id, agent_id } of bindings) {
      const gear = numbers.get(gear_id);
      if (gear) yield { type: "gear_binding", gear, agent: agents.orNull(agent_id) };
    }
  }
}

function budgetOf(json: string | null): Budget | null {
  return json === null ? null : (JSON.parse(json) as Budget);
}
