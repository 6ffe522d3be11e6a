// Reads request bodies: bounded while reading, never truncated, and counted in the server's budget until the request is answered.
// A body over the limit is refused with 413, and the rest is not read.

import { turnOfOthers } from "../clock.ts";
import { LATE, within } from "../concurrency/deadline.ts";
import { AppError, fieldError, NAME_CHARACTERS_SHOWN_MAX } from "../error.ts";
import { doubledKey } from "../text/json-keys.ts";
import {
  hasManyEscapes,
  JSON_DEPTH_MAX,
  JSON_ESCAPES_MAX,
  JSON_KEYS_MAX,
  JSON_NAMES_MAX,
  JSON_TEXTS_MAX,
  JSON_VALUES_MAX,
  shapeOf,
  type JsonShape,
} from "../text/json-shape.ts";
import { slowBody } from "./bodies.ts";
import { claimBody, exchangeOf } from "./exchange.ts";

export const JSON_BODY_BYTES_MAX = 1024 * 1024;
/** Half of a pair can only be written as an escape, since the text is UTF-8. */
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
/** Bodies up to this size are read in one piece, at half the cost of a stream. */
const ONE_PIECE_BYTES_MAX = 64 * 1024;

/**
 * JSON body of a request. Raises as `parseJson`, and what `readBytes` raises. A large one is read in turns, so that several that arrive at once do
 * not add up.
 */
export async function readJson(request: Request, bytesMax: number = JSON_BODY_BYTES_MAX): Promise<unknown> {
  const bytes = await readBytes(request, bytesMax);
  const isLarge = bytes.length > ONE_PIECE_BYTES_MAX;
  if (isLarge) await turnOfOthers();
  if (hasManyEscapes(bytes))
    throw new AppError("invalid", `the body has more than ${JSON_ESCAPES_MAX} escaped characters`);
  if (isLarge) await turnOfOthers();
  const value = parseJson(bytes);
  // Its check against the schema and its handler follow.
  if (isLarge) await turnOfOthers();
  return value;
}

/**
 * Raises `invalid` unless the bytes are JSON in UTF-8 that is neither too deep nor too crowded, with one value for each key, and whose texts
 * can be stored as they are.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const { keys, excess } = shapeOf(bytes);
  if (excess !== undefined) throw excessive(excess);
  const { text, value } = parsed(bytes);
  const doubled = doubledKey(bytes, keys, value);
  if (doubled !== undefined) throw givenTwice(doubled);
  const broken = ESCAPED_SURROGATE.test(text) ? placeOfHalfPair(value) : undefined;
  if (broken) throw fieldError("invalid", broken.join(".") || "body", "not valid Unicode");
  return value;
}

function parsed(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch {
    throw new AppError("invalid", "the body is not valid JSON");
  }
}

/** Returns where a text has half of a surrogate pair, which UTF-8 cannot express; undefined: nowhere. The depth is limited already. */
function placeOfHalfPair(value: unknown): string[] | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed()) return [];
    const place = placeOfHalfPair(inner);
    if (place) return [name.slice(0, NAME_CHARACTERS_SHOWN_MAX), ...place];
  }
  return undefined;
}

function givenTwice(key: string): AppError {
  const name = key === "" ? '""' : key.toWellFormed().slice(0, NAME_CHARACTERS_SHOWN_MAX);
  return fieldError("invalid", name, "given twice");
}

const EXCESS = {
  keys: `${JSON_KEYS_MAX} keys`,
  names: `${JSON_NAMES_MAX} different keys`,
  texts: `${JSON_TEXTS_MAX} strings`,
  values: `${JSON_VALUES_MAX} values`,
} as const;

function excessive(excess: NonNullable<JsonShape["excess"]>): AppError {
  if (excess === "depth") return tooDeep();
  return new AppError("invalid", `the body has more than ${EXCESS[excess]}`);
}

export function tooDeep(): AppError {
  return new AppError("invalid", `the body is nested more than ${JSON_DEPTH_MAX} deep`);
}

/** Raises `too_large`, `unavailable` (the budget of bodies is exhausted), `slow_body`, `invalid` (incomplete body). */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared !== undefined && declared <= Math.min(bytesMax, ONE_PIECE_BYTES_MAX))
    return readOnePiece(request, declared);
  const pieces: Uint8Array[] = [];
  for await (const piece of bodyPieces(request, bytesMax, "memory")) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function readOnePiece(request: Request, declared: number): Promise<Uint8Array> {
  claimBody(request, "memory").grow(declared);
  try {
    const body = await within(exchangeOf(request).bodies.graceMs, request.arrayBuffer());
    if (body === LATE) throw slowBody();
    return new Uint8Array(body);
  } catch (error) {
    throw brokenOff(error);
  }
}

/**
 * Yields the body in chunks, claimed from the budget where its reader stores it: upfront if its length is stated, otherwise as it grows. The
 * reader owns each chunk. Raises as `readBytes`.
 */
export async function* bodyPieces(
  request: Request,
  bytesMax: number,
  keptIn: "memory" | "disk",
): AsyncGenerator<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared !== undefined && declared > bytesMax) throw tooLarge(bytesMax);
  if (!request.body) return;
  const claim = claimBody(request, keptIn);
  claim.grow(declared ?? 0);
  const requirePace = exchangeOf(request).bodies.pace();
  const { signal } = request;
  let received = 0;
  try {
    for await (const piece of request.body) {
      received += piece.byteLength;
      if (received > bytesMax) throw tooLarge(bytesMax);
      if (declared === undefined) claim.grow(piece.byteLength);
      requirePace(received);
      yield piece;
    }
    if (declared === undefined) await requireEnd(signal);
  } catch (error) {
    throw brokenOff(error);
  }
}

/**
 * Checks a body without a stated length for a trailer. Bun delivers the body with its last chunk; a trailer after it is an error that closes the
 * connection one turn later. Raises `invalid`, which no client sees, because Bun has already answered 400.
 *
 * A trailer in a later packet goes unnoticed. It is harmless: the body was complete, no trailer field is read, and the connection is closed, so
 * that the bytes after it cannot pass for a request.
 */
async function requireEnd(signal: AbortSignal): Promise<void> {
  await turnOfOthers();
  if (signal.aborted) throw new AppError("invalid", "the body was not followed by its end");
}

function declaredBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header === null ? undefined : Number(header);
}

/** The client disconnected mid-request. No one reads this answer, and it is not a failure of the server. */
function brokenOff(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("invalid", "the body ended before it was complete");
}

function tooLarge(bytesMax: number): AppError {
  return new AppError("too_large", `the body is larger than ${bytesMax} bytes`, { limit_bytes: bytesMax });
}
