// Reads answers of the Chat Completions API in the dialects of OpenAI-compatible servers: text as a string or as parts, reasoning in
// `reasoning_content`, in `reasoning` or in tags, and tool calls identified by index, by id or by neither, in pieces or complete.

import { isObject, type Fields } from "../../kit/text/parsed-json.ts";
import type { Answer, CallSoFar, Finish } from "./answer.ts";
import { brokenProtocol, requireModest } from "./failures.ts";
import { eventObject, JsonProgress, tokensOf } from "./provider-json.ts";
import { ErrorEvent, type AnswerReader } from "./protocol.ts";
import { ThinkTags } from "./think-tags.ts";

const END_MARK = "[DONE]";

/** In lower case. */
const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filter", "filtered"],
  ["safety", "filtered"],
  ["sensitive", "filtered"],
  ["function_call", "calls"],
  ["tool_calls", "calls"],
]);

/** Reasons of a server that gave up, in lower case. */
const ABORTED = new Set(["error", "abort", "network_error", "insufficient_system_resource"]);

export class ChatReader implements AnswerReader {
  readonly #answer: Answer;
  readonly #calls = new ToolCalls();
  readonly #tags: ThinkTags;
  #refused = false;
  #ended = false;
  #understood = false;

  constructor(answer: Answer) {
    this.#answer = answer;
    this.#tags = new ThinkTags((kind, piece) => answer.say(kind, piece));
  }

  get ended(): boolean {
    return this.#ended;
  }

  get understood(): boolean {
    return this.#understood;
  }

  event(data: string): void {
    // Some servers send a space after it.
    if (data.startsWith(END_MARK)) {
      this.#ended = true;
      return;
    }
    const chunk = eventObject(data);
    const { choices, usage } = chunk;
    if (isError(chunk)) throw new ErrorEvent(data);
    if (choices === undefined && usage === undefined) return;
    this.#understood = true;
    // The chunk with the usage has no choice. Only the first choice was requested.
    const choice = firstOf(choices);
    this.#use(usage ?? choice?.["usage"]);
    if (choice) this.#choice(choice, choice["delta"], data);
  }

  document(value: Fields): boolean {
    const choice = Array.isArray(value["choices"]) ? firstOf(value["choices"]) : undefined;
    if (!choice || !isObject(choice["message"])) return false;
    this.#understood = true;
    this.#use(value["usage"]);
    this.#choice(choice, choice["message"], "");
    this.#ended = true;
    return true;
  }

  end(): void {
    this.#tags.end();
  }

  /** `event`: the text of `choice`, if it was not yet examined. */
  #choice(choice: Fields, said: unknown, event: string): void {
    if (isObject(said)) this.#message(said, event);
    const reason = choice["finish_reason"];
    if (typeof reason !== "string" || reason === "") return;
    const known = reason.toLowerCase();
    if (ABORTED.has(known)) throw new ErrorEvent(`its finish reason is ${reason}`);
    // A refusal ends with `stop`, like an ordinary answer.
    this.#answer.finish(this.#refused && known === "stop" ? "filtered" : (FINISHES.get(known) ?? "other"));
  }

  #message(message: Fields, event: string): void {
    const { content, refusal, tool_calls: calls } = message;
    const thought = message["reasoning_content"] || message["reasoning"];
    if (typeof thought === "string") this.#answer.say("reasoning", thought);
    if (typeof content === "string") this.#tags.text(content);
    else if (Array.isArray(content)) for (const part of content) this.#part(part);
    else if (content !== undefined && content !== null) throw brokenProtocol("its content is not text");
    if (typeof refusal === "string" && refusal !== "") {
      this.#refused = true;
      this.#answer.say("text", refusal);
    }
    if (!Array.isArray(calls)) return;
    if (calls.some(hasObject)) requireModest(event);
    for (const call of calls) if (isObject(call)) this.#calls.take(call, this.#answer);
  }

  /** Some servers send a list of parts, in which reasoning is a list of texts. */
  #part(part: unknown): void {
    if (!isObject(part)) return;
    if (part["type"] === "text" && typeof part["text"] === "string") this.#tags.text(part["text"]);
    if (part["type"] !== "thinking" || !Array.isArray(part["thinking"])) return;
    for (const piece of part["thinking"])
      if (isObject(piece) && typeof piece["text"] === "string") this.#answer.say("reasoning", piece["text"]);
  }

  #use(usage: unknown): void {
    if (!isObject(usage)) return;
    const input = tokensOf(usage["prompt_tokens"]);
    const output = tokensOf(usage["completion_tokens"]);
    const cachedInput = cachedOf(usage);
    this.#answer.use({
      ...(input === undefined ? {} : { input }),
      ...(cachedInput === undefined ? {} : { cachedInput }),
      ...(output === undefined ? {} : { output }),
    });
  }
}

/** Vendors name it differently. */
function cachedOf(usage: Fields): number | undefined {
  const details = usage["prompt_tokens_details"];
  const detailed = isObject(details) ? tokensOf(details["cached_tokens"]) : undefined;
  return detailed ?? tokensOf(usage["prompt_cache_hit_tokens"]) ?? tokensOf(usage["cached_tokens"]);
}

function firstOf(choices: unknown): Fields | undefined {
  if (choices === undefined || choices === null) return undefined;
  if (!Array.isArray(choices)) throw brokenProtocol("its choices are not a list");
  const first: unknown = choices[0];
  return isObject(first) ? first : undefined;
}

/** Servers send `error` as an object or a text, or set `object` to `error`. */
function isError({ error, object }: Fields): boolean {
  return (error !== undefined && error !== null && error !== false) || object === "error";
}

interface OpenCall {
  readonly call: CallSoFar;
  readonly progress: JsonProgress;
  id: string | undefined;
  index: number | undefined;
}

/** Assigns pieces to calls: by index, else by id, else to the last call, which ends when it is complete and another begins. */
class ToolCalls {
  readonly #open: OpenCall[] = [];

  take(piece: Fields, answer: Answer): void {
    const about = isObject(piece["function"]) ? piece["function"] : {};
    const name = textOf(about["name"]);
    const id = textOf(piece["id"]);
    const index = typeof piece["index"] === "number" ? piece["index"] : undefined;
    const json = argumentsOf(about["arguments"]);
    const open = this.#find(index, id, name, json);
    if (!open) {
      // Some servers send empty pieces alongside text; ignore them.
      if (name === undefined && json.trim() === "" && id === undefined) return;
      const call = answer.beginCall(name ?? "", json);
      this.#open.push({ call, progress: new JsonProgress(), id, index });
      return;
    }
    if (open.call.name === "" && name !== undefined) open.call.name = name;
    open.id ??= id;
    open.index ??= index;
    answer.extendCall(open.call, json);
  }

  #find(
    index: number | undefined,
    id: string | undefined,
    name: string | undefined,
    json: string,
  ): OpenCall | undefined {
    const found = this.#labelled(index, id, name);
    if (!found || name === undefined || found.call.name === "") return found;
    if (found.call.name !== name) return undefined;
    // A repeated name is either repeated in every piece, or begins the next call of the same tool.
    const begins = /^\s*[{[]/.test(json) || (json.trim() === "" && id !== undefined && id !== found.id);
    return begins && found.progress.isWhole(found.call.arguments) ? undefined : found;
  }

  #labelled(
    index: number | undefined,
    id: string | undefined,
    name: string | undefined,
  ): OpenCall | undefined {
    if (index !== undefined) return this.#open.findLast((call) => call.index === index);
    if (id !== undefined) return this.#open.findLast((call) => call.id === id);
    return name === undefined ? this.#open.at(-1) : undefined;
  }
}

/** Some servers send the arguments as an object in place of its text. */
function hasObject(call: unknown): boolean {
  return isObject(call) && isObject(call["function"]) && isObject(call["function"]["arguments"]);
}

function argumentsOf(given: unknown): string {
  if (typeof given === "string") return given;
  return isObject(given) ? JSON.stringify(given) : "";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
