// Goal: a conditional create has one winner whatever is lost on the way, and a failure of the storage says what to check.

import { describe, expect, test } from "bun:test";
import { requireConditionalCreate } from "../../../src/kit/object-storage/object-storage.ts";
import { eventually } from "../../kit/eventually.ts";
import { refusal, refusalOf } from "../../kit/http/refusal.ts";
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

const isPut = ({ method }: AskedOfStorage) => method === "PUT";

describe("a conditional create", () => {
  test("has one winner", async () => {
    await using far = await ScriptedStorage.start();
    const storage = clientOf(far);
    expect(await storage.create("a", bytes("one"))).toBe(true);
    expect(await storage.create("a", bytes("one"))).toBe(false);
    const many = await Promise.all(Array.from({ length: 8 }, () => storage.create("b", bytes("same"))));
    expect(many.filter(Boolean)).toEqual([true]);
    expect(textOf(far.objects.get("a"))).toBe("one");
  });

  test.each([
    ["once", 1],
    ["each time", 3],
  ])("whose answer is lost %s after the act is true", async (_, times) => {
    await using far = await ScriptedStorage.start();
    far.cut("after", { times, on: isPut });
    expect(await clientOf(far).create("a", bytes("own"))).toBe(true);
    expect(textOf(far.objects.get("a"))).toBe("own");
  });

  test("whose answer is lost is false if the object is of another, even with the same bytes", async () => {
    await using far = await ScriptedStorage.start();
    await clientOf(far).create("a", bytes("same"));
    far.cut("after", { on: isPut });
    expect(await clientOf(far).create("a", bytes("same"))).toBe(false);
    far.objects.set("b", bytes("same"));
    expect(await clientOf(far).create("b", bytes("same"))).toBe(false);
  });

  test("of a creator with a name is true again, also if an earlier call did not know its answer", async () => {
    await using far = await ScriptedStorage.start();
    const create = (by: string) => clientOf(far).create("a", bytes("own"), { by });
    far.cut("after", { times: Infinity });
    await expect(create("one")).rejects.toMatchObject({ code: "unavailable" });
    far.heal();
    expect(await create("two")).toBe(false);
    expect(await create("one")).toBe(true);
  });

  test("that the runtime repeats on a new connection is true", async () => {
    await using far = await ScriptedStorage.start();
    const storage = clientOf(far);
    // The next request reuses the connection; the runtime sends it again when the connection closes.
    await storage.put("first", bytes(""));
    far.cut("after", { times: 1, on: isPut });
    expect(await storage.create("a", bytes("own"))).toBe(true);
    expect(far.requests.filter((line) => line === "PUT a")).toHaveLength(2);
  });

  test("is read back again if the storage does not show yet what it has", async () => {
    await using far = await ScriptedStorage.start();
    await clientOf(far).create("a", bytes("one"));
    far.answer({ status: 404 }, { times: 2, on: ({ method }) => method === "HEAD" });
    expect(await clientOf(far).create("a", bytes("two"))).toBe(false);
  });

  test("that is lost before the act succeeds with a later try", async () => {
    await using far = await ScriptedStorage.start();
    far.fail(503, "SlowDown", { times: 1 });
    far.fail(409, "ConditionalRequestConflict", { times: 2 });
    expect(await clientOf(far).create("a", bytes("own"))).toBe(true);
  });

  test("has at most one winner among writers whose answers are lost", async () => {
    await using far = await ScriptedStorage.start();
    const everyFew = (few: number) => {
      let sent = 0;
      return { on: (asked: AskedOfStorage) => isPut(asked) && ++sent % few === 0 };
    };
    far.cut("before", everyFew(7));
    far.cut("after", everyFew(3));
    far.fail(409, "ConditionalRequestConflict", everyFew(5));
    const writers = ["one", "two", "three", "four"];
    for (let key = 0; key < 6; key += 1) {
      const attempts = writers.map((name) => clientOf(far).create(`k${key}`, bytes(name)));
      const results = await Promise.allSettled(attempts);
      const winners = writers.filter((_, index) => {
        const result = results[index]!;
        return result.status === "fulfilled" && result.value;
      });
      const owner = textOf(far.objects.get(`k${key}`));
      const isUnknown = results.some(({ status }) => status === "rejected");
      expect(winners).toEqual(isUnknown && winners.length === 0 ? [] : [owner!]);
    }
  });

  test("is a failure if it stays unknown whether there is an object", async () => {
    await using far = await ScriptedStorage.start();
    far.cut("after");
    const isUnknown = clientOf(far).create("a", bytes("own"));
    await unusable(
      far,
      isUnknown,
      { reason: "unreachable" },
      "it closed the connection before an answer; check the address, and http or https in it",
    );
    far.heal();
    far.fail(409, "ConditionalRequestConflict");
    await unusable(
      far,
      clientOf(far).create("b", bytes("")),
      { reason: "ConditionalRequestConflict", status: 409 },
      "ConditionalRequestConflict; several writers create the same object; retry later",
    );
  });

  test("without an answer in time is read back", async () => {
    await using far = await ScriptedStorage.start();
    const timers = manualClock();
    far.delay(PATIENT_MS, { on: isPut });
    const waiting = clientOf(far, { timers, timeoutMs: 1000 }).create("a", bytes("own"));
    await eventually(() => far.requests, ["PUT a"]);
    // The limit, and two pauses while there is no object.
    for (const ms of [1000, 50, 200]) {
      await eventually(() => timers.waits()[0], ms);
      timers.advance(ms);
    }
    await unusable(far, waiting, { reason: "deadline" }, LATE);
    expect(far.requests).toEqual(["PUT a", "HEAD a", "HEAD a", "HEAD a"]);
    expect(timers.waits()).toEqual([]);
  });
});

describe("the proof of conditional creates", () => {
  test("passes and leaves nothing", async () => {
    await using far = await ScriptedStorage.start();
    await requireConditionalCreate(clientOf(far));
    expect(far.objects.size).toBe(0);
  });

  test("refuses a storage that overwrites, and one that does not know the header", async () => {
    await using far = await ScriptedStorage.start();
    far.ignoreConditions = true;
    const sentence = /^the object storage does not honour conditional creates \(If-None-Match: \*\)/;
    await refusal(requireConditionalCreate(clientOf(far)), "refused", sentence, { reason: "unconditional" });
    expect(far.objects.size).toBe(0);
    far.fail(501, "NotImplemented", { on: isPut });
    await refusal(requireConditionalCreate(clientOf(far)), "refused", sentence, { reason: "unconditional" });
  });

  test("is no verdict if the storage fails", async () => {
    await using far = await ScriptedStorage.start();
    far.fail(403, "AccessDenied");
    await unusable(
      far,
      requireConditionalCreate(clientOf(far)),
      { reason: "AccessDenied", status: 403 },
      DENIED,
    );
  });
});

describe("a failure", () => {
  test.each([
    [
      403,
      "AccessDenied",
      "check that the access key may list the bucket, and read, write and delete its objects",
    ],
    [403, "RequestTimeTooSkewed", "check the clock of this machine"],
    [400, "ExpiredToken", "renew the credentials, whose session token is not valid or no longer"],
    [301, "PermanentRedirect", "check the endpoint and the region"],
    [418, "Teapot", "check the bucket, the credentials and the documentation of the storage"],
    [507, "Full", BUSY],
  ] as const)("with status %d and the code %s says what to check", async (status, code, advice) => {
    await using far = await ScriptedStorage.start();
    far.fail(status, code);
    await unusable(far, clientOf(far).get("a", 1), { reason: code, status }, `${code}; ${advice}`);
  });

  test.each([
    [
      "the secret",
      { credentials: { accessKeyId: "scripted-id", secretAccessKey: "x" } },
      "SignatureDoesNotMatch",
    ],
    ["the key ID", { credentials: { accessKeyId: "x", secretAccessKey: "x" } }, "InvalidAccessKeyId"],
    ["the bucket", { bucket: "other" }, "NoSuchBucket"],
    ["the region", { region: "eu-west-1" }, "AuthorizationHeaderMalformed"],
    ["the clock", { clock: { now: () => 0 } }, "RequestTimeTooSkewed"],
  ] as const)("tells that %s is wrong", async (_, options, reason) => {
    await using far = await ScriptedStorage.start();
    const storage = clientOf(far, options);
    for (const attempt of [
      () => storage.get("a", 1),
      () => storage.create("a", bytes("")),
      () => all(storage.list("")),
    ])
      expect((await refusalOf(attempt)).details).toMatchObject({ reason });
    expect(far.objects.size).toBe(0);
  });

  test("without a code of S3 does not count as a missing object", async () => {
    await using far = await ScriptedStorage.start();
    for (const body of [
      "",
      "<html>Not found</html>",
      "<Error><Code>a\nb</Code></Error>",
      "x".repeat(100_000),
    ]) {
      far.heal();
      far.answer({ status: 404, body });
      await unusable(far, clientOf(far).get("a", 1), { reason: "not_s3", status: 404 }, notS3(404));
    }
  });

  test("of a redirect sends nothing elsewhere", async () => {
    await using far = await ScriptedStorage.start();
    await using other = await ScriptedStorage.start();
    far.answer({ status: 307, headers: { location: `${other.endpoint}/lab/a` } });
    await unusable(far, clientOf(far).get("a", 1), { reason: "not_s3", status: 307 }, notS3(307));
    expect(other.requests).toEqual([]);
  });

  test("of the network passes a second try", async () => {
    await using far = await ScriptedStorage.start();
    far.objects.set("a", bytes("x"));
    far.cut("within", { times: 1 });
    far.fail(503, "ServiceUnavailable", { times: 1 });
    expect(textOf(await clientOf(far).get("a", 1))).toBe("x");
  });

  test("of a connection names the host and why", async () => {
    const gone = await ScriptedStorage.start();
    const storage = clientOf(gone);
    const { host } = gone;
    await gone[Symbol.asyncDispose]();
    await refusal(
      storage.put("a", bytes("")),
      "unavailable",
      `cannot use bucket lab at ${host}: connection refused; check that the server is running and that the port is right`,
      { reason: "unreachable", host, bucket: "lab" },
    );
  });
});
