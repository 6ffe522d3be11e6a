// Builds a request of Anthropic's Messages API. It sets cache breakpoints at the end of the system texts and of the conversation, because the
// next request repeats both.

import { Base64Text } from "../attachments/content.ts";
import type { SentAttachment } from "../attachments/schema.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import { UNADAPTED, type Adapted } from "./adaptations.ts";
import type { Message, ModelRequest } from "./model.ts";
import { contentOf, heading, inputOf } from "./prompt.ts";
import { withThoughts, type PlacedThought } from "./thoughts.ts";

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

export function messagesBody(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  adapted: Adapted = UNADAPTED,
): object {
  const { system, tools, mayCall } = request;
  return {
    model: endpoint.modelName,
    max_tokens: outputTokens(endpoint),
    ...(system.length === 0 ? {} : { system: marked(system.map(textBlock)) }),
    messages: turnsOf(request, adapted),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            input_schema: parameters,
          })),
          ...(adapted.has("no-tool-choice") ? {} : { tool_choice: { type: mayCall ? "auto" : "none" } }),
        }),
    ...(adapted.has("no-thinking") ? { thinking: { type: "disabled" } } : {}),
    stream: true,
  };
}

function outputTokens({ modelName, outputTokens: wanted }: ModelEndpoint): number {
  const rule = OUTPUT_TOKENS.find(({ name }) => name.test(modelName));
  if (!rule) return wanted ?? OUTPUT_TOKENS_OF_OTHERS;
  return rule.known ? Math.min(wanted ?? rule.most, rule.most) : (wanted ?? rule.most);
}

/** Roles must alternate: adjacent messages of one role are merged, and tool results have the role of the user. */
function turnsOf(
  { messages, contents }: ModelRequest,
  adapted: Adapted,
): { role: string; content: Block[] }[] {
  const isThinking = !adapted.has("no-thinking");
  const turns: { role: string; content: Block[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const blocks =
      message.role === "assistant"
        ? answerBlocks(message, isThinking ? message.thoughts : undefined)
        : blocksOf(message, contents);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  const last = turns.at(-1);
  if (last) last.content = marked(last.content);
  return turns;
}

type Answered = Extract<Message, { role: "assistant" }>;

function answerBlocks({ text, calls }: Answered, thoughts: readonly PlacedThought[] = []): Block[] {
  const asked = calls.map((call) => ({
    type: "tool_use",
    id: call.id,
    name: call.name,
    input: inputOf(call),
  }));
  // The API refuses blank texts.
  const textBlocks = (piece: string) => (piece.trim() === "" ? [] : [textBlock(piece)]);
  return withThoughts<Block>({ text, calls: asked }, thoughts, textBlocks);
}

function blocksOf(message: Exclude<Message, Answered>, contents: ModelRequest["contents"]): Block[] {
  if (message.role === "user") {
    const { text, attachments = [] } = message;
    const blocks = attachments.flatMap((one) => attachmentBlocks(one, contents));
    return text === "" && blocks.length > 0 ? blocks : [...blocks, textBlock(text)];
  }
  const result = { type: "tool_result", tool_use_id: message.callId, content: message.text };
  return [message.failed ? { ...result, is_error: true } : result];
}

/** Before the text: models read images and documents better so. An image has no field for its name. */
function attachmentBlocks(one: SentAttachment, contents: ModelRequest["contents"]): Block[] {
  if (one.as === "note") return [textBlock(one.note ?? "")];
  const content = contentOf(one, contents);
  if (one.as === "image")
    return [
      textBlock(heading(one)),
      { type: "image", source: { type: "base64", media_type: one.media_type, data: content } },
    ];
  const source =
    content instanceof Base64Text
      ? { type: "base64", media_type: one.media_type, data: content }
      : { type: "text", media_type: "text/plain", data: content };
  return [{ type: "document", source, title: one.name }];
}

function textBlock(text: string): Block {
  return { type: "text", text };
}

function marked(blocks: readonly Block[]): Block[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...CACHE_MARK } : block));
}
