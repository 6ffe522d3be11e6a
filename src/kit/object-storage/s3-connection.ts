// Requests to one bucket: signed, retried a few times, with one deadline for all tries, without redirects. Answers with a failure become errors. It
// knows requests and answers, not the operations made of them.

import { SECOND_MS, type Clock, type Timers } from "../clock.ts";
import { sha256InTurns } from "../concurrency/bytes-in-turns.ts";
import { pauseBy } from "../concurrency/deadline.ts";
import { AppError } from "../error.ts";
import { networkProblem } from "../network/network-problem.ts";
import { sizeText } from "../text/amounts.ts";
import { encodedKey, type S3Address } from "./s3-address.ts";
import { interrupted, mayPass, refusedBy, tooLate, unreachable, type Bucket } from "./s3-failure.ts";
import { queryText, signedHeaders, type S3Credentials } from "./s3-signature.ts";
import { errorCode } from "./s3-xml.ts";

const TRIES_MAX = 3;
/** Before the second try; before each further one, the pause before it times `PAUSE_GROWTH`. */
const PAUSE_MS = 50;
const PAUSE_GROWTH = 4;
/** A list of 1,000 objects with the longest keys has about 4 MiB. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** A longer one is a page of something else. */
const ERROR_BYTES_MAX = 64 * 1024;
const NOTHING = new Uint8Array();
/** Each of these many bytes that a request sends, or reads of an object, gives it one more second. */
const BYTES_PER_SECOND_MIN = 256 * 1024;
/** Of answers without a body. */
const CODES = new Map([
  [403, "AccessDenied"],
  [404, "NoSuchKey"],
  [412, "PreconditionFailed"],
]);

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Undefined: the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** With names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** SHA-256 of the body as hex, if it is known. */
  readonly bodyHash?: string;
  /** Codes of the storage that are an answer, not a failure. */
  readonly accepts?: readonly string[];
  /** A code of the storage that may be gone a moment later. */
  readonly passing?: string;
  readonly triesMax?: number;
  /** Raises `too_large` for a larger answer. */
  readonly bytesMax?: number;
  /** For all tries, whatever the size; for `read`, between two pieces of the answer. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

interface S3Answer {
  readonly headers: Headers;
  /** One of those that the request accepts; undefined: success. */
  readonly code: string | undefined;
  readonly body: Uint8Array;
}

interface Opened {
  readonly response: Response;
  readonly code: string | undefined;
}

interface ConnectionOptions {
  readonly address: S3Address;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** Of a request without a limit of its own. */
  readonly limitMs: number;
  readonly clock: Pick<Clock, "now">;
  readonly timers: Timers;
}

/** Raises `unavailable`, and the reason of an aborted signal. */
export class S3Connection {
  readonly #options: ConnectionOptions;
  /** For errors. */
  readonly bucket: Bucket;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.bucket = { host: options.address.host, bucket: options.bucket };
  }

  /** Returns the whole answer. */
  async ask(asked: S3Request): Promise<S3Answer> {
    const { body: sent = NOTHING, bodyHash = await sha256InTurns(sent) } = asked;
    const request = { ...asked, bodyHash };
    const limit = this.#limit(request, sent.byteLength);
    try {
      return await this.#inTries(request, limit, async () => {
        const { response, code } = await this.#open(request, limit);
        const { bytesMax = ANSWER_BYTES_MAX } = request;
        const length = Number(response.headers.get("content-length") ?? bytesMax);
        if (request.bytesMax !== undefined) limit.restart(this.#limitMs(Math.min(length, bytesMax)));
        const isWhole = code === undefined && request.method !== "HEAD";
        const body = isWhole ? await this.#whole(response, bytesMax, limit) : NOTHING;
        return { headers: response.headers, code, body };
      });
    } finally {
      limit.clear();
    }
  }

  /** Yields the answer in pieces; nothing for one of the accepted codes, with which `onCode` is called. */
  async *read(request: S3Request, onCode: (code: string) => void): AsyncGenerator<Uint8Array> {
    const bodyHash = await sha256InTurns(NOTHING);
    const limit = this.#limit(request, 0);
    try {
      const { response, code } = await this.#inTries(request, limit, () =>
        this.#open({ ...request, bodyHash }, limit),
      );
      if (code !== undefined) return onCode(code);
      for await (const piece of this.#pieces(response, limit)) {
        limit.pause();
        yield piece;
        limit.restart();
      }
    } finally {
      limit.clear();
    }
  }

  #limit({ limitMs, signal }: S3Request, sentBytes: number): TimeLimit {
    return new TimeLimit(limitMs ?? this.#limitMs(sentBytes), this.#options.timers, signal);
  }

  #limitMs(bytes: number): number {
    return this.#options.limitMs + Math.floor((bytes / BYTES_PER_SECOND_MIN) * SECOND_MS);
  }

  async #inTries<T>(request: S3Request, limit: TimeLimit, attempt: () => Promise<T>): Promise<T> {
    const { passing, triesMax = TRIES_MAX } = request;
    let pauseMs = PAUSE_MS;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (tries === triesMax || !mayPass(error, passing)) throw error;
        await pauseBy(this.#options.timers, pauseMs, limit.signal);
        if (limit.signal.aborted) throw limit.isOver ? error : limit.signal.reason;
        pauseMs *= PAUSE_GROWTH;
      }
    }
  }

  async #open(request: S3Request & { readonly bodyHash: string }, limit: TimeLimit): Promise<Opened> {
    const { address, credentials, region, clock } = this.#options;
    const { method, key, query = {}, headers = {}, body, bodyHash } = request;
    const path = key === undefined ? address.path || "/" : `${address.path}/${encodedKey(key)}`;
    const signed = signedHeaders(
      { method, host: address.host, path, query, headers, bodyHash },
      { credentials, region, now: clock.now() },
    );
    const search = queryText(query);
    const response = await this.#sent(`${address.origin}${path}${search === "" ? "" : `?${search}`}`, limit, {
      method,
      // An answer in another encoding would have another length than the object.
      headers: { ...signed, "accept-encoding": "identity" },
      ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
    });
    if (response.ok) return { response, code: undefined };
    const code = method === "HEAD" ? CODES.get(response.status) : await this.#codeOf(response, limit);
    if (code !== undefined && request.accepts?.includes(code) === true) return { response, code };
    throw refusedBy(this.bucket, response.status, code);
  }

  async #sent(url: string, limit: TimeLimit, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, {
        ...init,
        // A redirect would send the signed headers elsewhere.
        redirect: "manual",
        signal: limit.signal,
        // The runtime's own limit would hide ours, which says what to do.
        timeout: false,
        // An object is its bytes, also one that was stored with an encoding.
        decompress: false,
      } as RequestInit);
    } catch (error) {
      throw limit.cause(this.bucket) ?? unreachable(this.bucket, networkProblem(error));
    }
  }

  async #codeOf(response: Response, limit: TimeLimit): Promise<string | undefined> {
    const body = await this.#whole(response, ERROR_BYTES_MAX, limit).catch(nothingIfTooLarge);
    return errorCode(Buffer.from(body).toString("utf8"));
  }

  async #whole(response: Response, bytesMax: number, limit: TimeLimit): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of this.#pieces(response, limit)) {
      length += piece.byteLength;
      if (length > bytesMax)
        throw new AppError("too_large", `the object is larger than ${sizeText(bytesMax)}`, {
          bytes_max: bytesMax,
        });
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async *#pieces(response: Response, limit: TimeLimit): AsyncGenerator<Uint8Array> {
    const { body } = response;
    if (body === null) return;
    try {
      for await (const piece of body) yield piece;
    } catch {
      throw limit.cause(this.bucket) ?? interrupted(this.bucket);
    }
  }
}

function nothingIfTooLarge(error: unknown): Uint8Array {
  if (error instanceof AppError && error.code === "too_large") return NOTHING;
  throw error;
}

/** Aborts a request when its time is over or its caller gives up. */
class TimeLimit {
  readonly #abort = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #ms: number;
  readonly #forward = () => this.#abort.abort(this.#caller?.reason);
  readonly #timers: Timers;
  #cancel: () => void = () => {};
  isOver = false;

  constructor(ms: number, timers: Timers, caller: AbortSignal | undefined) {
    caller?.throwIfAborted();
    this.#ms = ms;
    this.#timers = timers;
    this.#caller = caller;
    caller?.addEventListener("abort", this.#forward, { once: true });
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  restart(ms = this.#ms): void {
    this.#cancel();
    this.#ms = ms;
    this.#cancel = this.#timers.after(this.#ms, () => {
      this.isOver = true;
      this.#abort.abort();
    });
  }

  /** Stops the time while the caller works with a piece. */
  pause(): void {
    this.#cancel();
  }

  /** Undefined: neither is why a request ended. */
  cause(bucket: Bucket): unknown {
    if (this.isOver) return tooLate(bucket, this.#ms);
    return this.#abort.signal.aborted ? this.#abort.signal.reason : undefined;
  }

  clear(): void {
    this.#cancel();
    this.#caller?.removeEventListener("abort", this.#forward);
  }
}
