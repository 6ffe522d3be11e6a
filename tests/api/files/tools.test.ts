// Goal: agents list, read and write files of their workspace by relative paths, in bounded parts, with clear errors.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { READ_PART_BYTES_MAX } from "../../../src/service/files/schema.ts";
import { call, say } from "../../kit/model/index.ts";
import { world } from "../../kit/service/world.ts";
import { fileClient } from "./file-client.ts";

test("lists, writes and reads files", async () => {
  await using lab = await world({ model: true });
  expect(await lab.callTools(["file_list", {}])).toEqual(["There are no files yet."]);
  expect(await lab.callTools(["file_write", { path: "notes/plan.md", content: "Ünïcode" }])).toEqual([
    "Created notes/plan.md (9 bytes).",
  ]);
  expect(await lab.callTools(["file_write", { path: "notes/plan.md", content: "" }])).toEqual([
    "Saved notes/plan.md (0 bytes).",
  ]);
  const read = await lab.callTools(
    ["file_list", {}],
    ["file_list", { path: "notes/" }],
    ["file_list", { path: "." }],
    ["file_read", { path: "notes/plan.md" }],
  );
  expect(read).toEqual(["notes/", "notes/plan.md (0 bytes)", "notes/", "(notes/plan.md is empty.)"]);
  await using reader = await lab.admin.events(`${lab.own}/events?after=0`);
  const event = await reader.until((each) => each.type === "file.saved");
  expect(event.data).toMatchObject({
    turn_id: 2,
    data: { path: "notes/plan.md", user: "admin", agent: "orchestrator", created: true },
  });
});

test("returns a long file in parts of whole characters that add up to it", async () => {
  await using lab = await world({ model: true });
  const files = fileClient(lab, lab.workspaceId);
  await files.put("a.md", "x");
  const text = "é日👩‍💻\n".repeat(8000);
  writeFileSync(join(files.directory, "a.md"), text);
  let all = "";
  let offset = 0;
  for (let part = 0; part < 10; part++) {
    const [result] = await lab.callTools(["file_read", { path: "a.md", offset }]);
    const note = result!.lastIndexOf("\n\n(These are bytes ");
    all += result!.slice(0, note);
    const told =
      /bytes (\d+) to (\d+) of (\d+) of a\.md\.(?: To continue, call file_read with offset (\d+)\.\)| That is the end\.\))$/.exec(
        result!,
      )!;
    expect([Number(told[1]), Number(told[3])]).toEqual([offset, Buffer.byteLength(text)]);
    expect(Number(told[2]) - offset).toBeLessThanOrEqual(READ_PART_BYTES_MAX);
    if (told[4] === undefined) break;
    offset = Number(told[4]);
  }
  expect(all).toBe(text);
  expect(await lab.callTools(["file_read", { path: "a.md", offset: 1_000_000 }])).toEqual([
    `offset: a.md has ${Buffer.byteLength(text)} bytes. Nothing was done.`,
  ]);
});

test("refuses in sentences that do not reveal the directory", async () => {
  await using lab = await world({ model: true });
  const files = fileClient(lab, lab.workspaceId);
  await files.put("a.md", "x");
  writeFileSync(join(files.directory, "b.bin"), new Uint8Array([0xff]));
  const told = await lab.callTools(
    ["file_read", { path: "../../service.db" }],
    ["file_read", { path: "/etc/passwd" }],
    ["file_read", { path: "none.md" }],
    ["file_read", { path: "b.bin" }],
    ["file_list", { path: "none" }],
    ["file_write", { path: "../x.md", content: "x" }],
    ["file_write", { path: "a.md", content: "€".repeat((2 * 1024 * 1024) / 3 + 1) }],
    ["file_write", { path: "a.md/b", content: "x" }],
    ["file_write", { path: "a.md" }],
  );
  expect(told).toEqual([
    'path: must not contain the segment "..". Nothing was done.',
    "path: must be relative, without a slash at the start. Nothing was done.",
    "file none.md: not found. Nothing was done.",
    "b.bin: not UTF-8 text. Nothing was done.",
    "directory none: not found. Nothing was done.",
    'path: must not contain the segment "..". Nothing was done.',
    "a.md: a file may have at most 2097152 bytes. Nothing was done.",
    "a.md/b: a part of the path is not a directory. Nothing was done.",
    "The arguments are not valid: content: missing. Nothing was done; correct them and call again.",
  ]);
  expect(readFileSync(join(files.directory, "a.md"), "utf8")).toBe("x");
  expect(JSON.stringify(lab.model.requestsOf("boss").map((request) => request.messages))).not.toContain(
    lab.data,
  );
});

test("gives a worker the same files", async () => {
  await using lab = await world({ model: true });
  await lab.addWorker("writer");
  lab.model.script("boss", [
    call("delegate", { agent: "writer", task: "write" }),
    call("file_read", { path: "by-worker.md" }),
    say("done"),
  ]);
  lab.model.script("writer", [
    call("file_write", { path: "by-worker.md", content: "hello" }),
    say("written"),
  ]);
  await lab.chat("go");
  expect(lab.model.resultsOf("boss")).toEqual(["hello"]);
});
