// What went wrong with a request, in words that can be shown: what the server said, or that it could not be reached.

export type ProblemCode =
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
  /** Not the server's: it was not reached. */
  | "offline";

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, code: ProblemCode, status = 0, requestId?: string, details = {}) {
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

/** From an answer's status and body; whatever is not in our shape (a proxy's page) still gets a sentence. */
export function problemOf(status: number, body: unknown): Problem {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as ErrorBody;
  if (error?.message === undefined)
    return new Problem(
      `The server answered with status ${status}.`,
      status === 404 ? "not_found" : "internal",
      status,
    );
  return new Problem(
    error.message,
    (error.code ?? "internal") as ProblemCode,
    status,
    error.request_id,
    error.details ?? {},
  );
}

/** What was asked for while the session was over; whatever the server says about the token helps nobody who signs in with a password. */
export function sessionOver(): Problem {
  return new Problem(
    "The session has ended, so this was not done. Your input is still here; sign in and try again.",
    "unauthenticated",
    401,
  );
}

export function offline(): Problem {
  return new Problem("The server can't be reached. Your input is still here; try again.", "offline");
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(error instanceof Error ? error.message : String(error), "internal");
}

/** The server begins the message of a refused field with the field's name: `name: expected string`. */
export function fieldOf(problem: Problem): { field: string; message: string } | undefined {
  const match = /^(?:body\.)?([a-z][a-z0-9_.]*): (.+)$/s.exec(problem.message);
  return match ? { field: match[1]!, message: match[2]! } : undefined;
}
