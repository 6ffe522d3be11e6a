// Reads answers of Anthropic's Messages API: blocks of text, reasoning and tool calls, each started, extended and stopped by its index.

import { isObject, type Fields } from "../../kit/text/parsed-json.ts";
import type { Answer, CallSoFar, Finish } from "./answer.ts";
import { requireModest } from "./failures.ts";
import { eventObject, tokensOf } from "./provider-json.ts";
import { ErrorEvent, type AnswerReader } from "./protocol.ts";
import { isThought, type ArrivingThought } from "./thoughts.ts";

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["tool_use", "calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "filtered"],
]);

interface ToolBlock {
  readonly call: CallSoFar;
  /** True if the start of the block carried the arguments; later pieces replace them. */
  given: boolean;
}

export class MessagesReader implements AnswerReader {
  readonly #answer: Answer;
  /** Tool calls by their block's index. */
  readonly #tools = new Map<unknown, ToolBlock>();
  /** By their block's index. */
  readonly #thoughts = new Map<unknown, ArrivingThought>();
  /** The last reported figures; their sum is the total input. */
  #input: number | undefined;
  #cacheRead = 0;
  #cacheWrite = 0;
  #ended = false;
  #understood = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get understood(): boolean {
    return this.#understood;
  }

  event(data: string): void {
    const event = eventObject(data);
    switch (event["type"]) {
      case "content_block_delta":
        if (isObject(event["delta"])) this.#delta(event["index"], event["delta"]);
        break;
      case "content_block_start":
        requireModest(data);
        if (isObject(event["content_block"])) this.#block(event["index"], event["content_block"]);
        break;
      case "content_block_stop":
        this.#stopBlock(event["index"]);
        break;
      case "message_start":
        requireModest(data);
        this.#start(event["message"]);
        break;
      case "message_delta":
        this.#messageDelta(event);
        break;
      case "message_stop":
        this.#ended = true;
        break;
      case "error":
        throw new ErrorEvent(data);
      default:
        // A gateway can send its own error. Ignore any other type: pings, and types added later.
        if (isObject(event["error"])) throw new ErrorEvent(data);
        return;
    }
    this.#understood = true;
  }

  document(value: Fields): boolean {
    if (value["type"] !== "message" || !Array.isArray(value["content"])) return false;
    this.#understood = true;
    value["content"].forEach((block: unknown, index) => {
      if (!isObject(block)) return;
      this.#block(index, block);
      this.#stopBlock(index);
    });
    this.#useInput(value["usage"]);
    this.#useOutput(value["usage"]);
    this.#finish(value["stop_reason"]);
    this.#ended = true;
    return true;
  }

  end(): void {}

  #start(message: unknown): void {
    if (!isObject(message)) return;
    // Skip its output count, which is only partial.
    this.#useInput(message["usage"]);
    this.#finish(message["stop_reason"]);
    const content = message["content"];
    if (Array.isArray(content))
      for (const block of content)
        if (isObject(block) && block["type"] === "tool_use") {
          this.#block(block, block);
          this.#stopBlock(block);
        }
  }

  #block(index: unknown, block: Fields): void {
    const { type, text, thinking, name, input } = block;
    if (type === "text" && typeof text === "string") this.#answer.say("text", text);
    if (isThought(block)) this.#thoughts.set(index, this.#answer.beginThought(block));
    if (type === "thinking" && typeof thinking === "string") this.#answer.say("reasoning", thinking);
    if (type !== "tool_use") return;
    const given = isObject(input) && Object.keys(input).length > 0;
    const call = this.#answer.beginCall(
      typeof name === "string" ? name : "",
      given ? JSON.stringify(input) : "",
    );
    this.#tools.set(index, { call, given });
  }

  #delta(index: unknown, delta: Fields): void {
    const { type, text, thinking, signature, partial_json: json } = delta;
    if (type === "text_delta" && typeof text === "string") this.#answer.say("text", text);
    else if (type === "thinking_delta" && typeof thinking === "string") {
      this.#answer.say("reasoning", thinking);
      this.#think(index, "thinking", thinking);
    } else if (type === "signature_delta" && typeof signature === "string")
      this.#think(index, "signature", signature);
    else if (type === "input_json_delta" && typeof json === "string" && json !== "")
      this.#extend(index, json);
  }

  #think(index: unknown, field: "thinking" | "signature", piece: string): void {
    const thought = this.#thoughts.get(index);
    if (thought) this.#answer.extendThought(thought, field, piece);
  }

  #extend(index: unknown, json: string): void {
    const tool = this.#tools.get(index);
    if (!tool) return;
    if (tool.given) tool.call.arguments = "";
    tool.given = false;
    this.#answer.extendCall(tool.call, json);
  }

  /** A call without arguments receives no pieces. */
  #stopBlock(index: unknown): void {
    const tool = this.#tools.get(index);
    if (tool && tool.call.arguments === "") tool.call.arguments = "{}";
  }

  #messageDelta({ delta, usage }: Fields): void {
    if (isObject(delta)) this.#finish(delta["stop_reason"]);
    this.#useInput(usage);
    this.#useOutput(usage);
  }

  #finish(reason: unknown): void {
    if (typeof reason === "string") this.#answer.finish(FINISHES.get(reason) ?? "other");
  }

  #useInput(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#input = tokensOf(usage["input_tokens"]) ?? this.#input;
    this.#cacheRead = tokensOf(usage["cache_read_input_tokens"]) ?? this.#cacheRead;
    this.#cacheWrite = tokensOf(usage["cache_creation_input_tokens"]) ?? this.#cacheWrite;
    if (this.#input === undefined) return;
    const input = this.#input + this.#cacheRead + this.#cacheWrite;
    this.#answer.use({ input, cachedInput: this.#cacheRead });
  }

  #useOutput(usage: unknown): void {
    const output = isObject(usage) ? tokensOf(usage["output_tokens"]) : undefined;
    if (output !== undefined) this.#answer.use({ output });
  }
}
