// Reading request bodies: bounded while reading, never truncated. Over the limit is 413 and the rest is not read.

import { AppError } from "../error.ts";

export const JSON_BODY_BYTES_MAX = 1024 * 1024;

/** JSON body of a request. Raises `invalid` (not JSON, wrong type) and `too_large`. */
export async function readJson(request: Request, bytesMax: number = JSON_BODY_BYTES_MAX): Promise<unknown> {
  const bytes = await readBytes(request, bytesMax);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid", "the body is not valid JSON");
  }
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
