// The ways in which a provider's answer fails once it has begun, each with its sentence in one place.

import { isTooDeep, JSON_DEPTH_MAX } from "../../kit/json-depth.ts";
import { providerMessage } from "../catalog/failures.ts";
import { ModelFailure } from "./model.ts";

/** A longer error is not searched for a sentence. */
const ERROR_CHARACTERS_MAX = 64 * 1024;

export function connectionLost(): ModelFailure {
  return new ModelFailure("the connection to the provider was lost in the middle of its answer");
}

/** `how`: what the answer does, as in "an event is not JSON". */
export function brokenProtocol(how: string): ModelFailure {
  return new ModelFailure(`the provider's answer does not keep to its protocol: ${how}`);
}

export function tooLarge(charactersMax: number): ModelFailure {
  return new ModelFailure(`the provider's answer is larger than ${charactersMax} characters`);
}

/** Of JSON whose parts are written again: writing recurses, reading does not. Raises ModelFailure. */
export function requireFlat(json: string): void {
  if (isTooDeep(json)) throw brokenProtocol(`it is nested more than ${JSON_DEPTH_MAX} deep`);
}

/** An error that the provider sent in place of the rest of its answer. `body`: as sent; shown without the key. */
export function brokenOff(body: string, key: string): ModelFailure {
  const message = body.length > ERROR_CHARACTERS_MAX ? undefined : providerMessage(body, key);
  return new ModelFailure(`the provider broke off its answer${message === undefined ? "" : `: ${message}`}`);
}
