// The errors of requests to a server that gives no answer of ours.

import { SECOND_MS } from "../../kit/clock.ts";
import { AppError, isErrorCode, type ErrorDetails, statusOf } from "../../kit/error.ts";
import { boundedBody } from "../../kit/network/bounded-body.ts";
import { withoutAdvice } from "../../kit/network/network-problem.ts";

/** More than any error of ours has. */
const ERROR_BYTES_MAX = 1024 * 1024;
/** Statuses by which a proxy says that it has no answer of the server (RFC 9110, section 15.6). */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** The error for an answer that ends too early. */
export function interrupted(server: string, problem: string): AppError {
  return new AppError(
    "unavailable",
    `the connection to ${server} was interrupted: ${withoutAdvice(problem)}`,
  );
}

/** The error for a page where data is due, such as the sign-in of a proxy. */
export function notJson(server: string): AppError {
  return new AppError("unavailable", `${server} answered with something other than JSON; ${guessOf(server)}`);
}

/** An address from a browser, such as that of a page of the console, is longer than that of the server. */
function guessOf(server: string): string {
  const url = URL.parse(server);
  return url === null || url.pathname === "/"
    ? "is it a context server?"
    : `is it a context server? Without ${url.pathname}, its address is ${url.origin}`;
}

/** The error for an answer that does not begin. */
export function noAnswer(server: string, limitMs: number): AppError {
  const seconds = Math.round(limitMs / SECOND_MS);
  const problem = `${server} does not answer: nothing arrived within ${seconds} s; check that it works, then try again`;
  return new AppError("unavailable", problem);
}

/** The error that a server answered with. */
export async function refusal(response: Response, server: string): Promise<AppError> {
  const body = await boundedBody(response, ERROR_BYTES_MAX);
  try {
    const text = new TextDecoder().decode(body);
    const { error } = JSON.parse(text) as {
      error: { message: string; code: string; details?: ErrorDetails };
    };
    if (isErrorCode(error.code)) return new AppError(error.code, error.message, error.details);
  } catch {
    // Not our error format: a proxy or another program.
  }
  const seconds = retryAfterOf(response);
  if (response.status === statusOf.rate_limited && seconds !== undefined)
    return new AppError("rate_limited", `${server} allows no more requests; try again in ${seconds} s`, {
      retry_after_seconds: seconds,
    });
  const guess = GATEWAY.has(response.status)
    ? "its proxy reaches no server at the moment; try again shortly"
    : guessOf(server);
  return new AppError("unavailable", `${server} answered ${response.status}; ${guess}`);
}

/** Seconds. The other form of the header, a date, counts as none. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const header = headers.get("retry-after");
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
