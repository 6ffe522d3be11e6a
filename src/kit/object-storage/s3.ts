// An object storage that speaks the protocol of S3: AWS and the storages compatible with it.

import { MINUTE_MS, systemClock, systemTimers, type Clock, type Timers } from "../clock.ts";
import { AppError } from "../error.ts";
import { randomHex } from "../random.ts";
import type { CreateOptions, ListedObject, ObjectStorage } from "./object-storage.ts";
import { encodedKey, s3Address, type S3Place } from "./s3-address.ts";
import { S3Connection } from "./s3-connection.ts";
import { isUncertain, notS3, refusedBy, unordered } from "./s3-failure.ts";
import type { S3Credentials } from "./s3-signature.ts";
import { PART_BYTES, uploadInParts } from "./s3-upload.ts";
import { listPage, removalBody, removalErrors } from "./s3-xml.ts";

const TIMEOUT_MS = 5_000;
const REMOVED_MAX = 1_000;
/** Some storages remove one object after the other. */
const REMOVAL_LIMIT_MS = MINUTE_MS;
const OK = 200;
const NO_OBJECT = "NoSuchKey";
const TAKEN = "PreconditionFailed";
/** Names the creator of an object. */
const MARK = "x-amz-meta-created-by";
const MARK_BITS = 128;

interface S3Options extends S3Place {
  /** Of every key; invisible to callers. */
  readonly prefix?: string;
  readonly credentials: S3Credentials;
  /**
   * Limits an operation, which has a second more for each 256 KiB of its object; of `read`, the silence between two pieces. Parts of uploads have minutes.
   * `create` takes at most twice as long.
   */
  readonly timeoutMs?: number;
  /** Of an upload in parts. */
  readonly partBytes?: number;
  readonly clock?: Pick<Clock, "now">;
  readonly timers?: Timers;
}

/** Connects with the first request. Raises `invalid` for options that cannot work. */
export function s3Storage(options: S3Options): ObjectStorage {
  const { prefix = "", bucket, region, credentials, partBytes = PART_BYTES } = options;
  if (prefix !== "") encodedKey(prefix);
  requireUsable(credentials);
  const connection = new S3Connection({
    address: s3Address(options),
    bucket,
    region,
    credentials,
    limitMs: options.timeoutMs ?? TIMEOUT_MS,
    clock: options.clock ?? systemClock,
    timers: options.timers ?? systemTimers,
  });
  return new S3Storage(connection, prefix, partBytes);
}

/** Raises `invalid`, for example for a line break at the end. The values are secret, so that the error shows none. */
function requireUsable({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials): void {
  const named = { "access key ID": accessKeyId, "secret access key": secretAccessKey };
  const all = { ...named, ...(sessionToken !== undefined && { "session token": sessionToken }) };
  for (const [name, value] of Object.entries(all))
    if (!/^[\x21-\x7E]+$/.test(value))
      throw new AppError("invalid", `${name}: expected ASCII characters without spaces and line breaks`);
}

class S3Storage implements ObjectStorage {
  readonly #connection: S3Connection;
  readonly #prefix: string;
  readonly #partBytes: number;

  constructor(connection: S3Connection, prefix: string, partBytes: number) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#partBytes = partBytes;
  }

  async get(key: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const request = { method: "GET", key: this.#full(key), accepts: [NO_OBJECT], bytesMax } as const;
    const { body, code } = await this.#connection.ask(request);
    return code === undefined ? body : undefined;
  }

  read(key: string, signal?: AbortSignal): AsyncIterable<Uint8Array> {
    const request = { method: "GET", key: this.#full(key), accepts: [NO_OBJECT], signal } as const;
    return this.#connection.read(request, () => {
      throw new AppError("not_found", `object ${key}: not found`);
    });
  }

  async create(key: string, body: Uint8Array, { sha256, by }: CreateOptions = {}): Promise<boolean> {
    const full = this.#full(key);
    const mark = by ?? randomHex(MARK_BITS);
    const headers = { "if-none-match": "*", [MARK]: mark };
    let failure: unknown;
    try {
      const request = { method: "PUT", key: full, headers, body, accepts: [TAKEN] } as const;
      const known = sha256 === undefined ? {} : { bodyHash: sha256 };
      const { code } = await this.#connection.ask({ ...request, ...known });
      if (code === undefined) return true;
    } catch (error) {
      if (!isUncertain(error)) throw error;
      failure = error;
    }
    // Taken, perhaps by ourselves: a try whose answer was lost, or a request that the runtime repeated on a new connection.
    const found = await this.#markOf(full).catch((error: unknown) => {
      throw failure ?? error;
    });
    return found === mark;
  }

  /** Undefined: an object without a mark. Raises `unavailable` if there is no object. */
  async #markOf(key: string): Promise<string | undefined> {
    // Some storages say that there is an object a moment before they show it.
    const { headers } = await this.#connection.ask({ method: "HEAD", key, passing: NO_OBJECT });
    return headers.get(MARK) ?? undefined;
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.#connection.ask({ method: "PUT", key: this.#full(key), body });
  }

  async upload(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const full = this.#full(key);
    const mark = randomHex(MARK_BITS);
    await uploadInParts(this.#connection, {
      key: full,
      content,
      partBytes: this.#partBytes,
      mark: { [MARK]: mark },
      isThere: async () => (await this.#markOf(full)) === mark,
      signal,
    });
  }

  async *list(prefix: string, after?: string): AsyncGenerator<ListedObject> {
    const start = this.#prefix;
    let last = after === undefined ? undefined : Buffer.from(start + after);
    const common = { "list-type": "2", "encoding-type": "url", prefix: start + prefix };
    let from: Record<string, string> = after === undefined ? {} : { "start-after": start + after };
    for (;;) {
      const { body } = await this.#connection.ask({ method: "GET", query: { ...common, ...from } });
      const page = listPage(Buffer.from(body).toString("utf8"));
      if (page === undefined) throw notS3(this.#connection.bucket, OK);
      for (const { key, size } of page.objects) {
        const bytes = Buffer.from(key);
        // It also ends the loop if a storage sends the same page again and again.
        if ((last !== undefined && bytes.compare(last) <= 0) || !key.startsWith(start + prefix))
          throw unordered(this.#connection.bucket);
        last = bytes;
        yield { key: key.slice(start.length), size };
      }
      if (page.next === undefined) return;
      from = { "continuation-token": page.next };
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    const full = keys.map((key) => this.#full(key));
    if (full.length === 1) {
      await this.#connection.ask({ method: "DELETE", key: full[0]!, accepts: [NO_OBJECT] });
      return;
    }
    for (let start = 0; start < full.length; start += REMOVED_MAX)
      await this.#removeTogether(full.slice(start, start + REMOVED_MAX));
  }

  async #removeTogether(keys: readonly string[]): Promise<void> {
    const body = Buffer.from(removalBody(keys));
    const headers = { "content-md5": new Bun.CryptoHasher("md5").update(body).digest("base64") };
    const request = { method: "POST", query: { delete: "" }, headers, body } as const;
    const answer = await this.#connection.ask({ ...request, limitMs: REMOVAL_LIMIT_MS });
    const errors = removalErrors(Buffer.from(answer.body).toString("utf8"));
    if (errors === undefined) throw notS3(this.#connection.bucket, OK);
    const code = errors.find((found) => found !== NO_OBJECT);
    if (code !== undefined) throw refusedBy(this.#connection.bucket, OK, code);
  }

  /** Raises `invalid`. */
  #full(key: string): string {
    const full = this.#prefix + key;
    encodedKey(full);
    return full;
  }
}
