// Reading request bodies: bounded while reading, never truncated, counted in the server's budget of bodies until the request is answered.
// Over the limit is 413 and the rest is not read.

import { turnOfOthers } from "../clock.ts";
import { LATE, within } from "../deadline.ts";
import { AppError } from "../error.ts";
import { isDeeper, JSON_DEPTH_MAX } from "../json-depth.ts";
import { slowBody } from "./bodies.ts";
import { claimBody, exchangeOf } from "./exchange.ts";

export const JSON_BODY_BYTES_MAX = 1024 * 1024;
/** Read in one piece, which costs half of reading a stream. */
const ONE_PIECE_BYTES_MAX = 64 * 1024;

/** JSON body of a request. Raises `invalid` (not JSON, nested too deeply) and what `readBytes` raises. */
export async function readJson(request: Request, bytesMax: number = JSON_BODY_BYTES_MAX): Promise<unknown> {
  const bytes = await readBytes(request, bytesMax);
  if (isDeeper(bytes, JSON_DEPTH_MAX)) throw tooDeep();
  return parseJson(bytes);
}

/** Raises `invalid` for what is not JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid", "the body is not valid JSON");
  }
}

export function tooDeep(): AppError {
  return new AppError("invalid", `the body is nested more than ${JSON_DEPTH_MAX} deep`);
}

/** Raises `too_large`, `unavailable` (the budget of bodies is used up), `slow_body`, `invalid` (it broke off). */
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
 * The body as it arrives, claimed from the budget of where its reader keeps it: at once as long as it says it is, else as it grows. A piece
 * belongs to the reader. Raises as `readBytes`.
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
 * Of a body without a stated length. The server below gives it out with its last chunk; a trailer behind that is an error, which closes the
 * connection a turn later. Raises `invalid`, for nobody to read: the server below has answered 400.
 *
 * A trailer in a packet of its own comes too late for that. It is harmless: the body was complete, no field of a trailer is ever read, and
 * the connection is closed, so that nothing behind it passes for a request.
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
