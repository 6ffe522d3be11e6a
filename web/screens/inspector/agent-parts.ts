// The current prompt of an agent, refetched when one of its sources changes, and the sums of its parts by kind.

import { createEffect, createMemo, on, onCleanup } from "solid-js";
import type { Prompt, PromptPart } from "../../../src/service/conversation/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery, type Query } from "../../api/query.ts";
import { useHere } from "../../state/here.ts";
import type { WorkspaceState } from "../../state/workspace-state.ts";

const READ_AGAIN_MS = 300;

export interface PromptGroup {
  readonly kind: "role" | "instruction" | "context" | "tools" | "conversation";
  readonly name: string;
  /** `v3` */
  readonly version: string | undefined;
  readonly tokens: number;
  /** Why a document is not in front of the model. */
  readonly text: string | undefined;
  readonly colour: string;
}

const COLOURS: Readonly<Record<PromptGroup["kind"], string>> = {
  role: "var(--accent)",
  instruction: "var(--info)",
  context: "var(--info)",
  tools: "var(--line-strong)",
  conversation: "var(--wait)",
};

export function agentPromptQuery(agentId: () => number): Query<Prompt> {
  const here = useHere();
  const query = createQuery(() => {
    const id = agentId();
    return { key: ["agent-prompt", id], read: () => take(api.agents({ id }).prompt.get()) };
  });
  const agent = createMemo(() => here.state().agents.find(({ id }) => id === agentId()));
  const role = createMemo(() => agent()?.role);
  // Streamed text changes the state many times a second, but none of these.
  const changesOf = (part: keyof WorkspaceState) => createMemo(() => here.state()[part]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  createEffect(
    on(
      [
        role,
        changesOf("instructionBindings"),
        changesOf("gearBindings"),
        changesOf("grants"),
        changesOf("wires"),
        changesOf("entries"),
        changesOf("agentNames"),
        () => here.state().instructionBindings,
        () => here.state().contextBindings,
        () => here.state().memoryWrites,
        () => here.state().gearBindings,
        () => here.state().grants,
        () => here.state().wires,
        () => here.state().entries,
        () => here.state().agentNames,
      ],
      () => {
        clearTimeout(timer);
        timer = setTimeout(() => void query.refresh(), READ_AGAIN_MS);
      },
      { defer: true },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return query;
}

/** The source of the remark about documents that a prompt has no room for. */
const OMITTED = "context:omitted";

/** In the order of the prompt: role, each instruction and document, tools, conversation. */
export function groupsOf(parts: readonly PromptPart[]): readonly PromptGroup[] {
  const groups: PromptGroup[] = [];
  let tools = 0;
  let conversation = 0;
  let hasTools = false;
  for (const part of parts) {
    if (part.kind === "tools") {
      tools += part.tokens;
      hasTools = true;
    } else if (part.kind === "entry" || part.kind === "notice") conversation += part.tokens;
    else groups.push(single(part.kind, part));
  }
  if (hasTools) groups.push(group("tools", "Tools", tools));
  groups.push(group("conversation", "Conversation", conversation));
  return groups;
}

function single(kind: "role" | "instruction" | "context", part: PromptPart): PromptGroup {
  if (kind === "role") return group(kind, "Role", part.tokens);
  const [, name, version] = /^[^:]*:(.*?)(?:@(v\d+|edited))?$/s.exec(part.source) ?? [];
  const unread = kind === "context" && version === undefined ? part.text : undefined;
  const shown = part.source === OMITTED ? "documents left out" : (name ?? part.source);
  return { ...group(kind, shown, part.tokens, version), text: unread };
}

function group(kind: PromptGroup["kind"], name: string, tokens: number, version?: string): PromptGroup {
  return { kind, name, version, tokens, text: undefined, colour: COLOURS[kind] };
}
