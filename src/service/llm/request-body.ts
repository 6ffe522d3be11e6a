// Serialises a request with pauses, because a conversation of tens of megabytes is serialised for every model call.

import { turnOfOthers } from "../../kit/clock.ts";
import { Base64Text } from "../attachments/content.ts";
import { ModelFailure } from "./model.ts";

/** Far more than any model reads. */
export const REQUEST_CHARACTERS_MAX = 32 * 1024 * 1024;
/** From a message to the bytes of an attachment in it. */
const BYTES_DEPTH_MAX = 4;
/** Takes a few milliseconds to serialise. */
const STRETCH_CHARACTERS = 1024 * 1024;

/** Produces the text of `JSON.stringify`. Raises ModelFailure when it is too large. */
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

/** Yields each value of a list as a separate piece. */
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
    yield* piecesOfValue(value);
  }
  yield "]";
}

/** The bytes of attachments are yielded as they are, so that a message with megabytes of them is never one text. */
function* piecesOfValue(value: unknown): Generator<string> {
  if (value instanceof Base64Text) {
    yield `"${value.prefix}`;
    yield* value.pieces;
    yield '"';
  } else if (!holdsBytes(value)) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* piecesOfList(value);
  else yield* piecesOfObject(value as object);
}

function* piecesOfObject(value: object): Generator<string> {
  let before = "{";
  for (const [key, inner] of Object.entries(value)) {
    yield `${before}${JSON.stringify(key)}:`;
    before = ",";
    yield* piecesOfValue(inner);
  }
  yield "}";
}

/** They stand in a message's content, in a block, in its source: no deeper. */
function holdsBytes(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > BYTES_DEPTH_MAX) return false;
  if (value instanceof Base64Text) return true;
  return Object.values(value).some((inner) => holdsBytes(inner, depth + 1));
}

function tooLong(): ModelFailure {
  return new ModelFailure(
    `the conversation is larger than ${REQUEST_CHARACTERS_MAX} characters; forget entries, or continue in another workspace`,
  );
}
