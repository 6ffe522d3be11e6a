// The last transaction of an import: makes the workspace visible, creates the gears and instructions that are not here yet, and binds them.
// Content that is here already under its name is used as it is; the same name with other content gets a free name.

import { AppError } from "../../kit/error.ts";
import { suffixed } from "../../kit/text/names.ts";
import type { Audit } from "../audit/audit.ts";
import type { GearBindings } from "../gears/bindings.ts";
import type { Gears } from "../gears/gears.ts";
import type { Caller } from "../identity/caller.ts";
import { parseWording, type Instructions } from "../library/instructions.ts";
import type { ContextBindings } from "../memory/bindings.ts";
import type { Staging } from "../workspaces/staging.ts";
import { createInput, hashesOf, type GearDraft } from "./gear-drafts.ts";
import type { Imported } from "./schema.ts";
import type { Survey } from "./survey.ts";

const NAMES_TRIED_MAX = 100;
const GEAR_NAME_CHARACTERS_MAX = 49;
const LEFT_OUT_SHOWN_MAX = 200;

interface SettlingDeps {
  readonly staging: Staging;
  readonly gears: Gears;
  readonly gearBindings: GearBindings;
  readonly instructions: Instructions;
  readonly contextBindings: ContextBindings;
  readonly audit: Audit;
}

type AgentId = (number: number | null) => number | null;

export class Settling {
  readonly #deps: SettlingDeps;

  constructor(deps: SettlingDeps) {
    this.#deps = deps;
  }

  /** Runs in the steps of one transaction. Raises what creating and binding raise; then nothing of it stays. */
  *settle(caller: Caller, survey: Survey, id: number, agentId: AgentId): Generator<void, Imported> {
    const { staging, audit } = this.#deps;
    // First, because binding asks for access.
    staging.showIn(caller, id);
    const gears = yield* this.#gears(caller, survey, id, agentId);
    const instructions = yield* this.#instructions(caller, survey, id, agentId);
    const refused = yield* this.#documents(caller, survey, id, agentId);
    const workspace = staging.announceIn(id);
    const { agents, conversation } = survey;
    audit.record(caller, {
      action: "workspace.import",
      target: `workspace:${id}`,
      detail: {
        name: workspace.name,
        agents,
        turns: conversation.turns,
        gears: gears.filter(({ created }) => created).length,
        instructions: instructions.filter(({ created }) => created).length,
      },
    });
    const leftOut = survey.leftOut.map(({ kind, name, reason }) => ({ kind, name, reason }));
    return {
      workspace,
      gears,
      instructions,
      left_out: [...refused, ...leftOut].slice(0, LEFT_OUT_SHOWN_MAX),
    };
  }

  *#gears(
    caller: Caller,
    survey: Survey,
    workspaceId: number,
    agentId: AgentId,
  ): Generator<void, Imported["gears"]> {
    const { gears, gearBindings } = this.#deps;
    const made: Imported["gears"] = [];
    for (const draft of survey.gears) {
      made.push(yield* this.#gear(caller, draft, workspaceId));
      yield;
    }
    for (const { gear, agent } of survey.gearBindings) {
      const { id } = made[gear - 1]!;
      if (!gears.isThere(id) || gearBindings.between(workspaceId, id, agentId(agent))) continue;
      gearBindings.bindIn(caller, workspaceId, id, agentId(agent));
      yield;
    }
    return made;
  }

  *#gear(caller: Caller, draft: GearDraft, workspaceId: number): Generator<void, Imported["gears"][number]> {
    const { gears } = this.#deps;
    const hashOf = hashesOf(draft);
    yield;
    for (let count = 1; count <= NAMES_TRIED_MAX; count += 1) {
      const suffix = count === 1 ? "" : `_${count}`;
      const as = draft.name.slice(0, GEAR_NAME_CHARACTERS_MAX - suffix.length) + suffix;
      const known = gears.byName(as);
      if (known && known.hash !== hashOf(as)) continue;
      const row =
        known ?? gears.createIn(caller, createInput(draft, as), { agent: null, workspaceId, bind: () => {} });
      return { id: row.id, name: draft.name, as, created: known === undefined };
    }
    throw new AppError("conflict", `there are too many gears named like "${draft.name}"`);
  }

  *#instructions(
    caller: Caller,
    survey: Survey,
    workspaceId: number,
    agentId: AgentId,
  ): Generator<void, Imported["instructions"]> {
    const { instructions } = this.#deps;
    const made: Imported["instructions"] = [];
    for (const { name, text } of survey.instructions) {
      made.push(this.#instruction(caller, name, text));
      yield;
    }
    const bound = new Set<string>();
    for (const { instruction, agent } of survey.instructionBindings) {
      const { id } = made[instruction - 1]!;
      // Two of the file may be one here.
      const key = `${id} ${agent}`;
      if (bound.has(key)) continue;
      bound.add(key);
      instructions.bindIn(caller, workspaceId, { instruction_id: id, agent_id: agentId(agent) });
      yield;
    }
    return made;
  }

  #instruction(caller: Caller, name: string, text: string): Imported["instructions"][number] {
    const { instructions } = this.#deps;
    for (let count = 1; count <= NAMES_TRIED_MAX; count += 1) {
      const suffix = count === 1 ? "" : ` (${count})`;
      const as = suffixed(name, suffix);
      const known = instructions.byName(as);
      if (known && known.text !== text) continue;
      const { id } = known ?? instructions.createIn(caller, parseWording(as, text), null);
      return { id, name, as, created: known === undefined };
    }
    throw new AppError("conflict", `there are too many instructions named like "${name}"`);
  }

  /** A document that the person may not bind here, such as the memory of another workspace, is left out. */
  *#documents(
    caller: Caller,
    survey: Survey,
    workspaceId: number,
    agentId: AgentId,
  ): Generator<void, Imported["left_out"]> {
    const leftOut: Imported["left_out"] = [];
    for (const { path, agent } of survey.documents) {
      try {
        this.#deps.contextBindings.bindIn(caller, workspaceId, { path, agent_id: agentId(agent) });
      } catch (error) {
        if (!(error instanceof AppError) || (error.code !== "forbidden" && error.code !== "conflict"))
          throw error;
        leftOut.push({ kind: "document", name: path, reason: error.message });
      }
      yield;
    }
    return leftOut;
  }
}
