// Assembles the prompt: one pure function for the preview, the model call and its stored record.
//
// Order: role · instructions · context · conversation. The conversation is repaired on every read: whatever a crash,
// a stop or forgetting left behind, each tool call has a result, each result has a call, and a person or a task speaks first. Both protocols
// refuse anything else, and a workspace with a refused history would be unusable.

import { formsOf } from "../attachments/forms.ts";
import type { MessageAttachment, SentAttachment } from "../attachments/schema.ts";
import type { Reader } from "../catalog/models.ts";
import {
  toolNameAsSent,
  type Message,
  type ModelRequest,
  type ToolCall,
  type ToolSpec,
} from "../llm/model.ts";
import type { PlacedThought } from "../llm/thoughts.ts";
import type { EntryKind, Outcome, Truncation } from "./schema.ts";

/** The part of an entry that the assembly needs. */
export interface ThreadEntry {
  readonly id: number;
  readonly kind: EntryKind;
  readonly text: string;
  readonly reasoning?: string | null;
  readonly calls: readonly ToolCall[];
  readonly callId: string | null;
  readonly tool: string | null;
  readonly outcome: Outcome | null;
  readonly truncated: Truncation | null;
  readonly tainted: boolean;
  readonly attachments?: readonly MessageAttachment[];
  readonly forgotten: boolean;
}

/** A part as sent. If `entryId` is set, its text is exactly that entry's, and the record of the call names only the entry. */
export type Part =
  | { readonly kind: "role" | "instruction"; readonly source: string; readonly text: string }
  | ContextDocument
  | { readonly kind: "tools"; readonly source: string; readonly tools: readonly ToolSpec[] }
  | {
      readonly kind: "entry";
      readonly source: string;
      readonly message: Message;
      readonly entryId: number | undefined;
      /** Of an answer. Not a part of the prompt that people see, and not stored with it. */
      readonly replayed?: Replayed;
      /** The state at the time of the recorded call. */
      readonly tainted?: true;
    }
  | { readonly kind: "notice"; readonly source: string; readonly message: Message };

/** The rest of an answer, which some providers want back beside its text and calls. */
type Replayed = Pick<Extract<Message, { role: "assistant" }>, "reasoning" | "thoughts">;

/** Text of the context space: a document, a note about one that could not be read, or a note about those that did not fit. */
interface ContextDocument {
  readonly kind: "context";
  readonly source: string;
  readonly text: string;
  /** Exactly what the model receives. */
  readonly document?: SentDocument;
  readonly unread?: { readonly path: string; readonly reason: string };
}

/** The facts that a receipt proves of one document. */
interface SentDocument {
  readonly path: string;
  /** Null: an edit of the file that is not recorded. */
  readonly version: number | null;
  /** SHA-256 of its bytes, hex. */
  readonly hash: string;
  readonly bytes: number;
}

export interface AssemblyInput {
  readonly agent: { readonly id: number; readonly role: string };
  /** Instructions bound to the agent or the workspace, with their versions. */
  readonly instructions?: readonly { readonly source: string; readonly text: string }[];
  /** Documents that are bound to the workspace or the agent, and those of its memory. */
  readonly context?: readonly ContextDocument[];
  readonly tools: readonly ToolSpec[];
  readonly thread: readonly ThreadEntry[];
  /** The model that reads the attachments. */
  readonly reader: Reader;
  /** Those of the running turn, by entry. */
  readonly thoughts?: ReadonlyMap<number, readonly PlacedThought[]>;
  /** A last message for this call only, for example that a limit was reached. */
  readonly notice?: { readonly source: string; readonly text: string };
  /** For the preview: the next message is still missing, so nothing is added to complete the prompt. */
  readonly draft?: boolean;
}

export function assemble(input: AssemblyInput): Part[] {
  const parts: Part[] = [{ kind: "role", source: `agent:${input.agent.id}`, text: input.agent.role }];
  for (const { source, text } of input.instructions ?? []) parts.push({ kind: "instruction", source, text });
  parts.push(...(input.context ?? []));
  const conversation = conversationParts(input);
  const tools = input.tools.length > 0 ? input.tools : toolsOfThePast(conversation);
  if (tools.length > 0) parts.push({ kind: "tools", source: "tools", tools });
  parts.push(...conversation);
  const notice = input.notice ?? (input.draft ? undefined : closing(conversation));
  if (notice)
    parts.push({ kind: "notice", source: notice.source, message: { role: "user", text: notice.text } });
  return parts;
}

const NOTHING_LEFT = {
  source: "notice:empty",
  text: "(There is no conversation yet, or all of it was forgotten.)",
};
const GO_ON = { source: "notice:continue", text: "(Continue from here.)" };
const FORGOTTEN_RESULT = "(This result was forgotten.)";
const MISSING_RESULT =
  "Interrupted: this call has no recorded result. It is not known whether it took effect; check before repeating it.";

/** Builds the request from its parts. Omits empty system texts, which providers refuse. */
export function toRequest(parts: readonly Part[], { mayCall }: Pick<ModelRequest, "mayCall">): ModelRequest {
  const system: string[] = [];
  const messages: Message[] = [];
  let tools: readonly ToolSpec[] = [];
  for (const part of parts) {
    if (part.kind === "tools") tools = part.tools;
    else if (part.kind === "entry") messages.push(messageOf(part));
    else if (part.kind === "notice") messages.push(part.message);
    else if (part.text.trim() !== "") system.push(part.text);
  }
  return { system, messages, tools, mayCall };
}

function messageOf({ message, replayed }: Extract<Part, { kind: "entry" }>): Message {
  return message.role === "assistant" ? { ...message, ...replayed } : message;
}

/** A request must end with a message to answer, which a stop or forgetting may have removed. */
function closing(conversation: readonly Part[]): AssemblyInput["notice"] {
  const last = conversation.at(-1);
  if (last?.kind !== "entry") return NOTHING_LEFT;
  return last.message.role === "assistant" ? GO_ON : undefined;
}

/** Providers accept past calls only if tools are declared, even for an agent that has since lost all of them. */
function toolsOfThePast(conversation: readonly Part[]): ToolSpec[] {
  const names = new Set<string>();
  for (const part of conversation) {
    if (part.kind === "entry" && part.message.role === "assistant")
      for (const call of part.message.calls) names.add(call.name);
  }
  return [...names].sort().map((name) => ({
    name,
    description: "No longer available.",
    parameters: { type: "object", properties: {} },
  }));
}

function conversationParts({ thread, reader, thoughts }: AssemblyInput): Part[] {
  const sent = sentAttachments(thread, reader);
  const results = new Map<string, ThreadEntry>();
  for (const entry of thread)
    if (entry.kind === "tool" && entry.callId !== null) results.set(entry.callId, entry);
  const parts: Part[] = [];
  for (const entry of thread) {
    if (entry.forgotten) continue;
    if (entry.kind === "person" || entry.kind === "task") parts.push(userPart(entry, sent.get(entry.id)));
    else if (entry.kind === "agent" && parts.length > 0)
      pushAnswer(parts, entry, results, thoughts?.get(entry.id));
  }
  return parts;
}

function sentAttachments(
  thread: readonly ThreadEntry[],
  reader: Reader,
): ReadonlyMap<number, readonly SentAttachment[]> {
  const having = thread.filter(({ forgotten, attachments }) => !forgotten && (attachments?.length ?? 0) > 0);
  const forms = formsOf(
    having.map(({ attachments }) => attachments!),
    reader,
  );
  return new Map(having.map(({ id }, index) => [id, forms[index]!]));
}

/** With attachments, the part is kept as sent: their forms depend on the model and on the rest of the conversation. */
function userPart(entry: ThreadEntry, attachments: readonly SentAttachment[] | undefined): Part {
  if (attachments)
    return entryPart(
      entry,
      { role: "user", text: entry.text.trim() === "" ? "" : entry.text, attachments },
      CHANGED,
    );
  const text = entry.text.trim() === "" ? "(empty message)" : entry.text;
  return entryPart(entry, { role: "user", text }, { isExact: text === entry.text });
}

/** Adds an agent's text and the results of its calls, in the order of the calls. Omits an answer with neither. */
function pushAnswer(
  parts: Part[],
  entry: ThreadEntry,
  results: ReadonlyMap<string, ThreadEntry>,
  thoughts: readonly PlacedThought[] | undefined,
): void {
  const text = entry.text.trim() === "" ? "" : entry.text;
  if (text === "" && entry.calls.length === 0) return;
  const calls = entry.calls.map((call) => ({ ...call, name: toolNameAsSent(call.name) }));
  const isExact = text === entry.text && calls.every((call, index) => call.name === entry.calls[index]!.name);
  const part = entryPart(entry, { role: "assistant", text, calls }, { isExact });
  const { reasoning } = entry;
  const replayed = { ...(reasoning ? { reasoning } : {}), ...(thoughts ? { thoughts } : {}) };
  parts.push(reasoning || thoughts ? { ...part, replayed } : part);
  for (const call of calls) parts.push(resultPart(entry, call, results.get(call.id)));
}

function resultPart(askedBy: ThreadEntry, call: ToolCall, result: ThreadEntry | undefined): Part {
  const base = { role: "tool", callId: call.id, tool: call.name } as const;
  if (!result) return entryPart(askedBy, { ...base, text: MISSING_RESULT, failed: true }, CHANGED);
  if (result.forgotten)
    return entryPart(
      { id: result.id, tainted: false },
      { ...base, text: FORGOTTEN_RESULT, failed: false },
      CHANGED,
    );
  const text = result.text.trim() === "" ? "(no output)" : result.text;
  return entryPart(
    result,
    { ...base, text, failed: result.outcome !== "ok" },
    { isExact: text === result.text },
  );
}

/** Whether a message says exactly what its entry does. */
interface Likeness {
  readonly isExact: boolean;
}

const CHANGED: Likeness = { isExact: false };

function entryPart(
  { id, tainted }: Pick<ThreadEntry, "id" | "tainted">,
  message: Message,
  { isExact }: Likeness,
): Extract<Part, { kind: "entry" }> {
  const part = { kind: "entry", source: `entry:${id}`, message, entryId: isExact ? id : undefined } as const;
  return tainted ? { ...part, tainted } : part;
}
