// Uploads content of unknown length to S3: small content in one request, large content in parts, one part in memory at a time. A part is hashed as it
// fills, so that no step holds the thread for long.

import { AppError } from "../error.ts";
import { MINUTE_MS, Stretch, turnOfOthers } from "../clock.ts";
import { sizeText } from "../text/amounts.ts";
import type { S3Connection, S3Request } from "./s3-connection.ts";
import { isUncertain, notS3, refusedBy } from "./s3-failure.ts";
import { completionBody, element, errorCode } from "./s3-xml.ts";

/** All parts but the last have one size, which some storages demand; 5 MiB are the least. */
export const PART_BYTES = 16 * 1024 * 1024;
/** A step of hashing takes about a millisecond. */
const HASHED_BYTES = 1024 * 1024;
const PARTS_MAX = 10_000;
/** A restart of the storage, of up to 17 s, does not end a long upload. */
const PART_TRIES_MAX = 6;
const PART_LIMIT_MS = 5 * MINUTE_MS;
/** Some storages copy all parts before they answer. */
const COMPLETE_LIMIT_MS = 5 * MINUTE_MS;
const OK = 200;

interface Part {
  /** Valid until the next part is asked for. */
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly isLast: boolean;
}

interface Upload {
  readonly key: string;
  readonly content: AsyncIterable<Uint8Array>;
  readonly partBytes: number;
  /** Metadata that tells the object from others. */
  readonly mark: Readonly<Record<string, string>>;
  /** Whether the object there has the mark. */
  readonly isThere: () => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
}

/** Raises `unavailable`, `too_large`, the reason of the signal, and whatever `content` raises. */
export async function uploadInParts(connection: S3Connection, upload: Upload): Promise<void> {
  const { key, content, partBytes, signal } = upload;
  let open: OpenUpload | undefined;
  try {
    for await (const part of partsOf(content, partBytes)) {
      signal?.throwIfAborted();
      const { bytes: body, hash: bodyHash } = part;
      if (part.isLast && open === undefined) {
        await connection.ask({ method: "PUT", key, body, bodyHash, limitMs: PART_LIMIT_MS, signal });
        return;
      }
      open ??= await OpenUpload.begin(connection, upload);
      await open.add(part);
    }
    await open?.complete();
  } catch (error) {
    await open?.abort();
    throw error;
  }
}

class OpenUpload {
  readonly #connection: S3Connection;
  readonly #upload: Upload;
  readonly #id: string;
  readonly #tags: string[] = [];

  private constructor(connection: S3Connection, upload: Upload, id: string) {
    this.#connection = connection;
    this.#upload = upload;
    this.#id = id;
  }

  static async begin(connection: S3Connection, upload: Upload): Promise<OpenUpload> {
    const { key, mark, signal } = upload;
    const query = { uploads: "" };
    const body = new Uint8Array();
    const answer = await connection.ask({ method: "POST", key, query, headers: mark, body, signal });
    const id = element(Buffer.from(answer.body).toString("utf8"), "UploadId");
    if (id === undefined || id === "") throw notS3(connection.bucket, OK);
    return new OpenUpload(connection, upload, id);
  }

  async add({ bytes: body, hash: bodyHash }: Part): Promise<void> {
    const number = this.#tags.length + 1;
    if (number > PARTS_MAX)
      throw new AppError(
        "too_large",
        `the content is larger than ${sizeText(PARTS_MAX * this.#upload.partBytes)}, the most that fits one object`,
      );
    const query = { partNumber: String(number) };
    const { headers } = await this.#ask("PUT", { query, body, bodyHash, limitMs: PART_LIMIT_MS });
    const tag = headers.get("etag");
    if (tag === null) throw notS3(this.#connection.bucket, OK);
    this.#tags.push(tag);
  }

  async complete(): Promise<void> {
    try {
      const body = Buffer.from(completionBody(this.#tags));
      const answer = await this.#ask("POST", { body, limitMs: COMPLETE_LIMIT_MS });
      // The storage answers before it is done, so that it may report a failure in the body.
      const text = Buffer.from(answer.body).toString("utf8");
      const code = errorCode(text);
      if (code !== undefined) throw refusedBy(this.#connection.bucket, OK, code);
      if (element(text, "CompleteMultipartUploadResult") === undefined)
        throw notS3(this.#connection.bucket, OK);
    } catch (error) {
      const isGone = error instanceof AppError && error.details?.["reason"] === "NoSuchUpload";
      if (!isGone && !isUncertain(error)) throw error;
      // A try whose answer was lost may have completed it.
      const isComplete = await this.#upload.isThere().catch(() => false);
      if (!isComplete) throw error;
    }
  }

  /** Frees the parts. If that fails, a rule of the bucket for unfinished uploads has to. */
  async abort(): Promise<void> {
    const { key } = this.#upload;
    await this.#connection
      .ask({ method: "DELETE", key, query: { uploadId: this.#id } })
      .catch(() => undefined);
  }

  #ask(method: "PUT" | "POST", request: Omit<S3Request, "method">) {
    const { key, signal } = this.#upload;
    const query = { ...request.query, uploadId: this.#id };
    return this.#connection.ask({ ...request, method, key, query, signal, triesMax: PART_TRIES_MAX });
  }
}

/** Cuts content into parts of one size. The last one may be smaller, and is empty only for empty content. */
async function* partsOf(content: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Part> {
  const buffer = new Uint8Array(partBytes);
  let length = 0;
  let hasher = new Bun.CryptoHasher("sha256");
  const stretch = new Stretch();
  for await (const piece of content)
    for (let start = 0; start < piece.byteLength;) {
      if (length === partBytes) {
        yield { bytes: buffer, hash: hasher.digest("hex"), isLast: false };
        length = 0;
        hasher = new Bun.CryptoHasher("sha256");
      }
      const step = piece.subarray(start, start + Math.min(partBytes - length, HASHED_BYTES));
      buffer.set(step, length);
      hasher.update(step);
      length += step.byteLength;
      start += step.byteLength;
      if (stretch.isOver()) await turnOfOthers();
    }
  yield { bytes: buffer.subarray(0, length), hash: hasher.digest("hex"), isLast: true };
}
