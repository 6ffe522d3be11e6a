// The prompt: one pure function for the preview, the real call and the stored record of it.
//
// Order: role · (instructions · context, when those features are there) · conversation. The conversation is repaired here, on every
// read: whatever a crash, a stop or forgetting left behind, each tool call has its result, no result is without its call, and a
// person or a task speaks first. Both protocols refuse anything else, and a workspace whose history is refused is lost for good.

import type { Message, ModelRequest, ToolCall, ToolSpec } from "../llm/model.ts";
import type { EntryKind, Outcome } from "./schema.ts";

/** An entry as the assembly needs it. */
export interface ThreadEntry {
  readonly id: number;
  readonly kind: EntryKind;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly callId: string | null;
  readonly tool: string | null;
  readonly outcome: Outcome | null;
  readonly forgotten: boolean;
}

/** A part as it is sent. `entryId`: its text is exactly that entry's, so the record of the call only names the entry. */
export type Part =
  | { readonly kind: "role" | "instruction" | "context"; readonly source: string; readonly text: string }
  | { readonly kind: "tools"; readonly source: string; readonly tools: readonly ToolSpec[] }
  | { readonly kind: "entry"; readonly source: string; readonly message: Message; readonly entryId: number | undefined }
  | { readonly kind: "notice"; readonly source: string; readonly message: Message };

export interface AssemblyInput {
  readonly agent: { readonly id: number; readonly role: string };
  readonly tools: readonly ToolSpec[];
  readonly thread: readonly ThreadEntry[];
  /** Said last, to this call only: for example that a limit was reached. */
  readonly notice?: { readonly source: string; readonly text: string };
}

export function assemble(input: AssemblyInput): Part[] {
  const parts: Part[] = [{ kind: "role", source: `agent:${input.agent.id}`, text: input.agent.role }];
  if (input.tools.length > 0) parts.push({ kind: "tools", source: "tools", tools: input.tools });
  parts.push(...conversationParts(input.thread));
  const notice = input.notice ?? (parts.some((part) => part.kind === "entry") ? undefined : NOTHING_LEFT);
  if (notice) parts.push({ kind: "notice", source: notice.source, message: { role: "user", text: notice.text } });
  return parts;
}

const NOTHING_LEFT = { source: "notice:empty", text: "(There is no conversation yet, or all of it was forgotten.)" };
const FORGOTTEN_RESULT = "(This result was forgotten.)";
const MISSING_RESULT = "Interrupted: this call has no recorded result. Whether it took effect is not known; check before repeating it.";

/** What is sent, from parts. Empty system texts are left out: providers refuse them. */
export function toRequest(parts: readonly Part[], mayCall: boolean): ModelRequest {
  const system: string[] = [];
  const messages: Message[] = [];
  let tools: readonly ToolSpec[] = [];
  for (const part of parts) {
    if (part.kind === "tools") tools = part.tools;
    else if (part.kind === "entry" || part.kind === "notice") messages.push(part.message);
    else if (part.text.trim() !== "") system.push(part.text);
  }
  return { system, messages, tools, mayCall };
}

function conversationParts(thread: readonly ThreadEntry[]): Part[] {
  const results = new Map<string, ThreadEntry>();
  for (const entry of thread) if (entry.kind === "tool" && entry.callId !== null) results.set(entry.callId, entry);
  const parts: Part[] = [];
  for (const entry of thread) {
    if (entry.forgotten) continue;
    if (entry.kind === "person" || entry.kind === "task") parts.push(userPart(entry));
    else if (entry.kind === "agent" && parts.length > 0) pushAnswer(parts, entry, results);
  }
  return parts;
}

function userPart(entry: ThreadEntry): Part {
  const text = entry.text.trim() === "" ? "(empty message)" : entry.text;
  return entryPart(entry.id, { role: "user", text }, text === entry.text);
}

/** An agent's words with the results of its calls, in the order in which it asked. An answer with neither is left out. */
function pushAnswer(parts: Part[], entry: ThreadEntry, results: ReadonlyMap<string, ThreadEntry>): void {
  const text = entry.text.trim() === "" ? "" : entry.text;
  if (text === "" && entry.calls.length === 0) return;
  parts.push(entryPart(entry.id, { role: "assistant", text, calls: entry.calls }, text === entry.text));
  for (const call of entry.calls) parts.push(resultPart(entry.id, call, results.get(call.id)));
}

function resultPart(askedBy: number, call: ToolCall, result: ThreadEntry | undefined): Part {
  const base = { role: "tool", callId: call.id, tool: call.name } as const;
  if (!result) return entryPart(askedBy, { ...base, text: MISSING_RESULT, failed: true }, false);
  if (result.forgotten) return entryPart(result.id, { ...base, text: FORGOTTEN_RESULT, failed: false }, false);
  const text = result.text === "" ? "(no output)" : result.text;
  return entryPart(result.id, { ...base, text, failed: result.outcome !== "ok" }, text === result.text);
}

function entryPart(id: number, message: Message, exact: boolean): Part {
  return { kind: "entry", source: `entry:${id}`, message, entryId: exact ? id : undefined };
}
