// Reading request bodies: bounded while reading, never truncated. Over the limit is 413 and the rest is not read.

import { AppError } from "../error.ts";

export const JSON_BODY_BYTES_MAX = 1024 * 1024;
/** Far more than any route takes. What looks into a value recurses, or indents it by its depth: a small body could cost minutes. */
export const JSON_DEPTH_MAX = 64;

/** JSON body of a request. Raises `invalid` (not JSON, nested too deeply) and `too_large`. */
export async function readJson(request: Request, bytesMax: number = JSON_BODY_BYTES_MAX): Promise<unknown> {
  const bytes = await readBytes(request, bytesMax);
  if (isDeeper(bytes, JSON_DEPTH_MAX))
    throw new AppError("invalid", `the body is nested more than ${JSON_DEPTH_MAX} deep`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid", "the body is not valid JSON");
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Of JSON in UTF-8; of anything else some answer, since it is refused anyway. Long texts are passed over at once. */
function isDeeper(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    // Brackets and braces differ in one bit.
    const bracket = byte | 0x20;
    if (bracket === 0x7b) depth += 1;
    else if (bracket === 0x7d) depth -= 1;
    else if (byte === QUOTE) at = endOfText(bytes, at);
    if (depth > depthMax) return true;
  }
  return false;
}

/** Where the text that begins at `start` has its closing quote: one behind an even number of backslashes. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return bytes.length;
}

export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  try {
    if (request.headers.get("content-length") !== null) return new Uint8Array(await request.arrayBuffer());
    return await readStream(request.body, bytesMax);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // A client that went away in the middle: nobody reads this answer, and it is no failure of ours.
    throw new AppError("invalid", "the body ended before it was complete");
  }
}

async function readStream(stream: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Uint8Array> {
  if (!stream) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

function tooLarge(bytesMax: number): AppError {
  return new AppError("too_large", `the body is larger than ${bytesMax} bytes`, { limit_bytes: bytesMax });
}
