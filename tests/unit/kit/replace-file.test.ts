// Goal: a file is replaced as a whole or not at all, with its mode, and nothing is left beside it when the disk refuses.

import { expect, spyOn, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile, replaceFileNow, replaceWith } from "../../../src/kit/disk/replace-file.ts";
import { systemCode } from "../../../src/kit/error.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { smallDisk } from "../../kit/small-disk.ts";
import { atEnd } from "../../kit/at-end.ts";

test("a file is made and replaced, for its owner only unless told otherwise", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.json");
  await replaceFile(path, "one");
  const modes = [statSync(path).mode & 0o777];
  await replaceFile(path, new TextEncoder().encode("two"), { mode: 0o644 });
  modes.push(statSync(path).mode & 0o777);
  expect([readFileSync(path, "utf8"), readdirSync(folder.path)]).toEqual(["two", ["a.json"]]);
  if (process.platform !== "win32") expect(modes).toEqual([0o600, 0o644]);
});

test("the new content and its name are on the disk when it resolves", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.json");
  await using handle = await open(folder.path, "r");
  const sync = spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
  await using _ = atEnd(() => sync.mockRestore());
  await replaceFile(path, "one");
  const once = sync.mock.calls.length;
  const made = join(folder.path, "made");
  writeFileSync(made, "two");
  await replaceWith(made, path);
  const each = process.platform === "win32" ? 1 : 2;
  expect([once, sync.mock.calls.length]).toEqual([each, 2 * each]);
});

test("many at once leave one of them, whole", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.json");
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(contents.map((content) => replaceFile(path, content)));
  expect(contents).toContain(readFileSync(path, "utf8"));
  expect(readdirSync(folder.path)).toEqual(["a.json"]);
});

test("a file that cannot be replaced stays as it is", async () => {
  await using folder = await temporaryFolder();
  const taken = join(folder.path, "taken");
  mkdirSync(join(taken, "inside"), { recursive: true });
  const refused = await replaceFile(taken, "one").then(() => undefined, systemCode);
  expect(["EISDIR", "ENOTEMPTY", "EEXIST", "EPERM"]).toContain(refused!);
  expect(readdirSync(folder.path)).toEqual(["taken"]);
  await using disk = await smallDisk(folder);
  if (!disk) return;
  const path = join(disk.path, "a.json");
  writeFileSync(path, "one");
  await disk.fill();
  expect(await replaceFile(path, "x".repeat(8_192)).then(() => undefined, systemCode)).toBe("ENOSPC");
  expect([readFileSync(path, "utf8"), readdirSync(disk.path).toSorted()]).toEqual([
    "one",
    ["a.json", "filler"],
  ]);
});

test("synchronously, a private file is replaced past what a crash left, and stays as it is if it cannot be", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.json");
  writeFileSync(`${path}.new`, "a part of");
  replaceFileNow(path, "one", { isDurable: true });
  replaceFileNow(path, "two", { isDurable: false });
  expect([readFileSync(path, "utf8"), readdirSync(folder.path)]).toEqual(["two", ["a.json"]]);
  if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  const taken = join(folder.path, "taken");
  mkdirSync(join(taken, "inside"), { recursive: true });
  expect(() => replaceFileNow(taken, "one", { isDurable: true })).toThrow();
  expect(readdirSync(folder.path).toSorted()).toEqual(["a.json", "taken"]);
});
