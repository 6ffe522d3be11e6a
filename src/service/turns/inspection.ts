// What was sent, exactly: the calls of a turn, the parts of a call, the difference between two, and what would be sent now.

import { AppError } from "../../kit/error.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import type { Part } from "../conversation/assembly.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { describeParts, sumTokens, type SentPrompts } from "../conversation/records.ts";
import type { Prompt, PromptPart } from "../conversation/schema.ts";
import type { Caller } from "../people/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { diffParts } from "./diff.ts";
import type { Engine } from "./engine.ts";
import { toCall } from "./records.ts";
import type { Call, CallDiff, CallSummary } from "./schema.ts";
import type { CallRow, TurnStore } from "./store.ts";
import type { Turns } from "./turns.ts";

export interface InspectionDeps {
  store: TurnStore;
  prompts: SentPrompts;
  conversation: Conversation;
  blueprint: Blueprint;
  engine: Engine;
  turns: Turns;
  access: Access;
}

export class Inspection {
  readonly #deps: InspectionDeps;

  constructor(deps: InspectionDeps) {
    this.#deps = deps;
  }

  /** The prompt of an agent as it stands; for a worker without a task, which only a delegation gives it. */
  async prompt(caller: Caller, agentId: number): Promise<Prompt> {
    const { blueprint, conversation, engine } = this.#deps;
    const { workspace_id: workspaceId } = blueprint.visibleAgent(caller, agentId);
    const agent = blueprint.agentWithRemoved(agentId);
    const thread = agent.orchestrator ? conversation.thread(workspaceId, 0) : [];
    const parts = await describeParts(engine.preview(caller, agent, thread));
    return {
      agent_id: agentId,
      model_id: agent.model_id,
      parts,
      tokens: sumTokens(parts),
      tokens_estimated: true,
    };
  }

  calls(caller: Caller, turnId: number): CallSummary[] {
    const turn = this.#deps.turns.visible(caller, turnId);
    return this.#deps.store.callsOfTurn.all(turn.id).map(toCall);
  }

  async call(caller: Caller, id: number): Promise<Call> {
    const row = this.#visible(caller, id);
    const settings = JSON.parse(row.settings) as { may_call: boolean };
    return { ...toCall(row), may_call: settings.may_call, parts: await describeParts(this.#parts(row)) };
  }

  /** Raises `invalid` for calls of two workspaces. */
  async diff(caller: Caller, fromId: number, toId: number): Promise<CallDiff> {
    const from = this.#visible(caller, fromId);
    const to = this.#visible(caller, toId);
    if (from.workspace_id !== to.workspace_id)
      throw new AppError("invalid", "query parameter to: a call of another workspace");
    const [before, after]: PromptPart[][] = [
      await describeParts(this.#parts(from)),
      await describeParts(this.#parts(to)),
    ];
    return { from: fromId, to: toId, ...diffParts(before!, after!) };
  }

  #parts(row: CallRow): Part[] {
    return this.#deps.prompts.read(row.workspace_id, row.parts);
  }

  #visible(caller: Caller, id: number): CallRow {
    return this.#deps.access.nested(caller, "call", id, this.#deps.store.callById.get(id));
  }
}
