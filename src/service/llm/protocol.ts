// What a provider's protocol is to the client: where and how to ask, and how to read the answer, streamed or as one document.

import type { ModelEndpoint } from "../catalog/models.ts";
import type { Answer } from "./answer.ts";
import type { Fields } from "./json.ts";
import type { ModelRequest } from "./model.ts";

export interface Protocol {
  url(endpoint: ModelEndpoint): string;
  /** Without the key, which only the transport adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request's JSON body. */
  body(endpoint: ModelEndpoint, request: ModelRequest): object;
  reader(answer: Answer): AnswerReader;
}

/** Puts what arrives into an `Answer`. Fields that are not known are ignored: vendors add some at any time. */
export interface AnswerReader {
  /** One event's data. Raises ModelFailure. */
  event(data: string): void;
  /** A whole answer in one JSON document. False: it is something else. Raises ModelFailure. */
  document(value: Fields): boolean;
  /** The protocol's own end mark has arrived. */
  readonly ended: boolean;
  /** Anything of this protocol has arrived. */
  readonly understood: boolean;
}

/** Words of the provider in place of an answer, as it sent them: they may hold the key, so they are not for showing. */
class ProviderWords extends Error {
  readonly body: string;

  constructor(body: string) {
    super("the provider sent something else than an answer");
    this.body = body;
  }
}

/** An error in place of an event. */
export class ErrorEvent extends ProviderWords {
  override readonly name = "ErrorEvent";
}

/** A document that is no answer. */
export class OtherDocument extends ProviderWords {
  override readonly name = "OtherDocument";
}
