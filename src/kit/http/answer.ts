// Every answer leaves through here: security headers, request id, JSON, and errors in one shape.

import { AppError, messageOf } from "../error.ts";
import type { Log } from "../log.ts";

/** On every answer, API and UI. Scripts come from our own files only; nothing may frame us or read us across origins. */
export const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
} as const;

const JSON_HEADERS = new Headers({
  ...SECURITY_HEADERS,
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
});

/** For the next response only, which copies them: to change the copy would cost as much as to make it. */
function jsonHeaders(requestId: string): Headers {
  JSON_HEADERS.set("X-Request-Id", requestId);
  return JSON_HEADERS;
}

/** `value` undefined answers 204 without a body. */
export function answerJson(requestId: string, status: number, value: unknown): Response {
  const empty = value === undefined;
  const response = new Response(empty ? null : JSON.stringify(value), {
    status: empty ? 204 : status,
    headers: jsonHeaders(requestId),
  });
  // An empty body is no JSON, and a client that believes the header would fail on it.
  if (empty) response.headers.delete("Content-Type");
  return response;
}

/** 200 with JSON that is text already, or is written while it is sent. */
export function answerJsonText(requestId: string, text: Uint8Array | ReadableStream<Uint8Array>): Response {
  return new Response(text as Uint8Array<ArrayBuffer>, { headers: jsonHeaders(requestId) });
}

/** Shape: `{"error":{"message","code","request_id",details?}}`. Anything but an AppError is logged and shown as internal. */
export function answerError(requestId: string, error: unknown, log: Log): Response {
  const shown = error instanceof AppError ? error : internal(requestId, error, log);
  const { message, code, details } = shown;
  const body = { error: { message, code, request_id: requestId, ...(details ? { details } : {}) } };
  const response = answerJson(requestId, shown.status, body);
  if (code === "unauthenticated") response.headers.set("WWW-Authenticate", "Bearer");
  // Otherwise the rest could trickle on for as long as the client likes.
  if (code === "slow_body") response.headers.set("Connection", "close");
  if (code === "wrong_method") response.headers.set("Allow", String(details?.["allow"]));
  const retryAfter = details?.["retry_after_seconds"];
  if (retryAfter !== undefined) response.headers.set("Retry-After", String(retryAfter));
  return response;
}

function internal(requestId: string, error: unknown, log: Log): AppError {
  const stack = error instanceof Error ? error.stack : undefined;
  log.error("request failed", { request_id: requestId, error: messageOf(error), stack });
  return new AppError("internal", "internal error; the log has the details under this request ID");
}
