// Goal: whatever other programs leave in the files of a workspace, its export has each file once and ends whole.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { say } from "../../kit/model/index.ts";
import { world, type World } from "../../kit/service/world.ts";

/** The lines of an export about files, as `path` or `path: reason`. */
async function filesOf({ admin, own }: World): Promise<string[]> {
  const response = await admin.raw("GET", `${own}/export`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(records.at(-1)!["type"]).toBe("end");
  return records.flatMap(({ type, path, kind, name, reason }) => {
    if (type === "file") return [path!];
    return type === "left_out" && kind === "file" ? [`${name}: ${reason}`] : [];
  });
}

async function labWithFile(): Promise<World & { readonly folder: string }> {
  const lab = await world({ model: true });
  lab.model.script("boss", [say("First.")]);
  await lab.chat("One.");
  await lab.admin.raw("PUT", `${lab.own}/file?path=notes/plan.md`, { body: "a plan" });
  return Object.assign(lab, { folder: `${lab.data}/files/${lab.workspaceId}` });
}

test("links to directories of the workspace, also in a circle", async () => {
  await using lab = await labWithFile();
  // Long names, so that a walk around the circle would come to an end.
  symlinkSync(".", `${lab.folder}/${"again-".repeat(40)}`);
  symlinkSync("notes", `${lab.folder}/linked`);
  symlinkSync("notes/plan.md", `${lab.folder}/plan.md`);
  const reason = "not a regular file, or its name is not portable";
  expect(await filesOf(lab)).toEqual([
    `${"again-".repeat(40)}: ${reason}`,
    `linked: ${reason}`,
    "plan.md",
    "notes/plan.md",
  ]);
});

test("directories that cannot be listed", async () => {
  await using lab = await labWithFile();
  mkdirSync(`${lab.folder}/.Cairn-Save-of-somebody/below`, { recursive: true });
  mkdirSync(`${lab.folder}/cache`);
  for (let number = 0; number <= 10_000; number += 1) writeFileSync(`${lab.folder}/cache/${number}`, "");
  expect(await filesOf(lab)).toEqual(["notes/plan.md", "cache/: the directory could not be listed"]);
});
