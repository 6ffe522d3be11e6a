// Turns pages into HTTP answers: markup, security headers, the policy of this answer, compression.

import type { ComponentChild } from "preact";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Fragment, h } from "preact";
import { renderToString } from "preact-render-to-string";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";

/** Smaller answers fit in one packet anyway. */
const COMPRESSED_BYTES_MIN = 1_400;
/** Compressing more would hold the serving thread, so another one does it. */
const LARGE_BYTES_MIN = 64 * 1024;
const FAST = { library: "libdeflate" } as const;
const compressed = promisify(gzip);

interface PageHeaders {
  readonly status: number;
  readonly nonce: string;
  readonly cookies?: readonly string[];
  readonly more?: Readonly<Record<string, string>>;
}

export function htmlAnswer(
  exchange: Exchange,
  markup: ComponentChild,
  headers: PageHeaders,
): Promise<Response> {
  return partAnswer(exchange, `<!doctype html>${renderToString(h(Fragment, null, markup))}`, headers);
}

/**
 * Compression reveals nothing here: other sites cannot make a browser send the session cookie (SameSite=Strict), so nobody can compare the sizes
 * of answers with the token of a form in them.
 */
export async function partAnswer(
  exchange: Exchange,
  html: string,
  { status, nonce, cookies, more }: PageHeaders,
): Promise<Response> {
  const headers = new Headers({
    ...pageHeaders(exchange, nonce),
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Encoding",
    ...more,
  });
  for (const cookie of cookies ?? []) headers.append("Set-Cookie", cookie);
  const bytes = new TextEncoder().encode(html);
  const isSmall = bytes.length < COMPRESSED_BYTES_MIN;
  if (isSmall || !acceptsGzip(exchange)) return new Response(bytes, { status, headers });
  headers.set("Content-Encoding", "gzip");
  const body = bytes.length < LARGE_BYTES_MIN ? Bun.gzipSync(bytes, FAST) : await compressed(bytes);
  return new Response(body, { status, headers });
}

export function redirect(
  exchange: Exchange,
  path: string,
  nonce: string,
  cookies: readonly string[],
): Response {
  const headers = new Headers({ ...pageHeaders(exchange, nonce), Location: path });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

function pageHeaders(exchange: Exchange, nonce: string): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    "Content-Security-Policy": policyOf(nonce),
    // The address of the page goes to this server only. Without it, browsers would hide the origin of forms.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Request-Id": exchange.id,
  };
}

function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

export function acceptsGzip({ headers }: Exchange): boolean {
  return /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(headers["accept-encoding"] ?? "");
}
