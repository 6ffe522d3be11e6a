// Shows exactly what was sent: the calls of a turn, the parts of a call, the difference between two calls, and the next prompt of an agent.

import type { Receipt } from "../../context/library.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { badParameter, notFound } from "../../kit/error.ts";
import type { Blueprint } from "../blueprint/blueprint.ts";
import { rfc3339, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { inPages, type Listing } from "../../kit/http/list-answer.ts";
import type { Part } from "../conversation/assembly.ts";
import type { Conversation } from "../conversation/conversation.ts";
import {
  charactersOf,
  describeParts,
  PARTS_PER_PAGE,
  shown,
  type SentPrompts,
  type ShownPart,
} from "../conversation/sent-prompts.ts";
import { parseReferences, withoutCommonStart, type Reference } from "../conversation/references.ts";
import type { PromptPart } from "../conversation/schema.ts";
import type { TokenCounts } from "../conversation/tokens.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { diffParts } from "./diff.ts";
import type { Engine } from "./engine.ts";
import { callPages, toCall } from "./records.ts";
import type { CallSettings } from "./recorder.ts";
import type { CallDiff, CallSummary } from "./schema.ts";
import type { CallRow, TurnStore } from "./store.ts";
import type { Turns } from "./turns.ts";

interface InspectionDeps {
  store: TurnStore;
  prompts: SentPrompts;
  counts: TokenCounts;
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

  /** The current prompt of an agent (a `Prompt`). A worker's has no task, which only a delegation adds. */
  async prompt(caller: Caller, agentId: number): Promise<Listing<PromptPart>> {
    const { blueprint, conversation, engine } = this.#deps;
    const { workspace_id: workspaceId } = blueprint.visibleAgent(caller, agentId);
    const agent = blueprint.agentWithRemoved(agentId);
    const thread = agent.orchestrator ? await conversation.loaded(workspaceId, 0) : [];
    const parts = await engine.preview(caller, agent, thread);
    let tokens = 0;
    return {
      before: { agent_id: agentId, model_id: agent.model_id, tokens_estimated: true },
      field: "parts",
      pages: this.#described(
        caller,
        inPages(parts, PARTS_PER_PAGE, charactersOf),
        (count) => (tokens += count),
      ),
      after: () => ({ tokens }),
    };
  }

  /** In pages, in the order of their start. Access is checked at once, and again for each page. */
  calls(caller: Caller, turnId: number): Generator<CallSummary[]> {
    const turn = this.#deps.turns.visible(caller, turnId);
    return callPages(this.#deps.store, turn.id, () => void this.#deps.turns.visible(caller, turnId));
  }

  /** Returns a `Call`. */
  call(caller: Caller, id: number): Listing<PromptPart> {
    const row = this.#visible(caller, id);
    const settings = JSON.parse(row.settings) as CallSettings;
    return {
      before: { ...toCall(row), may_call: settings.may_call },
      field: "parts",
      pages: this.#described(caller, this.#deps.prompts.read(row.workspace_id, parseReferences(row.parts))),
    };
  }

  /**
   * The documents the model received, in the form that `cairn context verify-receipt` proves. Raises `not_found` for a call without
   * any.
   */
  async receipt(caller: Caller, id: number): Promise<Receipt> {
    const row = this.#visible(caller, id);
    const { context } = JSON.parse(row.settings) as CallSettings;
    const own = parseReferences(row.parts).filter(({ kind }) => kind === "part");
    const sent: ContextPart[] = [];
    for (const page of this.#deps.prompts.read(row.workspace_id, own)) {
      for (const part of page) if (part.kind === "context") sent.push(part);
      await turnOfOthers();
    }
    if (!context || sent.length === 0) throw notFound("receipt of call", id);
    return receiptOf(
      context,
      sent,
      await this.#deps.counts.of(
        `user:${caller.userId}`,
        sent.map(({ text }) => text),
        [],
      ),
      row,
    );
  }

  /** Returns a `CallDiff`. Raises `invalid` for calls of two workspaces. */
  async diff(caller: Caller, fromId: number, toId: number): Promise<Listing<CallDiff["changes"][number]>> {
    const from = this.#visible(caller, fromId);
    const to = this.#visible(caller, toId);
    if (from.workspace_id !== to.workspace_id) throw badParameter("to", "a call of another workspace");
    // Equal references have equal content, so the common part of a long conversation is not read.
    const { same, rest } = withoutCommonStart(parseReferences(from.parts), parseReferences(to.parts));
    const [before, after] = [
      await this.#shown(from.workspace_id, rest[0]),
      await this.#shown(to.workspace_id, rest[1]),
    ];
    const found = await diffParts(before, after);
    return {
      before: { from: fromId, to: toId, same: same + found.same },
      field: "changes",
      pages: inPages(
        found.changes,
        PARTS_PER_PAGE,
        (change) => (change.before?.length ?? 0) + (change.after?.length ?? 0),
      ),
    };
  }

  async #shown(workspaceId: number, references: readonly Reference[]): Promise<ShownPart[]> {
    const parts: ShownPart[] = [];
    const stretch = new Stretch();
    for (const page of this.#deps.prompts.read(workspaceId, references)) {
      for (const part of page) parts.push(shown(part));
      if (stretch.isOver()) await turnOfOthers();
    }
    return parts;
  }

  /** Yields pages with token estimates, and passes each page's total to `tell`. */
  async *#described(
    caller: Caller,
    pages: Iterable<readonly Part[]>,
    tell: (tokens: number) => void = () => {},
  ): AsyncGenerator<PromptPart[]> {
    for (const page of pages) {
      const parts = await describeParts(`user:${caller.userId}`, page, this.#deps.counts);
      tell(parts.reduce((sum, part) => sum + part.tokens, 0));
      yield parts;
    }
  }

  #visible(caller: Caller, id: number): CallRow {
    return this.#deps.access.nested(caller, "call", id, this.#deps.store.callById.get(id));
  }
}

type ContextPart = Extract<Part, { kind: "context" }>;

/** `tokens`: estimates, one for each part. */
function receiptOf(
  { space, head }: NonNullable<CallSettings["context"]>,
  sent: readonly ContextPart[],
  tokens: readonly number[],
  { started_at: startedAt }: CallRow,
): Receipt {
  const documents = sent.flatMap(({ document }, index) =>
    document ? [{ ...document, tokens: tokens[index]!, as: "text" as const }] : [],
  );
  const omitted = sent.flatMap(({ source, text, document, unread }) =>
    document ? [] : [{ path: unread?.path ?? source.replace(/^context:/, ""), reason: text }],
  );
  return {
    receipt: 1,
    space,
    head,
    created_at: rfc3339(startedAt),
    mode: "call",
    format: "prompt",
    budget: null,
    tokens: tokens.reduce((sum, count) => sum + count, 0),
    text_hash: sha256Hex(sent.map(({ text }) => text).join("\n\n")),
    documents,
    omitted,
    rest: 0,
  };
}
