// An answer in the format of the OpenAI Chat Completions API: the chunks of a stream, the
// whole completion, and errors. Format: developers.openai.com, "Chat Completions";
// `reasoning_content` as DeepSeek and other compatible servers send it.

import type { Call, Finish } from "./script.ts";
import type { Block, Plan, Writer } from "./tape.ts";

const FINISH_REASONS: Record<string, string> = {
  stop: "stop",
  tools: "tool_calls",
  length: "length",
  filter: "content_filter",
};
const CREATED_AT_SECONDS = 1_790_000_000;
const DONE = "data: [DONE]\n\n";

export function openaiError(status: number, message: string, type?: string): string {
  const code = status === 401 ? "invalid_api_key" : status === 404 ? "model_not_found" : null;
  const fallback =
    status === 429 ? "rate_limit_exceeded" : status < 500 ? "invalid_request_error" : "server_error";
  return JSON.stringify({ error: { message, type: type ?? fallback, param: null, code } });
}

export function openaiModels(names: string[]): string {
  const data = names.map((id) => ({ id, object: "model", created: CREATED_AT_SECONDS, owned_by: "script" }));
  return JSON.stringify({ object: "list", data });
}

/** `includeUsage` is the request's `stream_options.include_usage`. */
export function openaiWriter(id: string, model: string, plan: Plan, includeUsage: boolean): Writer {
  return new ChatWriter(id, model, plan, includeUsage);
}

type Delta = Record<string, unknown>;
interface NumberedCall {
  call: Call;
  id: string | null;
}

class ChatWriter implements Writer {
  private opened = false;
  private calls = 0;
  private written = 0;

  constructor(
    private readonly id: string,
    private readonly model: string,
    private readonly plan: Plan,
    private readonly includeUsage: boolean,
  ) {}

  say(piece: string): string {
    return this.delta({ content: piece });
  }

  think(piece: string): string {
    return this.delta({ reasoning_content: piece });
  }

  call(call: Call, id: string | null): string[] {
    const index = this.calls++;
    const start = this.delta({ tool_calls: [this.firstDelta({ call, id }, index)] });
    return [start, ...this.argumentDeltas(call, index)];
  }

  together(text: string, calls: NumberedCall[]): string[] {
    const numbered = calls.map((one) => ({ one, index: this.calls++ }));
    const starts = numbered.map(({ one, index }) => this.firstDelta(one, index));
    const first = this.delta({ content: text, tool_calls: starts });
    return [first, ...numbered.flatMap(({ one, index }) => this.argumentDeltas(one.call, index))];
  }

  sayAround(): [string, string] {
    const mark = "\u0001";
    const [before, after] = this.delta({ content: mark }).split(JSON.stringify(mark).slice(1, -1));
    return [before ?? "", after ?? ""];
  }

  close(): string {
    const { report, finish } = this.plan;
    const usage = this.tokens();
    const own = report === "split" ? { usage: { completion_tokens: usage.completion_tokens } } : {};
    const end = this.open() + this.chunk([this.choice({}, finishReason(finish))], own);
    const wanted = report === "repeated" || (report === "plain" && this.includeUsage);
    return end + (wanted ? this.chunk([], { usage }) : "") + DONE;
  }

  fault(message: string, type = "server_error"): string {
    return `data: ${JSON.stringify({ error: { message, type, param: null, code: null } })}\n\n`;
  }

  message(blocks: Block[]): string {
    const { report, finish } = this.plan;
    const textOf = (kind: "say" | "think"): string =>
      blocks.map((block) => (block.kind === kind ? block.text : "")).join("");
    const calls = blocks.filter((block) => block.kind === "call");
    const message = {
      role: "assistant",
      content: textOf("say") || (calls.length > 0 ? null : ""),
      refusal: null,
      ...(textOf("think") === "" ? {} : { reasoning_content: textOf("think") }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(wholeCall) }),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(finish) };
    const usage = report === "absent" ? {} : { usage: this.tokens() };
    return JSON.stringify({ ...this.head("chat.completion"), choices: [choice], ...usage });
  }

  error(status: number, message: string, type: string | undefined): string {
    return openaiError(status, message, type);
  }

  private head(object: string): Record<string, unknown> {
    return { id: this.id, object, created: CREATED_AT_SECONDS, model: this.model };
  }

  private tokens() {
    const { input, output, cached = 0, reasoning = 0 } = this.plan.usage;
    return {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
  }

  private open(): string {
    if (this.opened) return "";
    this.opened = true;
    const split = this.plan.report === "split";
    const own = split ? { usage: { prompt_tokens: this.plan.usage.input } } : {};
    return this.chunk([this.choice({ role: "assistant", content: "", refusal: null }, null)], own);
  }

  private delta(delta: Delta): string {
    const before = this.open();
    const own = this.plan.report === "repeated" ? { usage: this.running() } : {};
    return before + this.chunk([this.choice(delta, null)], own);
  }

  /** The total so far: grows with each chunk and never passes the final one. */
  private running(): Record<string, unknown> {
    const completion_tokens = Math.min(++this.written, this.plan.usage.output);
    return { ...this.tokens(), completion_tokens };
  }

  private choice(delta: Delta, finish_reason: string | null): Record<string, unknown> {
    return { index: 0, delta, logprobs: null, finish_reason };
  }

  private chunk(choices: unknown[], own: Record<string, unknown>): string {
    const none = this.plan.report === "plain" && this.includeUsage ? { usage: null } : {};
    const body = { ...this.head("chat.completion.chunk"), choices, ...none, ...own };
    return `data: ${JSON.stringify(body)}\n\n`;
  }

  private firstDelta({ call, id }: NumberedCall, index: number): Delta {
    const whole = call.pieces.length === 0 ? call.args : "";
    return {
      index,
      ...(id === null ? {} : { id }),
      type: "function",
      function: { name: call.name, arguments: whole },
    };
  }

  private argumentDeltas(call: Call, index: number): string[] {
    return call.pieces.map((piece) =>
      this.delta({
        tool_calls: [{ index, function: { arguments: piece } }],
      }),
    );
  }
}

function wholeCall({ call, id }: Extract<Block, { kind: "call" }>): Delta {
  const called = { name: call.name, arguments: call.args };
  return { ...(id === null ? {} : { id }), type: "function", function: called };
}

function finishReason(finish: Finish): string {
  return FINISH_REASONS[finish] ?? finish;
}
