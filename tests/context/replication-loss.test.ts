// Goal: a leader notices that someone emptied the bucket, or a part of it, says so, and restores the log from its data before anybody needs it.

import { expect, test } from "bun:test";
import { MINUTE_MS, systemTimers, type Timers } from "../../src/kit/clock.ts";
import { loadServerConfig } from "../../src/context/config/config.ts";
import { replicationVerdict } from "../../src/context/doctor/replication.ts";
import { nodes } from "../kit/context/nodes.ts";
import { eventually, until } from "../kit/eventually.ts";

/** A leader looks at the bucket every minute. */
const HURRIED: Timers = { after: (ms, run) => systemTimers.after(ms === MINUTE_MS ? 50 : ms, run) };

const isManifest = (key: string) => key.endsWith("manifest.json");
/** The identity of the log, and the check of the key, which a node leaves once. */
const isMark = (key: string) => /(cluster|secrets-key-check)$/.test(key);

test.each([
  ["everything", () => true],
  ["the identity of the log and the check of the key", isMark],
  ["the log", (key: string) => key.includes("/log/")],
])("a bucket that loses %s while a node leads is filled again from its data", async (_, isLost) => {
  await using all = await nodes({ timers: HURRIED });
  const a = await all.start("a");
  await a.leads();
  await a.admin.write("a.md", "one\n");
  await until(() => [...all.storage.objects.keys()].some(isManifest));
  // A snapshot is due only because of the loss.
  await until(() => a.log.some(({ message }) => message === "made a snapshot for other nodes"));
  const kept = [...all.storage.objects.keys()].filter(isLost);
  const release = all.storage.hold({ on: ({ method, key }) => method === "PUT" && key.includes("/files-") });
  for (const key of kept) all.storage.objects.delete(key);
  const problems = async () =>
    ((await (await fetch(`${a.url}/health`)).json()) as { problems: object[] }).problems;
  await eventually(problems, [{ what: "replication", reason: "broken" }]);
  expect(await a.health()).toEqual([200, "degraded"]);
  await a.admin.write("a.md", "two\n");
  release();
  await eventually(problems, []);
  expect(a.isLeading).toBe(true);
  expect([...all.storage.objects.keys()].filter(isMark)).toHaveLength(2);
  expect(a.log.map(({ message }) => message)).toContain(
    "restored the replication log from the data of this node",
  );
  const b = await all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  await a.stop();
  await b.leads();
  expect(await b.admin.read("a.md")).toBe("two\n");
  await b.stop();
  const again = await all.start("a");
  await again.leads();
  expect(await again.admin.read("a.md")).toBe("two\n");
});

test("a snapshot with a damaged manifest is replaced by another one", async () => {
  await using all = await nodes({ timers: HURRIED });
  const a = await all.start("a");
  await a.leads();
  const manifest = () => [...all.storage.objects.keys()].findLast(isManifest);
  await until(() => a.log.some(({ message }) => message === "made a snapshot for other nodes"));
  all.storage.objects.set(manifest()!, Buffer.from("{"));
  await until(() => all.storage.objects.get(manifest()!)!.length > 1);
  await eventually(a.health, [200, "ok"]);
  const b = await all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
});

test("a leader whose bucket holds another log adds nothing to it, and stops", async () => {
  await using all = await nodes({ timers: HURRIED });
  const a = await all.start("a");
  await a.leads();
  await until(() => a.log.some(({ message }) => message === "made a snapshot for other nodes"));
  const identity = [...all.storage.objects.keys()].find((key) => key.endsWith("/cluster"))!;
  all.storage.objects.clear();
  all.storage.objects.set(identity, Buffer.from("of another log"));
  const why = await a.failed.catch((error: unknown) => error);
  expect(why).toMatchObject({
    code: "refused",
    message: expect.stringContaining("holds another replication log"),
  });
  expect([...all.storage.objects.keys()].filter((key) => key.includes("/log/"))).toEqual([]);
});

test("a leader whose bucket got another log before its first snapshot adds none to it", async () => {
  await using all = await nodes({ timers: HURRIED });
  const isIdentity = (key: string) => key.endsWith("/cluster");
  const begun = all.storage.hold({
    on: ({ method, key }) => method === "PUT" && isIdentity(key) && all.storage.objects.has(key),
  });
  const a = await all.start("a");
  const created = () => all.storage.requests.filter((line) => /^PUT .*\/cluster$/.test(line));
  // The first snapshot proves the identity of the log.
  await until(() => created().length === 2);
  const identity = [...all.storage.objects.keys()].find(isIdentity)!;
  all.storage.objects.set(identity, Buffer.from("of another log"));
  begun();
  expect(await a.failed.catch((error: unknown) => error)).toMatchObject({
    code: "refused",
    message: expect.stringContaining("holds another replication log"),
  });
  expect([...all.storage.objects.keys()].filter((key) => key.includes("/snapshots/"))).toEqual([]);
});

test("a node whose log is gone does not start, and doctor says why", async () => {
  await using all = await nodes();
  const a = await all.start("a");
  await a.leads();
  await a.stop();
  const environment = {
    AWS_ACCESS_KEY_ID: all.storage.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: all.storage.credentials.secretAccessKey,
  };
  const { replication } = loadServerConfig(a.directory);
  const verdict = () => replicationVerdict(replication!, a.directory, environment, Date.now());
  expect((await verdict()).state).not.toBe("fail");
  all.storage.objects.clear();
  expect(await verdict()).toMatchObject({
    state: "fail",
    found: "the bucket does not hold the replication log of this node",
  });
  const again = await all.start("a");
  const why = await again.failed.catch((error: unknown) => error);
  expect(why).toMatchObject({
    code: "refused",
    message: expect.stringContaining("holds no replication log"),
  });
});
