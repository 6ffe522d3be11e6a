// The one error that may speak to a user, and the one table that says what each code means on every surface.
// Anything that is not an AppError is a defect: it is logged in full and shown as `internal`.

/** Code → HTTP status. Closed: a new code is a decision, made here and nowhere else. */
export const statusOf = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  wrong_method: 405,
  slow_body: 408,
  conflict: 409,
  turn_running: 409,
  epoch_changed: 409,
  stale: 412,
  too_large: 413,
  quota_exceeded: 413,
  not_text: 415,
  misdirected: 421,
  refused: 422,
  secret_found: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** For a code from another program. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(statusOf, code);
}

const EXIT_FAILURE = 1;
const EXIT_REFUSED = 2;
const EXIT_STALE = 3;

/** Code → exit code of a command line: 1 usage or local state, 2 network, credentials or rights, 3 a compare-and-swap that was rejected. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof AppError)) return EXIT_FAILURE;
  if (error.code === "stale") return EXIT_STALE;
  return REFUSALS.has(error.code) ? EXIT_REFUSED : EXIT_FAILURE;
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthenticated",
  "forbidden",
  "misdirected",
  "slow_body",
  "rate_limited",
  "unavailable",
]);

type Detail = string | number | boolean | null;
/** Details are small, safe to show, and part of the API (for example `{ current: { version: 7, hash } }` with `stale`). */
export type ErrorDetails = Record<string, Detail | readonly string[] | Readonly<Record<string, Detail>>>;

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** The single message for a record that is missing or hidden from the caller: `model 7: not found`. */
export function notFound(noun: string, id: number | string): AppError {
  return new AppError("not_found", `${noun} ${id}: not found`);
}

/** For `catch`: undefined instead of `not_found`. Raises every other error. */
export function noneIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}

/** `name: must not be empty`, for one field of a body. The details repeat it in parts, so that a form can show it beside the input. */
export function fieldError(
  code: ErrorCode,
  field: string,
  problem: string,
  details: ErrorDetails = {},
): AppError {
  return new AppError(code, `${field}: ${problem}`, { field, problem, ...details });
}

/** The error that a client gets for a defect. */
export function internalError(): AppError {
  return new AppError("internal", "internal error; the log has the details under this request ID");
}

/** The refusal of a program that is stopping. */
export function stopping(what: "server" | "service"): AppError {
  return new AppError("unavailable", `the ${what} is stopping`);
}

/** Names come from the caller, so errors truncate them. */
export const NAME_CHARACTERS_SHOWN_MAX = 100;

/** `query parameter limit: given twice`. The details repeat it in parts, for a client with another name for the parameter. */
export function badParameter(name: string, problem: string): AppError {
  return new AppError("invalid", `query parameter ${name}: ${problem}`, {
    in: "query",
    field: name,
    problem,
  });
}

/** Text of anything thrown, for logs; never for users unless it is an AppError. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The wait that a server asks for when it allows no more requests. Undefined: not a matter of waiting. */
export function retryAfterSeconds(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.code !== "rate_limited") return undefined;
  const seconds = error.details?.["retry_after_seconds"];
  return typeof seconds === "number" ? seconds : undefined;
}

/** SQLite, the file system and the network name their failures in `code`; undefined when there is none. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
