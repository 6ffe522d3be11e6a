// Goal: a link or pipe in a working tree is kept, because only files have versions and anything else would be lost.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { lstatSync, rmSync, symlinkSync } from "node:fs";
import { at, put, remove, text } from "../../kit/store/file-engine.ts";
import { applyAndSettle as apply, treeBench as bench } from "../../kit/store/tree-bench.ts";
import { refusalOf } from "../../kit/http/refusal.ts";

test.skipIf(process.platform === "win32")("never replaces or removes anything but files", async () => {
  await using space = await bench();
  const { engine } = space;
  await apply(engine, [put("tracked.md", "1"), put("deleted.md", "1")]);
  rmSync(space.on("tracked.md"));
  await apply(engine, [remove("deleted.md")]);
  for (const name of ["tracked.md", "deleted.md", "new.md"]) execFileSync("mkfifo", [space.on(name)]);
  symlinkSync("nowhere", space.on("link.md"));
  const isFile = (name: string) => lstatSync(space.on(name)).isFile();
  const replaced = () => ["tracked.md", "deleted.md", "new.md", "link.md"].filter(isFile);

  for (const path of ["new.md", "deleted.md", "link.md"])
    expect(await refusalOf(apply(engine, [put(path, "2")]))).toMatchObject({
      code: "conflict",
      message: `${path}: not a regular file in the working tree; move it away`,
      details: { path, blocked_by: [path] },
    });
  await apply(engine, [put("tracked.md", "2")]);
  expect(replaced()).toEqual([]);
  expect([engine.treeBehind(), text(await engine.read(at("tracked.md")))]).toEqual([[at("tracked.md")], "2"]);
  await apply(engine, [remove("tracked.md")]);
  expect(replaced()).toEqual([]);
  expect(engine.treeBehind()).toEqual([]);
});
