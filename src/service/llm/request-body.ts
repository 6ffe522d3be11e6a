// The JSON of a request, made with pauses: a conversation of tens of megabytes is written anew for each call of a model.

import { turnOfOthers } from "../../kit/clock.ts";
import { ModelFailure } from "./model.ts";

/** No model reads nearly as much. */
export const REQUEST_CHARACTERS_MAX = 32 * 1024 * 1024;
/** A few milliseconds' work. */
const STRETCH_CHARACTERS = 1024 * 1024;

/** The same text as `JSON.stringify` gives. Raises ModelFailure for one that is too large. */
export async function requestBody(request: object): Promise<Blob> {
  const pieces: string[] = [];
  let characters = 0;
  let pauseAt = STRETCH_CHARACTERS;
  for (const piece of piecesOf(request)) {
    pieces.push(piece);
    characters += piece.length;
    if (characters > REQUEST_CHARACTERS_MAX) throw tooLong();
    if (characters < pauseAt) continue;
    pauseAt = characters + STRETCH_CHARACTERS;
    await turnOfOthers();
  }
  return new Blob(pieces);
}

/** Of a list, each of its values is a piece. */
function* piecesOf(request: object): Generator<string> {
  let before = "{";
  for (const [key, value] of Object.entries(request) as [string, unknown][]) {
    yield `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (Array.isArray(value)) yield* piecesOfList(value);
    else yield JSON.stringify(value);
  }
  yield "}";
}

function* piecesOfList(values: readonly unknown[]): Generator<string> {
  yield "[";
  for (const [index, value] of values.entries()) {
    if (index > 0) yield ",";
    yield JSON.stringify(value);
  }
  yield "]";
}

function tooLong(): ModelFailure {
  return new ModelFailure(
    `the conversation is larger than ${REQUEST_CHARACTERS_MAX} characters: forget entries, or go on in another workspace`,
  );
}
