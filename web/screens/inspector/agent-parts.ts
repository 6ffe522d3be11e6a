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
  /** Why documents are not in front of the model. */
  readonly note: string | undefined;
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
        changesOf("contextBindings"),
        changesOf("memoryWrites"),
        changesOf("gearBindings"),
        changesOf("grants"),
        changesOf("wires"),
        changesOf("entries"),
        changesOf("agentNames"),
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
    else if (part.kind === "role") groups.push(group("role", "Role", part.tokens));
    else groups.push(part.kind === "instruction" ? instruction(part) : context(part));
  }
  if (hasTools) groups.push(group("tools", "Tools", tools));
  groups.push(group("conversation", "Conversation", conversation));
  return groups;
}

function instruction({ source, tokens }: PromptPart): PromptGroup {
  const [, name, version] = /^[^:]*:(.*)@(v\d+)$/s.exec(source) ?? [];
  return group("instruction", name ?? source, tokens, { version });
}

function context({ document, text, tokens }: PromptPart): PromptGroup {
  if (!document) return group("context", "documents left out", tokens, { note: text });
  const { path, version, unread } = document;
  if (unread !== null) return group("context", path, tokens, { note: unread });
  return group("context", path, tokens, { version: version === null ? "edited" : `v${version}` });
}

function group(
  kind: PromptGroup["kind"],
  name: string,
  tokens: number,
  { version, note }: Partial<Pick<PromptGroup, "version" | "note">> = {},
): PromptGroup {
  return { kind, name, version, tokens, note, colour: COLOURS[kind] };
}
