// An answer in the format of the Anthropic Messages API: the events of a stream, the whole
// message, and errors. Format: platform.claude.com/docs, "Streaming messages" and "Errors".

import type { Call, Finish } from "./script.ts";
import { signThinking } from "./messages-rules.ts";
import type { Block, Plan, Writer } from "./tape.ts";

const STOP_REASONS: Record<string, string> = {
  stop: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  filter: "refusal",
};
const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function anthropicError(status: number, message: string, type?: string): string {
  const fallback = status < 500 ? "invalid_request_error" : "api_error";
  const error = { type: type ?? ERROR_TYPES[status] ?? fallback, message };
  return JSON.stringify({ type: "error", error, request_id: `req_${status}` });
}

export function anthropicModels(names: string[]): string {
  const data = names.map((id) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
  }));
  return JSON.stringify({ data, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null });
}

export function anthropicWriter(id: string, model: string, plan: Plan): Writer {
  return new MessageWriter(id, model, plan);
}

class MessageWriter implements Writer {
  private opened = false;
  private index = -1;
  private openKind: "text" | "thinking" | undefined;
  private thought = "";

  constructor(
    private readonly id: string,
    private readonly model: string,
    private readonly plan: Plan,
  ) {}

  say(piece: string): string {
    const delta = { type: "text_delta", text: piece };
    return this.enter("text") + event("content_block_delta", { index: this.index, delta });
  }

  think(piece: string): string {
    const start = this.enter("thinking");
    this.thought += piece;
    const delta = { type: "thinking_delta", thinking: piece };
    return start + event("content_block_delta", { index: this.index, delta });
  }

  call(call: Call, id: string | null): string[] {
    const start = this.open() + this.leave();
    const index = ++this.index;
    const block = {
      type: "tool_use",
      ...(id === null ? {} : { id }),
      name: call.name,
      input: {},
    };
    const pieces = call.pieces.length === 0 ? [call.args] : call.pieces;
    return [
      start + event("content_block_start", { index, content_block: block }),
      // The vendor starts every call with an empty piece.
      ...["", ...pieces].map((partial_json) =>
        event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } }),
      ),
      event("content_block_stop", { index }),
    ];
  }

  together(text: string, calls: { call: Call; id: string | null }[]): string[] {
    return [this.say(text), ...calls.flatMap(({ call, id }) => this.call(call, id))];
  }

  sayAround(): [string, string] {
    const mark = "\u0001";
    const delta = { type: "text_delta", text: mark };
    const frame = this.enter("text") + event("content_block_delta", { index: this.index, delta });
    const [before, after] = frame.split(JSON.stringify(mark).slice(1, -1));
    return [before ?? "", after ?? ""];
  }

  close(): string {
    const { usage, report, finish } = this.plan;
    const delta = { stop_reason: stopReason(finish), stop_sequence: null };
    const end = this.open() + this.leave();
    const stop = event("message_stop", {});
    if (report === "absent") return end + event("message_delta", { delta }) + stop;
    if (report === "repeated") {
      const halfway = { output_tokens: Math.floor(usage.output / 2) };
      const early = { delta: { stop_reason: null, stop_sequence: null }, usage: halfway };
      const last = { delta, usage: this.finalUsage() };
      return end + event("message_delta", early) + event("message_delta", last) + stop;
    }
    return end + event("message_delta", { delta, usage: this.finalUsage() }) + stop;
  }

  fault(message: string, type = "overloaded_error"): string {
    return event("error", { error: { type, message } });
  }

  message(blocks: Block[]): string {
    const { report, finish } = this.plan;
    return JSON.stringify({
      ...this.head(),
      content: blocks.map(contentBlock),
      stop_reason: stopReason(finish),
      ...(report === "absent" ? {} : { usage: { ...this.inputUsage(), ...this.finalUsage() } }),
    });
  }

  error(status: number, message: string, type: string | undefined): string {
    return anthropicError(status, message, type);
  }

  private head(): Record<string, unknown> {
    return {
      id: this.id,
      type: "message",
      role: "assistant",
      model: this.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
  }

  private inputUsage(): Record<string, unknown> {
    const { input, cached = 0, cacheWrite = 0 } = this.plan.usage;
    return {
      input_tokens: input - cached - cacheWrite,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cached,
    };
  }

  private finalUsage(): Record<string, unknown> {
    const { output, reasoning } = this.plan.usage;
    const details = reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } };
    const input = this.plan.report === "split" ? this.inputUsage() : {};
    return { ...input, output_tokens: output, ...details };
  }

  private open(): string {
    if (this.opened) return "";
    this.opened = true;
    const { report } = this.plan;
    const early = { ...this.inputUsage(), output_tokens: 1 };
    const none = { input_tokens: 0, output_tokens: 0 };
    const usage = report === "absent" ? {} : { usage: report === "split" ? none : early };
    return event("message_start", { message: { ...this.head(), ...usage } }) + event("ping", {});
  }

  private enter(kind: "text" | "thinking"): string {
    if (this.openKind === kind) return "";
    const before = this.open() + this.leave();
    this.openKind = kind;
    const block =
      kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
    return before + event("content_block_start", { index: ++this.index, content_block: block });
  }

  private leave(): string {
    const kind = this.openKind;
    if (kind === undefined) return "";
    this.openKind = undefined;
    const stop = event("content_block_stop", { index: this.index });
    if (kind === "text") return stop;
    const delta = { type: "signature_delta", signature: signThinking(this.thought) };
    this.thought = "";
    return event("content_block_delta", { index: this.index, delta }) + stop;
  }
}

function contentBlock(block: Block): Record<string, unknown> {
  if (block.kind === "say") return { type: "text", text: block.text };
  if (block.kind === "think")
    return { type: "thinking", thinking: block.text, signature: signThinking(block.text) };
  const { name, args } = block.call;
  return { type: "tool_use", ...(block.id === null ? {} : { id: block.id }), name, input: inputOf(args) };
}

/** Not streamed, this API sends arguments as a value; broken ones cannot occur and become text. */
function inputOf(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return { broken: args };
  }
}

function stopReason(finish: Finish): string {
  return STOP_REASONS[finish] ?? finish;
}

function event(type: string, data: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
