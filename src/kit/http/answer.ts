// Builds every answer: security headers, request id, JSON, and errors in one shape.

import { AppError, messageOf, internalError } from "../error.ts";
import type { Log } from "../log.ts";
import { StorageError, storageReasonOf } from "../storage-error.ts";

/** Sent with every answer, API and UI. Allows only our own scripts, and forbids framing and cross-origin reads. */
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

/** Reused for the next response, which copies them: changing the copy would cost as much as making it. */
function jsonHeaders(requestId: string): Headers {
  JSON_HEADERS.set("X-Request-Id", requestId);
  return JSON_HEADERS;
}

/** An undefined `value` answers 204 without a body. */
export function answerJson(requestId: string, status: number, value: unknown): Response {
  const empty = value === undefined;
  const response = new Response(empty ? null : JSON.stringify(value), {
    status: empty ? 204 : status,
    headers: jsonHeaders(requestId),
  });
  // An empty body is not JSON, so a client that trusts the header would fail.
  if (empty) response.headers.delete("Content-Type");
  return response;
}

/** Answers 200 with JSON text, or with a stream of it. */
export function answerJsonText(requestId: string, text: Uint8Array | ReadableStream<Uint8Array>): Response {
  return new Response(text as Uint8Array<ArrayBuffer>, { headers: jsonHeaders(requestId) });
}

/** Answers `{"error":{"message","code","request_id",details?}}`. Logs any error but an AppError, and shows it as internal unless the process may open no more files. */
export function answerError(requestId: string, error: unknown, log: Log): Response {
  const shown = error instanceof AppError ? error : unexpected(requestId, error, log);
  const { message, code, details } = shown;
  const body = { error: { message, code, request_id: requestId, ...(details ? { details } : {}) } };
  const response = answerJson(requestId, shown.status, body);
  if (code === "unauthenticated") response.headers.set("WWW-Authenticate", "Bearer");
  // Otherwise the client could keep sending the rest of the body indefinitely.
  if (code === "slow_body") response.headers.set("Connection", "close");
  if (code === "wrong_method") response.headers.set("Allow", String(details?.["allow"]));
  const retryAfter = details?.["retry_after_seconds"];
  if (retryAfter !== undefined) response.headers.set("Retry-After", String(retryAfter));
  return response;
}

function unexpected(requestId: string, error: unknown, log: Log): AppError {
  const stack = error instanceof Error ? error.stack : undefined;
  log.error("request failed", { request_id: requestId, error: messageOf(error), stack });
  // No defect: any call of the system may fail so.
  if (storageReasonOf(error) === "open_files") return new StorageError("open_files", "EMFILE");
  return internalError();
}
