// Goal: a database that someone replaced by hand, or put there, does not get past the log: the node copies all data again and says so.

import { expect, test } from "bun:test";
import { cpSync, existsSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { HOUR_MS } from "../../src/kit/clock.ts";
import { nodes } from "../kit/context/nodes.ts";
import { SPACE } from "../kit/context/context-server.ts";
import { until } from "../kit/eventually.ts";

const WARNING = "a file was changed while this node was stopped; copying all data again";
const place = `spaces/${SPACE}/.cairn/space.db`;

/** A node that led and stopped, with two versions, and the database as it was with the first. */
async function stopped() {
  await using stack = new AsyncDisposableStack();
  const all = stack.use(await nodes());
  const first = await all.start("a");
  await first.leads();
  await first.admin.write("a.md", "one\n");
  await until(() => [...all.storage.objects.keys()].some((key) => key.endsWith("manifest.json")));
  await first.stop();
  const database = join(first.directory, ...place.split("/"));
  const old = `${first.directory}.old`;
  cpSync(database, old);
  const before = new Date(Date.now() - HOUR_MS);
  utimesSync(old, before, before);
  const second = await all.start("a");
  await second.leads();
  expect(second.log.map(({ message }) => message)).not.toContain(WARNING);
  await second.admin.write("a.md", "two\n");
  const kept = stack.move();
  return { all, a: second, database, old, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

test("a database that is replaced while its node is stopped loses no version, also on other nodes", async () => {
  await using at = await stopped();
  await at.a.stop();
  renameSync(at.old, at.database);
  const a = await at.all.start("a");
  await a.leads();
  expect(a.log.find(({ message }) => message === WARNING)).toMatchObject({ file: place });
  expect(await a.admin.read("a.md")).toBe("two\n");
  await a.admin.write("a.md", "three\n");
  const b = await at.all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  await a.stop();
  await b.leads();
  for (const [version, text] of ["one\n", "two\n", "three\n"].entries())
    expect(await b.admin.read("a.md", `?version=${version + 1}`)).toBe(text);
});

test("a database that is replaced while its node leads loses no version", async () => {
  await using at = await stopped();
  renameSync(at.old, at.database);
  await at.a.admin.write("a.md", "three\n");
  await at.a.stop();
  expect(at.a.log.find(({ level }) => level === "error")).toMatchObject({
    message: "cannot copy the changes of a file",
    file: place,
    error: "the file was replaced while it was open",
  });
  const a = await at.all.start("a");
  await a.leads();
  expect(await a.admin.read("a.md")).toBe("three\n");
});

test("a node on standby whose database is replaced while it is stopped copies all data again", async () => {
  await using at = await stopped();
  const b = await at.all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  await b.stop();
  renameSync(at.old, join(b.directory, ...place.split("/")));
  await at.a.admin.write("a.md", "three\n");
  const again = await at.all.start("b");
  await until(() => again.log.some(({ message }) => message === "caught up with the leader"));
  expect(again.log.map(({ message }) => message)).toContain(WARNING);
  await at.a.stop();
  await again.leads();
  expect(await again.admin.read("a.md")).toBe("three\n");
  expect(existsSync(at.old)).toBe(false);
});
