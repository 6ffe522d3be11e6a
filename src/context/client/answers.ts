// Reads the answers of a context server, within limits: a server that is hostile or broken must not fill the memory of a program that asks it.

import { AppError, messageOf } from "../../kit/error.ts";
import { boundedBody } from "../../kit/network/bounded-body.ts";
import { sizeText } from "../../kit/text/amounts.ts";
import { interrupted } from "./failures.ts";

/** Of JSON: a list of a million files has about this size. */
const JSON_BYTES_MAX = 256 * 1024 * 1024;
/** As `FILE_BYTES_CEILING`, whose file loads more than a command needs. */
const CONTENT_BYTES_MAX = 64 * 1024 * 1024;

/** Raises `unavailable` for more JSON than any answer has, and for an answer that ends too early. */
export async function jsonText(response: Response, server: string): Promise<string> {
  return new TextDecoder().decode(await bodyOf(response, server, JSON_BYTES_MAX));
}

/** Returns the content of a file. Raises as `jsonText`. */
export function contentOf(response: Response, server: string): Promise<Uint8Array> {
  return bodyOf(response, server, CONTENT_BYTES_MAX);
}

async function bodyOf(response: Response, server: string, bytesMax: number): Promise<Uint8Array> {
  const body = await boundedBody(response, bytesMax).catch((error: unknown) => {
    throw interrupted(server, messageOf(error));
  });
  if (body !== undefined) return body;
  throw new AppError(
    "unavailable",
    `${server} answered with more than ${sizeText(bytesMax)}, which no context server does; ask its admin what changes its answers`,
  );
}
