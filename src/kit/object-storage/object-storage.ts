// A store of objects by key, as programs use it, whoever keeps it. Keys are relative to the store. The conditional create is the one operation that
// tells two writers apart, so a program that relies on it proves it first.

import { AppError } from "../error.ts";
import { randomHex } from "../random.ts";
import { CONTENT_TOO_LARGE } from "./s3-failure.ts";

export interface ListedObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
}

export interface CreateOptions {
  /** Of the bytes as hex, if the caller has it already. */
  readonly sha256?: string;
  /** Names the creator: an object that an earlier call of it created, with the same bytes, is its own. By default, each call is another one. */
  readonly by?: string;
}

/**
 * Every operation has a deadline. `unavailable` carries the storage's own code in `details.reason` (`AccessDenied`, `NoSuchBucket`), or one of
 * `deadline`, `unreachable`, `interrupted`, `unordered` and `not_s3`. A key that cannot be one raises `invalid`.
 */
export interface ObjectStorage {
  /** Undefined: no such object. Raises `unavailable`; `too_large` above `bytesMax`. */
  get(key: string, bytesMax: number): Promise<Uint8Array | undefined>;
  /** Streams an object; for large ones. Raises `not_found`, `unavailable`, and the reason of an aborted signal. */
  read(key: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Creates an object unless there is one. False: there is one already, of another creator. Raises `unavailable` when it is unknown whether it was
   * created; the object may then still appear.
   */
  create(key: string, bytes: Uint8Array, options?: CreateOptions): Promise<boolean>;
  /** Creates or replaces an object. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** As `put`, of unknown length, with bounded memory. A failure, also one of `content`, leaves no object. `too_large`: more than the storage takes. */
  upload(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>;
  /** All objects whose keys begin with `prefix`, in the order of their bytes, after the key `after`. */
  list(prefix: string, after?: string): AsyncIterable<ListedObject>;
  /** Missing objects are no error. */
  remove(keys: readonly string[]): Promise<void>;
}

const PROBE_BITS = 96;

/** Reports whether the storage, or a proxy in front of it, refused an object because of its size. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { reason, status } = error.details ?? {};
  return reason === "EntityTooLarge" || status === CONTENT_TOO_LARGE;
}

/** Proves that the storage creates an object only once. Raises `refused` if it does not, and `unavailable`. */
export async function requireConditionalCreate(storage: ObjectStorage): Promise<void> {
  const key = `.probe-${randomHex(PROBE_BITS)}`;
  const isHonoured = await createsOnce(storage, key);
  await storage.remove([key]);
  if (!isHonoured)
    throw new AppError(
      "refused",
      "the object storage does not honour conditional creates (If-None-Match: *), so two writers could replace each other's objects; use a storage that does",
      { reason: "unconditional" },
    );
}

async function createsOnce(storage: ObjectStorage, key: string): Promise<boolean> {
  try {
    const isCreated = await storage.create(key, Buffer.from("1"));
    return isCreated && !(await storage.create(key, Buffer.from("2")));
  } catch (error) {
    if (error instanceof AppError && error.details?.["reason"] === "NotImplemented") return false;
    throw error;
  }
}
