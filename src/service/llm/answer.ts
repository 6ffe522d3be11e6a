// Collects one answer from whatever protocol it comes in, and passes its text on: the text of one read as one piece.

import { brokenProtocol, connectionLost, tooLarge } from "./failures.ts";
import { parsedObject } from "./json.ts";
import { ModelFailure, type ModelAnswer, type ModelListener, type TokenUsage } from "./model.ts";

export const ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;

/** Many more than are done. Each is a few rows on record, also of those that are refused. */
export const ANSWER_CALLS_MAX = 512;

export type Finish = ModelAnswer["finish"];

/** A tool call as far as it has arrived. */
export interface CallSoFar {
  name: string;
  arguments: string;
}

export class Answer {
  readonly #listener: ModelListener;
  readonly #calls: CallSoFar[] = [];
  #text = "";
  #reasoning = "";
  /** Of this read, and not told yet. */
  #said = "";
  #kind: "text" | "reasoning" = "text";
  #characters = 0;
  #begun = false;
  #finish: Finish | undefined;
  #usage: TokenUsage = { input: null, cachedInput: null, output: null };

  constructor(listener: ModelListener) {
    this.#listener = listener;
  }

  /** Raises ModelFailure for an answer that is too large; so do the others that add to it. */
  say(kind: "text" | "reasoning", piece: string): void {
    if (piece === "") return;
    this.#begin();
    this.#count(piece);
    if (kind !== this.#kind) {
      this.tell();
      this.#kind = kind;
    }
    this.#said += piece;
  }

  beginCall(name: string, json: string): CallSoFar {
    if (this.#calls.length >= ANSWER_CALLS_MAX)
      throw brokenProtocol(`it holds more than ${ANSWER_CALLS_MAX} tool calls`);
    this.#begin();
    this.#count(name);
    this.#count(json);
    const call = { name, arguments: json };
    this.#calls.push(call);
    return call;
  }

  extendCall(call: CallSoFar, json: string): void {
    this.#count(json);
    call.arguments += json;
  }

  /** The last one counts. */
  finish(reason: Finish): void {
    this.#finish = reason;
  }

  get hasFinish(): boolean {
    return this.#finish !== undefined;
  }

  /** What is not reported again keeps its last value. */
  use(reported: Partial<TokenUsage>): void {
    this.#usage = { ...this.#usage, ...reported };
  }

  /** Passes on what was said since the last time: once for each read. */
  tell(): void {
    if (this.#said === "") return;
    const said = this.#said;
    this.#said = "";
    if (this.#kind === "text") {
      this.#text += said;
      this.#listener.text(said);
    } else {
      this.#reasoning += said;
      this.#listener.reasoning(said);
    }
  }

  /**
   * `whole`: the answer is known to have ended where its provider ended it. Then one without a finish reason is taken as it is, with its
   * complete calls. Raises ModelFailure for an answer that was cut, or that is empty.
   */
  end(whole: boolean): ModelAnswer {
    this.tell();
    const finish = this.#finish ?? (whole ? "unknown" : undefined);
    if (finish === undefined) throw connectionLost();
    const isCut = finish === "length" || finish === "filtered";
    const kept = this.#calls.filter(
      (call) => !isCut && (finish !== "unknown" || parsedObject(call.arguments) !== undefined),
    );
    const dropped = this.#calls.filter((call) => !kept.includes(call)).map((call) => call.name);
    if (this.#text.trim() === "" && kept.length === 0) {
      if (finish === "unknown") throw connectionLost();
      throw new ModelFailure(emptyMessage(finish, dropped), undefined, this.#usage);
    }
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      calls: kept,
      dropped,
      finish,
      usage: this.#usage,
    };
  }

  #count(piece: string): void {
    this.#characters += piece.length;
    if (this.#characters > ANSWER_CHARACTERS_MAX) throw tooLarge(ANSWER_CHARACTERS_MAX);
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#listener.firstChunk();
  }
}

function emptyMessage(finish: Finish, dropped: readonly string[]): string {
  const half = dropped.length === 0 ? "" : `; dropped an incomplete call of ${dropped.join(", ")}`;
  if (finish === "length")
    return `the model reached its length limit before it said anything that can be used${half}`;
  if (finish === "filtered") return `the provider's content filter withheld the answer${half}`;
  return "the model gave an empty answer";
}
