// A scripted object storage: the part of S3 that programs here use, over real HTTP, with one bucket in memory and one key pair. It checks signatures
// as a real one does, and fails on request. `await using` stops it.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { queryPairs, signatureProblem, type KeyPair } from "./sigv4-check.ts";

const REGION = "eu-test-1";
const BUCKET = "lab";
const DELETED_MAX = 1000;
/** As at Amazon. */
const PART_BYTES_MIN = 5 * 1024 * 1024;

export interface AskedOfStorage {
  readonly method: string;
  /** Empty for the bucket. */
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: IncomingMessage["headers"];
  readonly body: Uint8Array;
}

/** Which requests a fault meets: all until `heal`, unless it says otherwise. */
interface When {
  readonly times?: number;
  readonly on?: (asked: AskedOfStorage) => boolean;
}

/** `before`: nothing was done. `after`: all was done. `within`: the answer ends in the middle of its body; `stall`: it stops there. */
type Cut = "before" | "after" | "within" | "stall";

interface Fault extends When {
  left: number;
  readonly act:
    | { readonly answer: Answer }
    | { readonly delayMs: number }
    | { readonly held: Promise<void> }
    | { readonly cut: Cut };
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface OpenUpload {
  readonly key: string;
  readonly metadata: Record<string, string>;
  readonly parts: Map<number, Uint8Array>;
}

interface StorageOptions {
  readonly pair?: KeyPair;
  /** Of a page of a list. */
  readonly pageKeys?: number;
  readonly partBytesMin?: number;
}

export class ScriptedStorage implements AsyncDisposable {
  readonly bucket = BUCKET;
  readonly region = REGION;
  readonly credentials: KeyPair;
  /** Tests may change it; an object that they put there has no metadata. */
  readonly objects = new Map<string, Uint8Array>();
  /** `PUT log/1`, `GET ?list-type=2&prefix=log%2F`, also of requests that failed. */
  readonly requests: string[] = [];
  /** Overwrites on conditional creates, as a storage does that does not know them. */
  ignoreConditions = false;
  /** Of open uploads in parts, by their IDs. */
  readonly uploads = new Map<string, OpenUpload>();
  readonly #metadata = new Map<string, Record<string, string>>();
  readonly #pageKeys: number;
  readonly #partBytesMin: number;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #faults: Fault[] = [];
  #count = 0;

  private constructor({ pair, pageKeys = 1000, partBytesMin = PART_BYTES_MIN }: StorageOptions) {
    this.credentials = pair ?? { accessKeyId: "scripted-id", secretAccessKey: "scripted/secret+key" };
    this.#pageKeys = pageKeys;
    this.#partBytesMin = partBytesMin;
  }

  static async start(options: StorageOptions = {}): Promise<ScriptedStorage> {
    const storage = new ScriptedStorage(options);
    const listening = Promise.withResolvers<void>();
    storage.#server.listen(0, "127.0.0.1", () => listening.resolve());
    await listening.promise;
    return storage;
  }

  get endpoint(): string {
    return `http://${this.host}`;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers with a failure instead of acting. */
  fail(status: number, code: string, when: When = {}): void {
    this.#fault({ answer: failed(status, code) }, when);
  }

  /** Answers with this instead of acting. */
  answer(answer: Answer, when: When = {}): void {
    this.#fault({ answer }, when);
  }

  /** Waits before acting. A client that leaves meanwhile does not prevent the act. */
  delay(delayMs: number, when: When = {}): void {
    this.#fault({ delayMs }, when);
  }

  /** Waits before acting until the function is called that it returns. */
  hold(when: When = {}): () => void {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    this.#fault({ held }, when);
    return resolve;
  }

  /** Closes the connection, or stalls. */
  cut(cut: Cut = "after", when: When = {}): void {
    this.#fault({ cut }, when);
  }

  /** Ends all faults. */
  heal(): void {
    this.#faults = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }

  #fault(act: Fault["act"], when: When): void {
    this.#faults.push({ ...when, act, left: when.times ?? Number.POSITIVE_INFINITY });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Uint8Array);
    } catch {
      // The client left before it had sent everything.
      return;
    }
    const { method = "", url = "", headers } = request;
    const asked = { ...placeOf(url), method, headers, body: Buffer.concat(chunks) };
    const [, search] = url.split("?");
    this.requests.push(`${method} ${asked.key}${search === undefined ? "" : `?${search}`}`);
    const faults = this.#faults.filter(({ left, on }) => left > 0 && (on?.(asked) ?? true));
    for (const fault of faults) fault.left -= 1;
    const acts = faults.map(({ act }) => act);
    for (const act of acts) {
      if ("delayMs" in act) await Bun.sleep(act.delayMs);
      if ("held" in act) await act.held;
    }
    const cut = acts.find((act) => "cut" in act)?.cut;
    if (cut === "before") return void request.socket.destroy();
    const given = acts.find((act) => "answer" in act)?.answer;
    const answer = given ?? this.#refusal({ ...asked, url }) ?? this.#act(asked);
    if (cut === "after") return void request.socket.destroy();
    const body = answer.body ?? "";
    const length = answer.status === 204 ? {} : { "content-length": Buffer.byteLength(body) };
    response.writeHead(answer.status, { ...length, ...answer.headers });
    if (cut !== "within" && cut !== "stall") return void response.end(method === "HEAD" ? undefined : body);
    const half = Buffer.from(body).subarray(0, Buffer.byteLength(body) / 2);
    response.write(half, () => void (cut === "within" && request.socket.destroy()));
  }

  #refusal(asked: AskedOfStorage & { readonly url: string; readonly bucket: string }): Answer | undefined {
    const problem = signatureProblem(asked, this.credentials, REGION);
    if (problem !== undefined) {
      const isMalformed = ["AuthorizationHeaderMalformed", "InvalidToken", "XAmzContentSHA256Mismatch"];
      return failed(isMalformed.includes(problem) ? 400 : 403, problem);
    }
    return asked.bucket === BUCKET ? undefined : failed(404, "NoSuchBucket");
  }

  #act(asked: AskedOfStorage): Answer {
    const { method, key, query } = asked;
    const uploadId = query.get("uploadId");
    if (key === "" && method === "GET" && query.get("list-type") === "2") return this.#list(query);
    if (key === "" && method === "POST" && query.has("delete")) return this.#deleteAll(asked);
    if (key !== "" && uploadId !== undefined) return this.#upload(asked, uploadId);
    if (key !== "" && method === "POST" && query.has("uploads")) return this.#begin(asked);
    if (key === "" || query.size > 0) return failed(501, "NotImplemented");
    if (method === "PUT") return this.#put(asked);
    if (method === "DELETE") return this.#delete(key);
    return this.#get(key);
  }

  #put({ key, headers, body }: AskedOfStorage): Answer {
    const condition = this.ignoreConditions ? undefined : headers["if-none-match"];
    if (condition !== undefined && condition !== "*") return failed(501, "NotImplemented");
    if (condition === "*" && this.objects.has(key)) return failed(412, "PreconditionFailed");
    this.#store(key, body, metadataOf(headers));
    return { status: 200, headers: { etag: tagOf(body) } };
  }

  #store(key: string, bytes: Uint8Array, metadata: Record<string, string>): void {
    this.objects.set(key, bytes);
    this.#metadata.set(key, metadata);
  }

  #get(key: string): Answer {
    const body = this.objects.get(key);
    if (body === undefined) return failed(404, "NoSuchKey");
    return { status: 200, headers: { etag: tagOf(body), ...this.#metadata.get(key) }, body };
  }

  #delete(key: string): Answer {
    this.objects.delete(key);
    this.#metadata.delete(key);
    return { status: 204 };
  }

  #list(query: ReadonlyMap<string, string>): Answer {
    const token = query.get("continuation-token");
    const after =
      token === undefined ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && bytesCompare(key, after) > 0)
      .sort(bytesCompare);
    const page = keys.slice(0, this.#pageKeys);
    const isCut = page.length < keys.length;
    const isEncoded = query.get("encoding-type") === "url";
    const shown = (key: string) => (isEncoded ? listEncoded(key) : escaped(key));
    const contents = page.map(
      (key) =>
        `<Contents><Key>${shown(key)}</Key><Size>${this.objects.get(key)!.byteLength}</Size></Contents>`,
    );
    const next = Buffer.from(page.at(-1) ?? "").toString("base64url");
    return xml(
      200,
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><KeyCount>${page.length}</KeyCount>` +
        `<IsTruncated>${isCut}</IsTruncated>${isCut ? `<NextContinuationToken>${next}</NextContinuationToken>` : ""}` +
        `${isEncoded ? "<EncodingType>url</EncodingType>" : ""}${contents.join("")}</ListBucketResult>`,
    );
  }

  #deleteAll({ headers, body }: AskedOfStorage): Answer {
    const digest = createHash("md5").update(body).digest("base64");
    if (headers["content-md5"] === undefined) return failed(400, "InvalidRequest");
    if (headers["content-md5"] !== digest) return failed(400, "BadDigest");
    const keys = [
      ...Buffer.from(body)
        .toString()
        .matchAll(/<Key>([^<]*)<\/Key>/g),
    ].map(([, key]) => unescaped(key!));
    if (keys.length === 0 || keys.length > DELETED_MAX) return failed(400, "MalformedXML");
    for (const key of keys) this.#delete(key);
    return xml(200, "<DeleteResult></DeleteResult>");
  }

  #begin({ key, headers }: AskedOfStorage): Answer {
    const id = `upload-${++this.#count}`;
    this.uploads.set(id, { key, metadata: metadataOf(headers), parts: new Map() });
    return xml(
      200,
      `<InitiateMultipartUploadResult><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }

  #upload({ method, key, query, body }: AskedOfStorage, id: string): Answer {
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.key !== key) return failed(404, "NoSuchUpload");
    if (method === "DELETE") {
      this.uploads.delete(id);
      return { status: 204 };
    }
    if (method === "POST") return this.#complete(id, upload, Buffer.from(body).toString());
    const number = Number(query.get("partNumber"));
    if (method !== "PUT" || !(number >= 1 && number <= 10_000)) return failed(400, "InvalidArgument");
    upload.parts.set(number, body);
    return { status: 200, headers: { etag: tagOf(body) } };
  }

  #complete(id: string, { key, metadata, parts }: OpenUpload, text: string): Answer {
    const listed = [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)].map(
      ([, number, tag]) => ({ bytes: parts.get(Number(number)), tag: unescaped(tag!) }),
    );
    if (listed.length === 0) return failed(400, "MalformedXML");
    if (listed.some(({ bytes, tag }) => bytes === undefined || tagOf(bytes) !== tag))
      return failed(400, "InvalidPart");
    const chunks = listed.map(({ bytes }) => bytes!);
    if (chunks.slice(0, -1).some(({ byteLength }) => byteLength < this.#partBytesMin))
      return failed(400, "EntityTooSmall");
    this.#store(key, Buffer.concat(chunks), metadata);
    this.uploads.delete(id);
    return xml(
      200,
      `<CompleteMultipartUploadResult><Key>${escaped(key)}</Key></CompleteMultipartUploadResult>`,
    );
  }
}

/** Buckets are paths. */
function placeOf(url: string): { bucket: string; key: string; query: ReadonlyMap<string, string> } {
  const [, bucket = "", ...key] = decodeURIComponent(url.split("?")[0]!).split("/");
  const query = new Map(queryPairs(url).filter(([name]) => !/^x-(?:amz-|id$)/i.test(name)));
  return { bucket, key: key.join("/"), query };
}

function metadataOf(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-")),
  ) as Record<string, string>;
}

function failed(status: number, code: string): Answer {
  return xml(status, `<Error><Code>${code}</Code><Message>as scripted</Message></Error>`);
}

function xml(status: number, text: string): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
  return { status, headers: { "content-type": "application/xml" }, body };
}

function tagOf(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function bytesCompare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** As Amazon encodes keys of lists. */
function listEncoded(key: string): string {
  return encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("%20", "+");
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
