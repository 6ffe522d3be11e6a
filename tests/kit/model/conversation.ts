// A request in one form for both protocols, so that one script serves both.
// Tool results are always part of a user message, neighbours of one role are one message.
// Reads what it understands and judges nothing: that is for the rules files.

export type Protocol = "anthropic" | "openai";

interface AskedCall {
  id: string;
  name: string;
  /** The arguments as text; `args` is the same parsed, or undefined when it is not JSON. */
  json: string;
  args: unknown;
}
interface GivenResult {
  id: string;
  text: string;
  error: boolean;
}
export interface Message {
  role: "user" | "assistant";
  text: string;
  reasoning: string;
  calls: AskedCall[];
  results: GivenResult[];
}
interface OfferedTool {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}
export interface ModelRequest {
  protocol: Protocol;
  model: string;
  stream: boolean;
  system: string;
  messages: Message[];
  tools: OfferedTool[];
  /** `auto` when nothing is said; a forced tool's name as it is. */
  toolChoice: string;
  raw: Record<string, unknown>;
  headers: Record<string, string>;
}

/** A call of this turn with its result, when there is one. */
export interface DoneCall extends AskedCall {
  result: GivenResult | undefined;
}

export function readRequest(
  protocol: Protocol,
  raw: Record<string, unknown>,
  headers: Record<string, string>,
): ModelRequest {
  const read = protocol === "anthropic" ? readMessagesBody(raw) : readChatBody(raw);
  return {
    protocol,
    model: textOf(raw.model),
    stream: raw.stream === true,
    ...read,
    toolChoice: readToolChoice(raw.tool_choice),
    raw,
    headers,
  };
}

/** The last text of a person, which is what the model is to answer. */
export function lastQuestion(request: ModelRequest): string {
  return request.messages.findLast((m) => m.role === "user" && m.text !== "")?.text ?? "";
}

/** Every call since the person last spoke, in order, with its result. */
export function callsOfTurn(request: ModelRequest): DoneCall[] {
  const start = request.messages.findLastIndex((m) => m.role === "user" && m.text !== "");
  return pairCalls(request.messages.slice(start + 1));
}

export function callsOfConversation(request: ModelRequest): DoneCall[] {
  return pairCalls(request.messages);
}

function pairCalls(messages: Message[]): DoneCall[] {
  const results = new Map(messages.flatMap((m) => m.results).map((r) => [r.id, r]));
  return messages.flatMap((m) => m.calls).map((c) => ({ ...c, result: results.get(c.id) }));
}

/** Between the texts of a system prompt, for both protocols. */
const BETWEEN_TEXTS = "\n\n";

type Read = Pick<ModelRequest, "system" | "messages" | "tools">;

function readMessagesBody(raw: Record<string, unknown>): Read {
  const messages: Message[] = [];
  for (const given of listOf(raw.messages)) {
    const message = add(messages, given.role === "assistant" ? "assistant" : "user");
    if (typeof given.content === "string") addText(message, given.content);
    for (const block of listOf(given.content)) readBlock(message, block);
  }
  const tools = listOf(raw.tools).map((tool) => readTool(tool, tool.input_schema));
  return { system: systemText(raw.system), messages, tools };
}

function systemText(system: unknown): string {
  if (typeof system === "string") return system;
  return listOf(system)
    .map((block) => textOf(block.text))
    .join(BETWEEN_TEXTS);
}

function readBlock(message: Message, block: Record<string, unknown>): void {
  if (block.type === "text") addText(message, textOf(block.text));
  if (block.type === "thinking") message.reasoning += textOf(block.thinking);
  if (block.type === "tool_use") {
    const json = JSON.stringify(block.input ?? {});
    message.calls.push({ id: textOf(block.id), name: textOf(block.name), json, args: block.input });
  }
  if (block.type === "tool_result") {
    const text = flatText(block.content);
    message.results.push({ id: textOf(block.tool_use_id), text, error: block.is_error === true });
  }
}

function readChatBody(raw: Record<string, unknown>): Read {
  const messages: Message[] = [];
  const system: string[] = [];
  for (const given of listOf(raw.messages)) {
    const text = flatText(given.content);
    if (given.role === "system" || given.role === "developer") {
      system.push(text);
      continue;
    }
    const message = add(messages, given.role === "assistant" ? "assistant" : "user");
    if (given.role === "tool") {
      message.results.push({ id: textOf(given.tool_call_id), text, error: false });
      continue;
    }
    addText(message, text);
    message.reasoning += textOf(given.reasoning_content);
    for (const asked of listOf(given.tool_calls)) {
      const called = objectOf(asked.function);
      const json = textOf(called.arguments);
      message.calls.push({ id: textOf(asked.id), name: textOf(called.name), json, args: parse(json) });
    }
  }
  const tools = listOf(raw.tools).map((tool) => {
    const described = objectOf(tool.function);
    return readTool(described, described.parameters);
  });
  return { system: system.join(BETWEEN_TEXTS), messages, tools };
}

function add(messages: Message[], role: Message["role"]): Message {
  const last = messages.at(-1);
  if (last?.role === role) return last;
  const message: Message = { role, text: "", reasoning: "", calls: [], results: [] };
  messages.push(message);
  return message;
}

function addText(message: Message, text: string): void {
  if (text === "") return;
  message.text = message.text === "" ? text : `${message.text}\n${text}`;
}

function readTool(tool: Record<string, unknown>, schema: unknown): OfferedTool {
  return { name: textOf(tool.name), description: textOf(tool.description), schema: objectOf(schema) };
}

function readToolChoice(choice: unknown): string {
  if (typeof choice === "string") return choice;
  const { type, name, function: called } = objectOf(choice);
  return textOf(name) || textOf(objectOf(called).name) || textOf(type) || "auto";
}

function flatText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = listOf(content).map((part) => textOf(part.text));
  return texts.filter((text) => text !== "").join("\n");
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
export function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
