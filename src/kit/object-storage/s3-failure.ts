// The errors of an object storage: its own code as data, and a sentence that says what to check.

import { AppError } from "../error.ts";

export interface Bucket {
  readonly host: string;
  readonly bucket: string;
}

const CODE = /^[A-Za-z0-9._-]{1,64}$/;
const CHECK_PLACE = "check the endpoint and the region";
const CHECK_SESSION = "renew the credentials, whose session token is not valid or no longer";
const CHECK_REST = "check the bucket, the credentials and the documentation of the storage";
const LATER = "the storage is busy or has a fault of its own; retry later";
/** By the codes of the storage. */
const ADVICE = new Map([
  ["AccessDenied", "check that the access key may list the bucket, and read, write and delete its objects"],
  ["InvalidAccessKeyId", "check the access key ID"],
  ["SignatureDoesNotMatch", "check the secret access key"],
  ["NoSuchBucket", "create the bucket, or check its name"],
  ["AllAccessDisabled", "check the account of the storage"],
  ["RequestTimeTooSkewed", "check the clock of this machine"],
  ["RequestExpired", "check the clock of this machine"],
  ["ExpiredToken", CHECK_SESSION],
  ["InvalidToken", CHECK_SESSION],
  ["InvalidTokenId", CHECK_SESSION],
  ["AuthorizationHeaderMalformed", CHECK_PLACE],
  ["PermanentRedirect", CHECK_PLACE],
  ["TemporaryRedirect", CHECK_PLACE],
  ["InvalidRegion", CHECK_PLACE],
  ["NotImplemented", "the storage does not support the request; use another storage"],
  ["EntityTooLarge", "the object is larger than the storage accepts"],
  ["ConditionalRequestConflict", "several writers create the same object; retry later"],
  ["InternalError", LATER],
  ["SlowDown", LATER],
  ["ServiceUnavailable", LATER],
]);
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  "ConditionalRequestConflict",
  "OperationAborted",
  "RequestTimeout",
  "unreachable",
  "interrupted",
]);
const TOO_MANY_REQUESTS = 429;
const SERVER_FAULT = 500;
const NOT_IMPLEMENTED = 501;
export const CONTENT_TOO_LARGE = 413;

/** For an answer with a status that is not of success. `code`: undefined if the body names none. */
export function refusedBy(bucket: Bucket, status: number, code: string | undefined): AppError {
  if (code === undefined || !CODE.test(code)) return notS3(bucket, status);
  const advice = ADVICE.get(code) ?? (status >= SERVER_FAULT ? LATER : CHECK_REST);
  return failure(bucket, { reason: code, status }, `${code}; ${advice}`);
}

/** For an answer that is not one of S3. */
export function notS3(bucket: Bucket, status: number): AppError {
  return failure(
    bucket,
    { reason: "not_s3", status },
    status === CONTENT_TOO_LARGE
      ? "a proxy in front of it refuses a body of this size with status 413; raise the limit of the proxy"
      : `the answer with status ${status} is not one of S3; check the endpoint`,
  );
}

export function tooLate(bucket: Bucket, limitMs: number): AppError {
  return failure(
    bucket,
    { reason: "deadline" },
    `no answer within ${limitMs} ms; check the network and the storage`,
  );
}

/** `problem`: in words, with advice. */
export function unreachable(bucket: Bucket, problem: string): AppError {
  return failure(bucket, { reason: "unreachable" }, problem);
}

export function interrupted(bucket: Bucket): AppError {
  return failure(
    bucket,
    { reason: "interrupted" },
    "the answer ended too early; check the network and the storage",
  );
}

/** The storage lists its objects in another order, so that a reader cannot continue after a key. */
export function unordered(bucket: Bucket): AppError {
  return failure(
    bucket,
    { reason: "unordered" },
    "it does not list its objects in order; use another storage",
  );
}

function failure(
  { host, bucket }: Bucket,
  cause: { readonly reason: string; readonly status?: number },
  problem: string,
): AppError {
  return new AppError("unavailable", `cannot use bucket ${bucket} at ${host}: ${problem}`, {
    ...cause,
    host,
    bucket,
  });
}

/** Whether the same request may succeed a moment later. `passing`: one more code of which this is true. */
export function mayPass(error: unknown, passing?: string): boolean {
  if (!(error instanceof AppError)) return false;
  const { reason, status } = error.details ?? {};
  if (PASSING_CODES.has(reason) || (reason === passing && reason !== undefined)) return true;
  if (status === TOO_MANY_REQUESTS) return true;
  return isServerFault(status);
}

function isServerFault(status: unknown): boolean {
  return typeof status === "number" && status >= SERVER_FAULT && status !== NOT_IMPLEMENTED;
}

/** Whether the storage may have done what was asked although it did not say so. */
export function isUncertain(error: unknown): boolean {
  return mayPass(error) || (error instanceof AppError && error.details?.["reason"] === "deadline");
}
