// The errors of requests to a server that gives no answer of ours.

import { SECOND_MS } from "../../kit/clock.ts";
import {
  AppError,
  messageOf,
  systemCode,
  isErrorCode,
  type ErrorDetails,
  statusOf,
} from "../../kit/error.ts";

/** The runtime's advice to programmers, at the end of its messages. */
const ADVICE = / For more information, pass `verbose: true`.*$/;
const TRUST =
  "nothing on this machine vouches for its certificate; if it is the right server, set NODE_EXTRA_CA_CERTS to the file of its certificate or of the authority";
const PROBLEMS = new Map([
  ["ECONNREFUSED", "connection refused; check that the server is running and that the port is right"],
  ["ECONNRESET", "it closed the connection before an answer; check the address, and http or https in it"],
  ["ENOTFOUND", "host not found"],
  ["EPROTO", "it does not speak TLS there; check the port, and http or https in the address"],
  ["CERT_HAS_EXPIRED", "its certificate has expired; renew it on the server"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet; check the clocks of both machines"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for other names; use one of those in the address"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", TRUST],
  ["SELF_SIGNED_CERT_IN_CHAIN", TRUST],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", TRUST],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", TRUST],
]);

/** Describes common failures of the network and of TLS in our own words. */
export function networkProblem(error: unknown): string {
  return knownProblem(error) ?? messageOf(error).replace(ADVICE, "");
}

/** Undefined for any other failure. */
export function knownProblem(error: unknown): string | undefined {
  return PROBLEMS.get(systemCode(error) ?? "");
}

/** The error for an answer that ends too early. */
export function interrupted(server: string, problem: string): AppError {
  return new AppError(
    "unavailable",
    `the connection to ${server} was interrupted: ${problem.replace(ADVICE, "")}`,
  );
}

/** The error for a page where data is due, such as the sign-in of a proxy. */
export function notJson(server: string): AppError {
  return new AppError(
    "unavailable",
    `${server} answered with something other than JSON; is it a context server?`,
  );
}

/** The error for an answer that does not begin. */
export function noAnswer(server: string, limitMs: number): AppError {
  const seconds = Math.round(limitMs / SECOND_MS);
  const problem = `${server} does not answer: nothing arrived within ${seconds} s; check that it works, then try again`;
  return new AppError("unavailable", problem);
}

/** The error that a server answered with. */
export async function refusal(response: Response, server: string): Promise<AppError> {
  const text = await response.text();
  try {
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
  return new AppError("unavailable", `${server} answered ${response.status}; is it a context server?`);
}

/** Seconds. The other form of the header, a date, counts as none. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const header = headers.get("retry-after");
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
