// A failed request as an error that can be shown: the server's own, a lost connection, or an ended session.

import { isLoadFailure } from "./load-failure.ts";

type ProblemCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "turn_running"
  | "stale"
  | "too_large"
  | "not_text"
  | "misdirected"
  | "refused"
  | "rate_limited"
  | "internal"
  | "unavailable"
  /** The client's own: the server was not reached. */
  | "offline";

interface Answered {
  /** 0: there was no answer. */
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, code: ProblemCode, { status = 0, requestId, details = {} }: Answered = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
  }
}

interface ErrorBody {
  error?: { message?: string; code?: string; request_id?: string; details?: Record<string, unknown> };
}

/** From a response's status and body. A body in another shape, such as a proxy's page, still gets a message. */
export function problemOf(status: number, body: unknown): Problem {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as ErrorBody;
  if (error?.message === undefined)
    return new Problem(wordsOf(status), status === 404 ? "not_found" : "internal", { status });
  const { message, code = "internal", request_id: requestId, details = {} } = error;
  return new Problem(message, code as ProblemCode, { status, requestId, details });
}

/** As `problemOf`, but a 401 says that the session has ended. */
export function refusalOf(status: number, body: unknown): Problem {
  return status === 401 ? sessionOver() : problemOf(status, body);
}

/** Undefined when the response has no JSON. */
export async function bodyOf(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return undefined;
  }
}

/** Of a response that is not the server's own, because a proxy in front of it answered. */
function wordsOf(status: number): string {
  const by = `A proxy in front of the server responded with status ${status}`;
  if (status === 413) return `${by}: the request is larger than it allows.`;
  if (status === 429) return `${by}: too many requests. Wait a moment and try again.`;
  if (status >= 502 && status <= 504) return `${by}: the server is unavailable. Try again in a moment.`;
  return `The server responded with status ${status}.`;
}

/** Replaces the server's 401, which speaks of tokens and helps no one who signs in with a password. */
function sessionOver(): Problem {
  return new Problem(
    "Your session had ended, so nothing was changed. After signing in, try again; your input is kept.",
    "unauthenticated",
    { status: 401 },
  );
}

export function offline(): Problem {
  return new Problem("The server is unreachable. Try again; your input is kept.", "offline");
}

function notLoaded(): Problem {
  return new Problem(
    "This part of the interface could not be loaded. The server is unreachable or has been updated.",
    "offline",
  );
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isLoadFailure(error)) return notLoaded();
  return new Problem(error instanceof Error ? error.message : String(error), "internal");
}

/** A problem with one field of a form that was found before anything was sent. */
export function fieldProblem(field: string, problem: string): Problem {
  return new Problem(problem, "invalid", { details: { field, problem } });
}

/** Returns the field that was refused, and why, without the field's name. */
export function fieldOf({ details }: Problem): { field: string; problem: string } | undefined {
  const { field, problem } = details;
  return typeof field === "string" && typeof problem === "string" ? { field, problem } : undefined;
}

/** Seconds to wait after a limit was reached. */
export function waitOf({ code, details }: Problem): number | undefined {
  const seconds = details["retry_after_seconds"];
  return code === "rate_limited" && typeof seconds === "number" ? seconds : undefined;
}

/** The same problem, said of another field; of one that names none, its message. */
export function withField(problem: Problem, field: string): Problem {
  const { message, code, status, requestId, details } = problem;
  const why = fieldOf(problem)?.problem ?? message;
  return new Problem(message, code, { status, requestId, details: { ...details, field, problem: why } });
}
