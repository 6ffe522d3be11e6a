// Answers with an embedded file: compressed as the client accepts, with an ETag, and cached forever if its name identifies its content.
// Does not validate paths: the caller looks up the file in a list.

import { accepts } from "./accepts.ts";
import { SECURITY_HEADERS } from "./answer.ts";
import { hasTag } from "./entity-tags.ts";
import type { Exchange } from "./exchange.ts";

export interface ServedFile {
  /** Only the extension matters; it determines the type. */
  readonly name: string;
  readonly tag: string;
  readonly file: string;
  readonly br?: string | undefined;
  readonly gzip?: string | undefined;
  /** The name changes with the content. */
  readonly neverChanges: boolean;
  /** In place of the policy that every answer has. */
  readonly policy?: string | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  png: "image/png",
  json: "application/json",
  webmanifest: "application/manifest+json",
};

const YEAR_SECONDS = 31_536_000;

/** Answers 304 if the client has the file. A HEAD answer has the headers of a GET answer. */
export function answerFile(exchange: Exchange, served: ServedFile): Response {
  const { encoding, file } = encodingFor(served, exchange.headers["accept-encoding"]);
  // Each encoding is a separate representation, so it has its own tag.
  const tag = `"${served.tag}${encoding === undefined ? "" : `-${encoding}`}"`;
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    ...(served.policy === undefined ? {} : { "Content-Security-Policy": served.policy }),
    "X-Request-Id": exchange.id,
    ETag: tag,
    Vary: "Accept-Encoding",
    // `no-cache` means revalidate every time.
    "Cache-Control": served.neverChanges ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
  };
  if (hasTag(exchange.headers["if-none-match"], tag)) return new Response(null, { status: 304, headers });
  headers["Content-Type"] = TYPES[served.name.split(".").at(-1)!] ?? "application/octet-stream";
  if (encoding !== undefined) headers["Content-Encoding"] = encoding;
  return new Response(Bun.file(file), { headers });
}

function encodingFor(
  served: ServedFile,
  accepted = "",
): { encoding: "br" | "gzip" | undefined; file: string } {
  if (served.br !== undefined && accepts(accepted, "br")) return { encoding: "br", file: served.br };
  if (served.gzip !== undefined && accepts(accepted, "gzip")) return { encoding: "gzip", file: served.gzip };
  return { encoding: undefined, file: served.file };
}
