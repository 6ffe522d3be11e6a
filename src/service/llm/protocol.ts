// The interface of a provider protocol: how to build the request, and how to read the answer, streamed or as one document.

import type { Fields } from "../../kit/text/parsed-json.ts";
import type { ModelEndpoint } from "../catalog/models.ts";
import type { Adapted } from "./adaptations.ts";
import type { Answer } from "./answer.ts";
import type { ModelRequest } from "./model.ts";

export interface Protocol {
  readonly path: string;
  /** Returns the JSON body of the request. */
  body(endpoint: ModelEndpoint, request: ModelRequest, adapted?: Adapted): object;
  reader(answer: Answer): AnswerReader;
}

/** Reads into an `Answer`. Unknown fields are ignored, because vendors add new ones at any time. */
export interface AnswerReader {
  /** Reads one event's data. Raises ModelFailure. */
  event(data: string): void;
  /** Reads a complete answer from one JSON document; returns false if it is not one. Raises ModelFailure. */
  document(value: Fields): boolean;
  /** Called once after the last event. Raises ModelFailure. */
  end(): void;
  /** True once the protocol's end marker has arrived. */
  readonly ended: boolean;
  /** True once anything of this protocol has arrived. */
  readonly understood: boolean;
}

/** The provider's response in place of an answer. It may contain the key, so it must not be shown. */
class ProviderWords extends Error {
  readonly body: string;

  constructor(body: string) {
    super("the provider sent something other than an answer");
    this.body = body;
  }
}

/** An error in place of an event. */
export class ErrorEvent extends ProviderWords {
  override readonly name = "ErrorEvent";
}

/** A document that is not an answer. */
export class OtherDocument extends ProviderWords {
  override readonly name = "OtherDocument";
}
