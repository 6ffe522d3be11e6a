// Goal: a file is replaced as a whole or not at all, with its mode, and nothing is left beside it when the disk refuses.

import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../../src/kit/replace-file.ts";
import { systemCode } from "../../../src/kit/error.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { smallDisk } from "../../kit/small-disk.ts";

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

test("many at once leave one of them, whole", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.json");
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000));
  await Promise.all(contents.map((content) => replaceFile(path, content)));
  expect(contents).toContain(readFileSync(path, "utf8"));
  expect(readdirSync(folder.path)).toEqual(["a.json"]);
});

test("what cannot be replaced stays as it is", async () => {
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
