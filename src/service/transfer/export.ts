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
import { conversationOf } from "./export-conversation.ts";
import { filesOf } from "./export-files.ts";
import { FORMAT, FORMAT_VERSION, type AnyRecord } from "./format.ts";
import { ended, linesOf } from "./lines.ts";
import { Ranks } from "./ranks.ts";
import {
  EXPORTED_GEARS_BYTES_MAX,
  EXPORTED_GEARS_MAX,
  EXPORTS_AT_ONCE_MAX,
  IMPORT_BYTES_MAX,
} from "./schema.ts";
import type { TransferStore } from "./store.ts";

const RETRY_SECONDS = 10;

type WorkspaceRow = ReturnType<Access["workspace"]>;

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
   * Owner or admin. The returned stream asks for that right again before each piece, and fails once it is lost. Raises `forbidden` for anyone
   * else who sees the workspace, `unavailable` (too many exports at once).
   */
  async begin(caller: Caller, id: number, withFiles: boolean): Promise<AsyncGenerator<Uint8Array>> {
    const { db, audit } = this.#deps;
    const row = await db.write(() => {
      const found = this.requireMayExport(caller, id);
      audit.record(caller, {
        action: "workspace.export",
        target: `workspace:${id}`,
        detail: { name: found.name, files: withFiles },
      });
      return found;
    });
    if (this.#running >= EXPORTS_AT_ONCE_MAX)
      throw new AppError(
        "unavailable",
        `${EXPORTS_AT_ONCE_MAX} exports are running; try again in ${RETRY_SECONDS} s`,
        {
          retry_after_seconds: RETRY_SECONDS,
        },
      );
    return this.#pieces(caller, row, withFiles);
  }

  async *#pieces(caller: Caller, row: WorkspaceRow, withFiles: boolean): AsyncGenerator<Uint8Array> {
    this.#running += 1;
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
    yield this.#header(row);
    const agents = new Ranks(store.agentIds.all(row.id).map(({ id }) => id));
    const models = modelsOf(store, row.id, agents);
    for (const [index, id] of models.ids.entries())
      yield {
        type: "model",
        id: index + 1,
        ...(store.model.get(id) ?? { provider: "", name: "", label: "" }),
      };
    yield* this.#blueprint(row.id, agents, models);
    yield* conversationOf(store, row.id, { agents, models });
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

  *#blueprint(id: number, agents: Ranks, models: Ranks): Generator<AnyRecord> {
    const { store, blueprint, contextBindings } = this.#deps;
    for (const [index, agentId] of agents.ids.entries()) {
      const row = store.agent.get(agentId)!;
      yield {
        type: "agent",
        id: index + 1,
        name: row.name,
        role: row.role,
        model: models.of(row.model_id)!,
        orchestrator: row.orchestrator === 1,
        x: row.x,
        y: row.y,
        budget: budgetOf(row.budget),
        created_at: rfc3339(row.created_at),
        removed_at: rfc3339OrNull(row.removed_at),
      };
    }
    for (const wire of blueprint.wiresOf(id)) {
      const [from, to] = [agents.of(wire.from_agent_id), agents.of(wire.to_agent_id)];
      // An agent that was created since the export began.
      if (from && to) yield { type: "wire", from, to, created_at: wire.created_at };
    }
    yield* this.#library(id, agents);
    yield* this.#gears(id, agents);
    for (const { path, agent_id } of contextBindings.of(id))
      yield { type: "document", path, agent: agents.orNull(agent_id) };
  }

  *#library(id: number, agents: Ranks): Generator<AnyRecord> {
    const { instructions } = this.#deps;
    const bindings = instructions.bindingsOf(id);
    const known = [...new Set(bindings.map(({ instruction_id }) => instruction_id))];
    for (const [index, instructionId] of known.entries()) {
      const { name, text } = instructions.get(instructionId);
      yield { type: "instruction", id: index + 1, name, text };
    }
    for (const { instruction_id, agent_id } of bindings)
      yield {
        type: "instruction_binding",
        instruction: known.indexOf(instruction_id) + 1,
        agent: agents.orNull(agent_id),
      };
  }

  /** The content of bound gears, never an approval. */
  *#gears(id: number, agents: Ranks): Generator<AnyRecord> {
    const { gears, gearBindings } = this.#deps;
    const bindings = gearBindings.ofWorkspace(id);
    const numbers = new Map<number, number>();
    let bytes = 0;
    for (const { gear_id: gearId, gear_name: name } of bindings) {
      if (numbers.has(gearId) || !gears.isThere(gearId)) continue;
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

/** Every model that an agent, also a removed one, or a turn names. */
function modelsOf(store: TransferStore, id: number, agents: Ranks): Ranks {
  const named = new Set(agents.ids.map((agentId) => store.agent.get(agentId)!.model_id));
  for (const { model_id: modelId } of store.turnModels.all(id)) named.add(modelId);
  return new Ranks([...named].sort((a, b) => a - b));
}

function budgetOf(json: string | null): Budget | null {
  return json === null ? null : (JSON.parse(json) as Budget);
}
