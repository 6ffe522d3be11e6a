// Goal: a node that follows has what the log says, whatever happened to its files and to the objects before, and takes over only at its end.

import { expect, test } from "bun:test";
import { unreachable } from "../../kit/memory-storage.ts";
import { replicas, type Leading, type Replicas } from "../../kit/replicas.ts";

/** A node that leads, with one row and a snapshot. */
async function led(all: Replicas): Promise<Leading> {
  all.withData("a");
  const a = await all.takesOver("a");
  await all.passing(a.add("one"));
  await all.passing(a.snapshot());
  return a;
}

test("a node that crashed while it led copies the data again, and forgets what only it had", async () => {
  await using all = await replicas();
  const a = await led(all);
  await all.passing(a.add("two"));
  all.storage.before = (operation) => (operation === "create" ? new Promise(() => {}) : undefined);
  void a.add("in the WAL of this node only").catch(() => {});
  await Bun.sleep(20);
  a.crash();
  all.storage.before = () => {};
  await using b = await all.takesOver("b");
  await all.passing(b.add("three"));
  await all.passing(b.end());
  await using a2 = await all.takesOver("a");
  await all.passing(a2.end());
  expect(all.texts("a")).toEqual(["one", "two", "three"]);
});

test("a node goes on when the storage answers again, and its takeover may have succeeded without an answer", async () => {
  await using all = await replicas();
  await using a = await led(all);
  await all.passing(a.end());
  let failures = 0;
  const fails = () => {
    if ((failures += 1) < 20) throw unreachable();
  };
  all.storage.before = (operation) => (operation === "create" ? undefined : fails());
  all.storage.after = (operation) => (operation === "create" ? fails() : undefined);
  await using b = await all.takesOver("b");
  await all.passing(b.end());
  expect(all.texts("b")).toEqual(["one"]);
});
