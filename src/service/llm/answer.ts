// Collects one answer of any protocol, and passes its text to a listener, one piece per network read.

import { parsedObject, type Fields } from "../../kit/text/parsed-json.ts";
import { brokenProtocol, connectionLost, tooLarge } from "./failures.ts";
import { ArrivingThought } from "./thoughts.ts";
import { ModelFailure, type ModelAnswer, type ModelListener, type TokenUsage } from "./model.ts";

/** More than any model says at once. Each answer is one row and one event, which SQLite and JSON can only write and read as a whole. */
export const ANSWER_CHARACTERS_MAX = 1024 * 1024;

/** Far above the number of calls that are executed. Each call, refused or not, writes a few rows. */
export const ANSWER_CALLS_MAX = 512;

export type Finish = ModelAnswer["finish"];

/** A partially received tool call. */
export interface CallSoFar {
  name: string;
  arguments: string;
}

export class Answer {
  readonly #listener: ModelListener;
  readonly #calls: CallSoFar[] = [];
  readonly #thoughts: ArrivingThought[] = [];
  #text = "";
  #reasoning = "";
  /** Text of this read that the listener has not received yet. */
  #said = "";
  #kind: "text" | "reasoning" = "text";
  #characters = 0;
  #begun = false;
  #finish: Finish | undefined;
  #usage: TokenUsage = { input: null, cachedInput: null, output: null };

  constructor(listener: ModelListener) {
    this.#listener = listener;
  }

  /** Adds text. Like every method that adds to the answer, raises ModelFailure when it becomes too large. */
  say(kind: "text" | "reasoning", piece: string): void {
    if (piece === "") return;
    this.#begin();
    this.#count(piece);
    if (kind !== this.#kind) {
      this.flush();
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

  /** Begins a block of thoughts at this place of the answer. */
  beginThought(block: Fields): ArrivingThought {
    this.#count(JSON.stringify(block));
    const said = this.#kind === "text" ? this.#said.length : 0;
    const thought = new ArrivingThought(block, {
      textBefore: this.#text.length + said,
      callsBefore: this.#calls.length,
    });
    this.#thoughts.push(thought);
    return thought;
  }

  extendThought(thought: ArrivingThought, field: "thinking" | "signature", piece: string): void {
    this.#count(piece);
    thought.extend(field, piece);
  }

  /** Sets the finish reason; the last call wins. */
  finish(reason: Finish): void {
    this.#finish = reason;
  }

  /** Merges reported usage: a missing figure keeps its last value. */
  use(reported: Partial<TokenUsage>): void {
    this.#usage = { ...this.#usage, ...reported };
    this.#listener.used(this.#usage);
  }

  /** Passes new text to the listener; call it once per read. */
  flush(): void {
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
   * Returns the answer. `whole` means that the answer is known not to be truncated; then a missing finish reason is accepted, and the
   * complete calls are kept. Raises ModelFailure for a truncated or empty answer.
   */
  end(whole: boolean): ModelAnswer {
    this.flush();
    const finish = this.#finish ?? (whole ? "unknown" : undefined);
    if (finish === undefined) throw connectionLost();
    const isCut = finish === "length" || finish === "filtered";
    const kept = this.#calls.filter(
      (call) => !isCut && (finish !== "unknown" || parsedObject(call.arguments) !== undefined),
    );
    const dropped = this.#calls.filter((call) => !kept.includes(call)).map((call) => call.name);
    if (this.#text.trim() === "" && kept.length === 0) {
      if (finish === "unknown") throw connectionLost();
      throw new ModelFailure(emptyMessage(finish, dropped));
    }
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      thoughts: this.#thoughts.map(({ placed }) => placed),
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
  if (finish === "length") return `the model reached its length limit before it said anything usable${half}`;
  if (finish === "filtered") return `the provider's content filter withheld the answer${half}`;
  return "the model returned an empty answer";
}
