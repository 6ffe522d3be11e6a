// Builds a request of Anthropic's Messages API. It sets cache breakpoints at the end of the system texts and of the conversation, because the
// next request repeats both.

import type { ModelEndpoint } from "../catalog/models.ts";
import type { Message, ModelRequest } from "./model.ts";
import { inputOf } from "./prompt.ts";

const CACHE_MARK = { cache_control: { type: "ephemeral" } };

/** The API requires an output limit. The first matching name applies; `known` means that the API refuses a higher limit. */
const OUTPUT_TOKENS: readonly { readonly name: RegExp; readonly most: number; readonly known: boolean }[] = [
  {
    name: /claude-(?:sonnet|opus)-4-6|claude-opus-4-[78]|claude-(?:opus|sonnet|fable)-5|claude-haiku-5-5/,
    most: 128_000,
    known: true,
  },
  { name: /claude-(?:sonnet|opus|haiku)-4-5/, most: 64_000, known: true },
  { name: /claude-opus-4-1/, most: 32_000, known: true },
  { name: /claude-sonnet-4[-@]/, most: 64_000, known: true },
  { name: /claude-opus-4[-@]/, most: 32_000, known: true },
  { name: /claude-3-haiku/, most: 4_096, known: true },
  { name: /claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, most: 4_096, known: false },
  { name: /claude-/, most: 128_000, known: false },
];
const OUTPUT_TOKENS_OF_OTHERS = 4_096;

type Block = Readonly<Record<string, unknown>>;

export function messagesBody(endpoint: ModelEndpoint, request: ModelRequest): object {
  const { system, messages, tools, mayCall } = request;
  return {
    model: endpoint.modelName,
    max_tokens: outputTokens(endpoint),
    ...(system.length === 0 ? {} : { system: marked(system.map(textBlock)) }),
    messages: turnsOf(messages),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: parameters,
          })),
          tool_choice: { type: mayCall ? "auto" : "none" },
        }),
    stream: true,
  };
}

function outputTokens({ modelName, outputTokens: wanted }: ModelEndpoint): number {
  const rule = OUTPUT_TOKENS.find(({ name }) => name.test(modelName));
  if (!rule) return wanted ?? OUTPUT_TOKENS_OF_OTHERS;
  return rule.known ? Math.min(wanted ?? rule.most, rule.most) : (wanted ?? rule.most);
}

/** Roles must alternate: adjacent messages of one role are merged, and tool results have the role of the user. */
function turnsOf(messages: readonly Message[]): { role: string; content: Block[] }[] {
  const turns: { role: string; content: Block[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else turns.push({ role, content: blocksOf(message) });
  }
  const last = turns.at(-1);
  if (last) last.content = marked(last.content);
  return turns;
}

function blocksOf(message: Message): Block[] {
  if (message.role === "user") return [textBlock(message.text)];
  if (message.role === "tool") {
    const result = { type: "tool_result", tool_use_id: message.callId, content: message.text };
    return [message.failed ? { ...result, is_error: true } : result];
  }
  const calls = message.calls.map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.name,
    input: inputOf(call),
  }));
  return message.text === "" ? calls : [textBlock(message.text), ...calls];
}

function textBlock(text: string): Block {
  return { type: "text", text };
}

function marked(blocks: readonly Block[]): Block[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...CACHE_MARK } : block));
}
