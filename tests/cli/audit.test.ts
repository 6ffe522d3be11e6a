// Goal: `cairn audit verify` of a server that does not run reads and writes nothing, says which check it could not make, and fails when there
// was nothing to check; `cairn audit acknowledge` states a break and ends its report.

import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditBreak, AuditVerification } from "../../src/context/audit/schema.ts";
import { said, stoppedContext } from "../kit/cli/cairn.ts";
import { pictureOf } from "../kit/folder.ts";
import { runContext } from "../kit/context/running-context.ts";

async function stoppedServer() {
  const server = await stoppedContext();
  const record = server.inside("audit", "audit.jsonl");
  return { ...server, record, lines: readFileSync(record, "utf8").trimEnd().split("\n") };
}

test("a stopped server is verified without a change to its directory, also where nothing may be written", async () => {
  await using server = await stoppedServer();
  const { directory, record } = server;
  const before = pictureOf(directory);
  expect(await server.printed("audit", "verify")).toMatch(/^the chain is intact: \d+ entries verified\n$/);
  const alone = await server.printed("audit", "verify", "--file", record);
  expect(alone).toContain("without the server, a truncated end cannot be detected");
  expect(pictureOf(directory)).toEqual(before);
  for (const name of ["", "audit"]) chmodSync(join(directory, name), 0o500);
  const readOnly = pictureOf(directory);
  await server.printed("audit", "verify");
  expect(pictureOf(directory)).toEqual(readOnly);
  for (const name of ["", "audit"]) chmodSync(join(directory, name), 0o700);
});

test("a server that was killed is verified as it was left", async () => {
  await using server = await runContext();
  await server.admin.write("a.md", "one");
  await server.end("SIGKILL");
  const before = pictureOf(server.directory);
  expect((await server.data<AuditVerification>("audit", "verify")).ok).toBe(true);
  expect(pictureOf(server.directory)).toEqual(before);
});

test("a file in which nothing could be checked does not pass", async () => {
  await using server = await stoppedServer();
  const { lines } = server;
  const nothing = "nothing could be verified: no record with a hash";
  const unhashed = lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), hash: undefined }));
  const contents: [lines: string[], problem: string][] = [
    [[], nothing],
    [unhashed, nothing],
    // Lines that are none of ours count as lines.
    [["", ...lines], "line 1: the line is not an audit record"],
    [[lines[0]!, "", "", ...lines.slice(1)], "line 2: the line is not an audit record"],
    [[lines[0]!, lines[0]!], "line 2: expected record 2, found 1: a line was removed or moved"],
    [[...lines, "# the end"], `line ${lines.length + 1}: the line is not an audit record`],
  ];
  for (const [content, problem] of contents) {
    const file = await server.folder.write("copy.jsonl", content.map((line) => `${line}\n`).join(""));
    const refusal = [1, `Error: the audit record is broken: ${problem}\n`];
    expect<unknown>(await said("audit", "verify", "--file", file)).toEqual(refusal);
  }
});

test("a break is stated by verify, doctor and every start until it is acknowledged", async () => {
  await using server = await stoppedServer();
  const { length } = server.lines;
  writeFileSync(server.record, `${server.lines.slice(0, -1).join("\n")}\n`);
  const told = new RegExp(`the file ends after ${length - 1} records, but ${length} were written`);
  for (let round = 0; round < 2; round++) {
    expect(await server.said("audit", "verify")).toEqual([1, expect.stringMatching(told)]);
    const doctor = await server.cairn("doctor");
    expect(doctor.stdout).toMatch(told);
    expect(doctor.stdout).toContain("cairn audit acknowledge");
    // Opens the server, and records something.
    expect((await server.cairn("space", "create", `space-${round}`)).stderr).toMatch(told);
  }
  const acknowledged = await server.cairn("audit", "acknowledge", "--json");
  expect(JSON.parse(acknowledged.stdout) as AuditBreak[]).toEqual([
    expect.objectContaining({ line: length, acknowledged_by: expect.stringContaining("(this machine)") }),
  ]);
  await server.printed("audit", "verify");
  const nothing = "Error: nothing to acknowledge: the audit record is intact\n";
  expect(await server.refused("audit", "acknowledge")).toEqual([1, nothing]);
});
