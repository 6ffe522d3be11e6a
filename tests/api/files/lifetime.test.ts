// Goal: files live as long as their workspace, even across a crash, and no other workspace inherits them.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../kit/folder.ts";
import { world } from "../../kit/service/world.ts";
import { fileClient } from "./file-client.ts";
import { refusal } from "../../kit/http/refusal.ts";

test("deletes files with their workspace, and a late save creates nothing", async () => {
  await using lab = await world({ model: true });
  const files = fileClient(lab, lab.workspaceId);
  await files.put("deep/down/a.md", "x");
  const late = Array.from({ length: 20 }, (_, index) => files.put(`late/${index}.md`, "x"));
  await lab.admin.delete(lab.own);
  await Promise.all(late);
  await refusal(files.put("a.md", "x"), "not_found", `workspace ${lab.workspaceId}: not found`);
  await lab.program.service.stop("so that background work has ended");
  expect(readdirSync(join(lab.data, "files"))).toEqual([]);
});

test("copies no files to a clone", async () => {
  await using lab = await world({ model: true });
  await fileClient(lab, lab.workspaceId).put("a.md", "x");
  const clone = await lab.admin.post(`${lab.own}/clone`);
  expect(await fileClient(lab, clone.id).list()).toEqual([]);
});

test("removes a deleted workspace's files at start, moves unknown ones aside, and keeps the rest", async () => {
  await using folder = await temporaryFolder();
  const base = join(folder.path, "files");
  let kept = 0;
  {
    await using lab = await world({ model: true, data: folder.path });
    const gone = await lab.admin.post(`${lab.own}/clone`);
    await lab.admin.delete(`/workspaces/${gone.id}`);
    await fileClient(lab, lab.workspaceId).put("a.md", "stays");
    kept = lab.workspaceId;
    mkdirSync(join(base, String(gone.id)));
    writeFileSync(join(base, String(gone.id), "left.md"), "left by a crash");
    mkdirSync(join(base, "removed-7-1"));
    mkdirSync(join(base, "4711"));
    writeFileSync(join(base, "4711/theirs.md"), "of a newer database");
    mkdirSync(join(base, "notes"));
  }
  await using at = await world({ data: folder.path });
  await at.program.service.stop("so that background work has ended");
  const names = readdirSync(base).sort();
  expect(names).toEqual([String(kept), "notes", expect.stringMatching(/^unknown-4711-\d+$/)]);
  expect(readFileSync(join(base, names[2]!, "theirs.md"), "utf8")).toBe("of a newer database");
  expect(readFileSync(join(base, String(kept), "a.md"), "utf8")).toBe("stays");
});

test("creates no files directory at start", async () => {
  await using at = await world();
  expect(existsSync(join(at.data, "files"))).toBe(false);
});
