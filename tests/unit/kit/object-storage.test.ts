// Goal: an object storage keeps, lists, streams and removes what it is told to, over real HTTP, and leaves nothing half done.

import { describe, expect, test } from "bun:test";
import { eventually } from "../../kit/eventually.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { ScriptedStorage, type AskedOfStorage } from "../../kit/object-storage.ts";
import {
  all,
  BUSY,
  bytes,
  clientOf,
  DENIED,
  LATE,
  notS3,
  PATIENT_MS,
  textOf,
  unusable,
} from "../../kit/object-storage-client.ts";

const isGet = ({ method }: AskedOfStorage) => method === "GET";
const isPart = ({ query }: AskedOfStorage) => query.has("partNumber");
const isCompletion = ({ method, query }: AskedOfStorage) => method === "POST" && query.has("uploadId");

const INTERRUPTED = "the answer ended too early; check the network and the storage";
const UNORDERED = "it does not list its objects in order; use another storage";

async function* content(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield bytes(piece);
}

describe("objects", () => {
  test("are written, read, replaced and removed", async () => {
    await using far = await ScriptedStorage.start();
    const storage = clientOf(far);
    await storage.put("a", bytes("one"));
    await storage.put("a", bytes("two"));
    await storage.put("empty", bytes(""));
    expect(textOf(await storage.get("a", 3))).toBe("two");
    expect(textOf(Buffer.concat(await all(storage.read("a"))))).toBe("two");
    expect(await storage.get("empty", 0)).toEqual(bytes(""));
    expect(await storage.get("b", 3)).toBeUndefined();
    await refusal(all(storage.read("b")), "not_found", "object b: not found");
    await refusal(storage.get("a", 2), "too_large", "the object is larger than 2 B", { bytes_max: 2 });
    await storage.remove(["a"]);
    await storage.remove(["a"]);
    expect([...far.objects.keys()]).toEqual(["empty"]);
  });

  test.each([
    "a b+c&d=e?f#g",
    "ü/日本/😀",
    "x'(!)*~$@:;,",
    "%25%2F",
    "a//b",
    "/first",
    "last/",
    `<x>&"y'`,
    "q\\r",
    "..a/b..",
  ])("keep the key %s", async (key) => {
    await using far = await ScriptedStorage.start();
    const storage = clientOf(far, { prefix: "some where/" });
    await storage.put(key, bytes(key));
    await storage.put("other", bytes(""));
    expect([...far.objects.keys()]).toEqual([`some where/${key}`, "some where/other"]);
    expect(textOf(await storage.get(key, 100))).toBe(key);
    expect(await all(storage.list(key))).toEqual([{ key, size: Buffer.byteLength(key) }]);
    await storage.remove([key, "other"]);
    expect(far.objects.size).toBe(0);
  });

  test.each(["", "a/../b", "./a", "a\u0000b", "a\nb", "\uD800", "k".repeat(1025)])(
    "refuse the key %j before anything is sent",
    async (key) => {
      await using far = await ScriptedStorage.start();
      await refusal(clientOf(far).put(key, bytes("")), "invalid", /^key: /);
      expect(far.requests).toEqual([]);
    },
  );

  test("that were stored with an encoding are read as they are", async () => {
    await using far = await ScriptedStorage.start();
    far.answer({ status: 200, headers: { "content-encoding": "gzip" }, body: "packed" });
    expect(textOf(await clientOf(far).get("a", 100))).toBe("packed");
  });

  test("are removed a thousand at a time", async () => {
    await using far = await ScriptedStorage.start();
    const keys = Array.from({ length: 1001 }, (_, index) => `k${index}`);
    for (const key of [...keys, "kept"]) far.objects.set(key, bytes("x"));
    await clientOf(far).remove(keys);
    await clientOf(far).remove([]);
    expect([...far.objects.keys()]).toEqual(["kept"]);
    expect(far.requests).toEqual(["POST ?delete=", "POST ?delete="]);
  });

  test("that the storage keeps at a removal are named as a failure", async () => {
    await using far = await ScriptedStorage.start();
    const body =
      "<DeleteResult><Error><Key>a</Key><Code>NoSuchKey</Code></Error><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>";
    far.answer({ status: 200, body });
    await unusable(far, clientOf(far).remove(["a", "b"]), { reason: "AccessDenied", status: 200 }, DENIED);
  });
});

describe("a list", () => {
  test("has all pages in the order of bytes, below the prefix, after a key", async () => {
    await using far = await ScriptedStorage.start({ pageKeys: 2 });
    const storage = clientOf(far, { prefix: "p/" });
    const keys = ["é", "b c", "a", "ab", "B", "a/b", "a-b"];
    for (const key of [...keys.map((name) => `p/l/${name}`), "p/m", "q", "p"])
      far.objects.set(key, bytes("12"));
    const keysOf = async (prefix: string, after?: string) =>
      (await all(storage.list(prefix, after))).map(({ key }) => key);
    expect(await keysOf("l/")).toEqual(["l/B", "l/a", "l/a-b", "l/a/b", "l/ab", "l/b c", "l/é"]);
    expect(await keysOf("l/", "l/a/b")).toEqual(["l/ab", "l/b c", "l/é"]);
    expect(await keysOf("l/", "l/a/c")).toEqual(["l/ab", "l/b c", "l/é"]);
    expect(await keysOf("n")).toEqual([]);
    expect(await all(storage.list("m"))).toEqual([{ key: "m", size: 2 }]);
  });

  test("that is not in order, or repeats itself, is a failure", async () => {
    await using far = await ScriptedStorage.start();
    const contents = (...keys: string[]) =>
      keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join("");
    const page = (cut: string, ...keys: string[]) => ({
      status: 200,
      body: `<ListBucketResult><IsTruncated>${cut !== ""}</IsTruncated>${cut}${contents(...keys)}</ListBucketResult>`,
    });
    far.answer(page("<NextContinuationToken>t</NextContinuationToken>", "a", "b"));
    await unusable(far, all(clientOf(far).list("")), { reason: "unordered" }, UNORDERED);
    far.heal();
    far.answer(page("", "b", "a"));
    await unusable(far, all(clientOf(far).list("")), { reason: "unordered" }, UNORDERED);
  });

  test("that is broken XML is a failure at once", async () => {
    await using far = await ScriptedStorage.start();
    const open = "<Contents>".repeat(200_000);
    for (const end of ["</ListBucketResult>", ""]) {
      far.heal();
      far.answer({ status: 200, body: `<ListBucketResult>${open}${end}` });
      await unusable(far, all(clientOf(far).list("")), { reason: "not_s3", status: 200 }, notS3(200));
    }
  });

  test("that is a page of something else is a failure", async () => {
    await using far = await ScriptedStorage.start();
    far.answer({ status: 200, body: "<html>Welcome</html>" });
    await unusable(far, all(clientOf(far).list("")), { reason: "not_s3", status: 200 }, notS3(200));
  });
});

describe("an upload", () => {
  const parted = { partBytes: 4 };

  test.each([
    ["in one request", ["ab", "c"], ["PUT k"]],
    ["of nothing", [], ["PUT k"]],
    ["of exactly one part", ["abcd"], ["PUT k"]],
    ["of two parts", ["abcd", "e"], 4],
    ["of exactly two parts", ["abc", "defgh"], 4],
    ["in pieces larger than parts", ["abcdefghijk", "", "l"], 5],
  ] as const)("%s keeps the content", async (_, pieces, requests) => {
    await using far = await ScriptedStorage.start({ partBytesMin: 4 });
    await clientOf(far, parted).upload("k", content(...pieces));
    expect(textOf(far.objects.get("k"))).toBe(pieces.join(""));
    if (typeof requests === "number") expect(far.requests).toHaveLength(requests);
    else expect(far.requests).toEqual([...requests]);
    expect(far.uploads.size).toBe(0);
  });

  test("repeats a part whose answer was lost, and a completion", async () => {
    await using far = await ScriptedStorage.start({ partBytesMin: 4 });
    far.cut("after", { times: 1, on: isPart });
    far.fail(500, "InternalError", { times: 1, on: isPart });
    far.cut("after", { times: 1, on: isCompletion });
    await clientOf(far, parted).upload("k", content("abcde", "fgh"));
    expect(textOf(far.objects.get("k"))).toBe("abcdefgh");
    expect(far.uploads.size).toBe(0);
  });

  test("survives a storage that is away for longer than a small operation waits", async () => {
    await using far = await ScriptedStorage.start({ partBytesMin: 4 });
    const storage = clientOf(far, parted);
    far.fail(503, "ServiceUnavailable", { times: 3, on: isPart });
    far.fail(503, "ServiceUnavailable", { times: 3, on: isGet });
    await storage.upload("k", content("abcde"));
    expect(textOf(far.objects.get("k"))).toBe("abcde");
    await unusable(
      far,
      storage.get("k", 5),
      { reason: "ServiceUnavailable", status: 503 },
      `ServiceUnavailable; ${BUSY}`,
    );
  });

  test("that fails leaves neither an object nor parts", async () => {
    await using far = await ScriptedStorage.start({ partBytesMin: 4 });
    const storage = clientOf(far, parted);
    async function* broken() {
      yield bytes("abcdefghij");
      throw new Error("the source is broken");
    }
    await expect(storage.upload("k", broken())).rejects.toThrow("the source is broken");
    await eventually(() => far.requests.at(-1)?.startsWith("DELETE k"), true);
    far.fail(403, "AccessDenied", { on: isPart });
    const upload = () => storage.upload("k", content("abcdefgh"));
    await unusable(far, upload(), { reason: "AccessDenied", status: 403 }, DENIED);
    far.heal();
    const body = "<Error><Code>InternalError</Code></Error>";
    far.answer({ status: 200, body }, { on: isCompletion });
    await unusable(far, upload(), { reason: "InternalError", status: 200 }, `InternalError; ${BUSY}`);
    await eventually(() => far.uploads.size, 0);
    expect(far.objects.size).toBe(0);
  });

  test("ends with its signal, and closes its source", async () => {
    await using far = await ScriptedStorage.start({ partBytesMin: 4 });
    const stop = new AbortController();
    let isClosed = false;
    async function* source() {
      try {
        for (;;) yield bytes("abcd");
      } finally {
        isClosed = true;
      }
    }
    far.delay(PATIENT_MS, { on: ({ query }) => query.get("partNumber") === "2" });
    const upload = clientOf(far, parted).upload("k", source(), stop.signal);
    await eventually(() => far.requests.some((line) => line.includes("partNumber=2")), true);
    stop.abort(new Error("stopped by the caller"));
    await expect(upload).rejects.toThrow("stopped by the caller");
    await eventually(() => [isClosed, far.uploads.size], [true, 0]);
  });
});

test("a large object has more time, to be sent and to be read", async () => {
  await using far = await ScriptedStorage.start();
  const timers = manualClock();
  const storage = clientOf(far, { timers, timeoutMs: 1000 });
  const large = new Uint8Array(1024 * 1024);
  const inFive = "no answer within 5000 ms; check the network and the storage";
  far.objects.set("a", large);
  far.cut("stall");
  const reading = storage.get("a", 2 * large.byteLength);
  await eventually(() => timers.waits(), [5000]);
  timers.advance(5000);
  await unusable(far, reading, { reason: "deadline" }, inFive);
  far.heal();
  far.delay(PATIENT_MS);
  const writing = storage.put("b", large);
  await eventually(() => timers.waits(), [5000]);
  timers.advance(5000);
  await unusable(far, writing, { reason: "deadline" }, inFive);
});

describe("a stream", () => {
  test("that ends too early is a failure", async () => {
    await using far = await ScriptedStorage.start();
    far.objects.set("a", bytes("0123456789"));
    far.cut("within", { on: isGet });
    await unusable(far, all(clientOf(far).read("a")), { reason: "interrupted" }, INTERRUPTED);
    await unusable(far, clientOf(far).get("a", 100), { reason: "interrupted" }, INTERRUPTED);
  });

  test("ends with its signal, before and within", async () => {
    await using far = await ScriptedStorage.start();
    far.objects.set("a", bytes("0123456789"));
    far.cut("stall");
    const stop = new AbortController();
    const reading = (async () => {
      for await (const _ of clientOf(far).read("a", stop.signal)) stop.abort(new Error("enough"));
    })();
    await expect(reading).rejects.toThrow("enough");
    await expect(all(clientOf(far).read("a", stop.signal))).rejects.toThrow("enough");
    expect(far.requests).toEqual(["GET a"]);
  });

  test("has as much time as its reader takes, and no more silence than the limit", async () => {
    await using far = await ScriptedStorage.start();
    const size = 4_000_000;
    far.objects.set("a", new Uint8Array(size));
    const timers = manualClock();
    let read = 0;
    for await (const piece of clientOf(far, { timers, timeoutMs: 1000 }).read("a")) {
      read += piece.byteLength;
      timers.advance(60_000);
    }
    expect(read).toBe(size);
    expect(timers.waits()).toEqual([]);
    far.cut("stall");
    const reader = clientOf(far, { timers, timeoutMs: 1000 }).read("a")[Symbol.asyncIterator]();
    expect((await reader.next()).done).toBe(false);
    const late = all({ [Symbol.asyncIterator]: () => reader });
    await eventually(() => timers.waits(), [1000]);
    timers.advance(1000);
    await unusable(far, late, { reason: "deadline" }, LATE);
  });
});
