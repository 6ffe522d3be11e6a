// The failures of a provider's answer once it has begun, each with its message in one place.

import { excessIn, JSON_DEPTH_MAX } from "../../kit/text/json-shape.ts";
import { providerMessage } from "../catalog/failures.ts";
import { ModelFailure } from "./model.ts";

/** A longer error body is not searched for a message. */
const ERROR_CHARACTERS_MAX = 64 * 1024;

export function connectionLost(): ModelFailure {
  return new ModelFailure("the connection to the provider was lost in the middle of its answer");
}

/** `how` describes the violation, such as "an event is not JSON". */
export function brokenProtocol(how: string): ModelFailure {
  return new ModelFailure(`the provider's answer violates its protocol: ${how}`);
}

export function tooLarge(charactersMax: number): ModelFailure {
  return new ModelFailure(`the provider's answer is larger than ${charactersMax} characters`);
}

/** Limits what parsing costs, and the depth of JSON that will be serialised again, which recurses. Raises ModelFailure. */
export function requireModest(json: string): void {
  const excess = excessIn(json);
  if (excess === "depth") throw brokenProtocol(`it is nested more than ${JSON_DEPTH_MAX} levels deep`);
  if (excess !== undefined) throw brokenProtocol("it has more keys or values than any answer needs");
}

/** An error that the provider sent in place of the rest of its answer. `body` is shown without the key. */
export function abortedAnswer(body: string, key: string): ModelFailure {
  const message = body.length > ERROR_CHARACTERS_MAX ? undefined : providerMessage(body, key);
  const shown = message === undefined ? "" : `: ${message}`;
  return new ModelFailure(`the provider aborted its answer${shown}`, undefined, message);
}
