// Goal: a snapshot for other nodes holds nobody up, and has every space, whatever happens to the spaces meanwhile.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodes } from "../kit/context/nodes.ts";
import { SPACE } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import type { AskedOfStorage } from "../kit/object-storage.ts";

const databaseIn = (directory: string, space: string) => join(directory, "spaces", space, ".cairn/space.db");
const isManifest = (key: string) => key.endsWith("manifest.json");

test("a space is removed while a snapshot uploads it, and the node that joins with the snapshot does not have it", async () => {
  await using all = await nodes();
  const uploads: string[] = [];
  const release = all.storage.hold({
    on: ({ key, method }: AskedOfStorage) => {
      const isUpload = method === "PUT" && key.includes("/files-");
      if (isUpload) uploads.push(key);
      return isUpload;
    },
  });
  const a = await all.start("a");
  await a.leads();
  // The first snapshot begins at once, so the spaces are from before.
  await until(() => uploads.length > 0);
  await a.admin.delete(`/spaces/${SPACE}?confirm=${SPACE}`);
  expect(existsSync(join(a.directory, "spaces", SPACE))).toBe(false);
  await a.admin.post("/spaces", { name: "other", template: "blank" });
  release();
  await until(() => [...all.storage.objects.keys()].some(isManifest));
  expect(a.log.filter(({ level }) => level !== "info")).toEqual([]);
  const b = await all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  await a.stop();
  await b.leads();
  expect((await b.admin.get("/spaces")).map(({ name }) => name)).toEqual(["other"]);
  expect(await b.admin.get("/audit/verify")).toMatchObject({ ok: true });
});

test("a space that cannot be opened keeps no snapshot from being made, and is not lost on the node that joins", async () => {
  await using all = await nodes();
  const first = await all.start("a");
  await first.leads();
  for (const name of ["damaged", "lost"]) await first.admin.post("/spaces", { name, template: "blank" });
  await first.admin.write("a.md", "one\n");
  await until(() => [...all.storage.objects.keys()].some(isManifest));
  await first.stop();
  writeFileSync(databaseIn(first.directory, "damaged"), "no database ".repeat(1_000));
  rmSync(databaseIn(first.directory, "lost"));
  // Otherwise the snapshot of before would do.
  for (const key of all.storage.objects.keys())
    if (key.includes("/snapshots/")) all.storage.objects.delete(key);
  const a = await all.start("a");
  await a.leads();
  await until(() => [...all.storage.objects.keys()].some(isManifest));
  expect(await a.health()).toEqual([200, "degraded"]);
  const b = await all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  await a.stop();
  await b.leads();
  expect(await b.admin.read("a.md")).toBe("one\n");
  const { problems } = await (await fetch(`${b.url}/health`)).json();
  expect(problems).toEqual([{ what: "spaces", reason: "broken" }]);
  const statusOf = async (name: string) => (await b.admin.raw("GET", `/spaces/${name}`)).status;
  expect([await statusOf("damaged"), await statusOf("lost")]).toEqual([400, 503]);
});

test("a snapshot that cannot be made is a problem of the health, and counted", async () => {
  await using all = await nodes();
  const first = await all.start("a");
  await first.leads();
  await until(() => [...all.storage.objects.keys()].some(isManifest));
  await first.stop();
  // A file that cannot be read.
  rmSync(databaseIn(first.directory, SPACE));
  mkdirSync(databaseIn(first.directory, SPACE));
  for (const key of all.storage.objects.keys())
    if (key.includes("/snapshots/")) all.storage.objects.delete(key);
  const a = await all.start("a");
  await a.leads();
  const problems = async () =>
    ((await (await fetch(`${a.url}/health`)).json()) as { problems: object[] }).problems;
  await eventually(problems, [
    { what: "spaces", reason: "broken" },
    { what: "snapshots", reason: "broken" },
  ]);
  expect(await a.health()).toEqual([200, "degraded"]);
  expect(await (await fetch(`${a.url}/metrics`)).text()).toContain(
    "service_replication_snapshot_failing 1\n",
  );
});
