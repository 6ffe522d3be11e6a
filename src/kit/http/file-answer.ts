// Answers with a file that was compiled in: compressed as the client accepts it, with an ETag, cached for ever when its name says what is
// in it. It proves no paths: whoever calls it has looked the file up in a list.

import { SECURITY_HEADERS } from "./answer.ts";
import type { Exchange } from "./exchange.ts";

export interface ServedFile {
  /** Only its ending matters: it says the type. */
  readonly name: string;
  readonly tag: string;
  readonly file: string;
  readonly br?: string | undefined;
  readonly gzip?: string | undefined;
  /** Another content would have another name. */
  readonly neverChanges: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  png: "image/png",
  json: "application/json",
};

const YEAR_SECONDS = 31_536_000;

/** 304 when the client has it already. The answer to HEAD has the headers of the one to GET. */
export function answerFile(exchange: Exchange, served: ServedFile): Response {
  const { encoding, file } = encodingFor(served, exchange.headers["accept-encoding"]);
  // Each encoding is another representation, so it has another tag.
  const tag = `"${served.tag}${encoding === undefined ? "" : `-${encoding}`}"`;
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    "X-Request-Id": exchange.id,
    ETag: tag,
    Vary: "Accept-Encoding",
    // `no-cache` is: ask each time whether it is still the same.
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

/** `br`, `br;q=0.5`, but not `br;q=0`. RFC 9110, section 12.5.3. */
function accepts(header: string, coding: string): boolean {
  return header.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** RFC 9110, section 13.1.2: a list of tags, weak ones count; or `*`. */
function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const given = item.trim().replace(/^W\//, "");
    return given === "*" || given === tag;
  });
}
