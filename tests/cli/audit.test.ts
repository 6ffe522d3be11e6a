// Goal: `cairn audit verify` of a server that does not run reads and writes nothing, says which check it could not make, and fails when there
// was nothing to check; `cairn audit acknowledge` states a break and ends its report.

import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initServer } from "../../src/context/init-server.ts";
import type { AuditBreak, AuditVerification } from "../../src/context/audit/schema.ts";
import { runBinary } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { runContext } from "../kit/running-context.ts";

const log = { format: "json" as const, write: () => {} };

async function stoppedServer() {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  await initServer({ directory, space: "main", admin: "ada", port: 0 }, log);
  return {
    folder: folder.path,
    directory,
    record: join(directory, "audit", "audit.jsonl"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Every file and folder with its mode and times. */
function pictureOf(directory: string): string[] {
  return [".", ...readdirSync(directory, { recursive: true, encoding: "utf8" })]
    .map((name) => {
      const { mode, mtimeMs, ctimeMs, size } = statSync(join(directory, name));
      return `${name} ${mode} ${mtimeMs} ${ctimeMs} ${size}`;
    })
    .sort();
}

const cairn = (...args: string[]) => runBinary("cairn", ["audit", ...args]);

test("a stopped server is verified without a change to its directory, also where nothing may be written", async () => {
  await using server = await stoppedServer();
  const before = pictureOf(server.directory);
  const verified = await cairn("verify", "--server-dir", server.directory);
  expect([verified.exitCode, verified.stdout]).toEqual([
    0,
    expect.stringMatching(/^the chain holds: \d+ entries verified\n$/),
  ]);
  const alone = await cairn("verify", "--file", server.record);
  expect([alone.exitCode, alone.stdout]).toEqual([
    0,
    expect.stringContaining("whether its end was cut off can't be told without the server"),
  ]);
  expect(pictureOf(server.directory)).toEqual(before);
  for (const name of ["", "audit"]) chmodSync(join(server.directory, name), 0o500);
  const readOnly = pictureOf(server.directory);
  expect((await cairn("verify", "--server-dir", server.directory)).exitCode).toBe(0);
  expect(pictureOf(server.directory)).toEqual(readOnly);
  for (const name of ["", "audit"]) chmodSync(join(server.directory, name), 0o700);
});

test("a server that was killed is verified as it was left", async () => {
  await using server = await runContext();
  await server.admin.write("a.md", "one");
  await server.end("SIGKILL");
  const before = pictureOf(server.directory);
  const verified = await server.cairn("audit", "verify", "--json");
  expect([verified.exitCode, (JSON.parse(verified.stdout) as AuditVerification).ok]).toEqual([0, true]);
  expect(pictureOf(server.directory)).toEqual(before);
});

test("a file in which nothing could be checked does not pass", async () => {
  await using server = await stoppedServer();
  const file = join(server.folder, "copy.jsonl");
  const lines = readFileSync(server.record, "utf8").trimEnd().split("\n");
  const unhashed = lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), hash: undefined }));
  for (const content of ["", `${unhashed.join("\n")}\n`]) {
    writeFileSync(file, content);
    const { exitCode, stderr } = await cairn("verify", "--file", file);
    expect([exitCode, stderr]).toEqual([
      1,
      "Error: the audit record does not hold: nothing could be verified: no record with a hash\n",
    ]);
  }
  // Lines that are none of ours count as lines.
  for (const [content, problem] of [
    [["", ...lines], "line 1: the line is no audit record"],
    [[lines[0]!, "", "", ...lines.slice(1)], "line 2: the line is no audit record"],
    [[lines[0]!, lines[0]!], "line 2: expected record 2, found 1: a line was removed or moved"],
    [[...lines, "# the end"], `line ${lines.length + 1}: the line is no audit record`],
  ] as const) {
    writeFileSync(file, content.map((line) => `${line}\n`).join(""));
    const { exitCode, stderr } = await cairn("verify", "--file", file);
    expect([exitCode, stderr]).toEqual([1, `Error: the audit record does not hold: ${problem}\n`]);
  }
});

test("a break is stated by verify, doctor and every start until it is acknowledged", async () => {
  await using server = await stoppedServer();
  const at = ["--server-dir", server.directory];
  copyFileSync(server.record, join(server.folder, "kept.jsonl"));
  const lines = readFileSync(server.record, "utf8").trimEnd().split("\n");
  writeFileSync(server.record, `${lines.slice(0, -1).join("\n")}\n`);
  const told = new RegExp(
    `the file ends after ${lines.length - 1} records, but ${lines.length} were written`,
  );
  for (let round = 0; round < 2; round++) {
    const verified = await cairn("verify", ...at);
    expect([verified.exitCode, verified.stderr]).toEqual([1, expect.stringMatching(told)]);
    const doctor = await runBinary("cairn", ["doctor", ...at]);
    expect(doctor.stdout).toMatch(told);
    expect(doctor.stdout).toContain("cairn audit acknowledge");
    // Opens the server, and records something.
    expect((await runBinary("cairn", ["space", "create", `space-${round}`, ...at])).stderr).toMatch(told);
  }
  const acknowledged = await cairn("acknowledge", ...at, "--json");
  const [one, ...more] = JSON.parse(acknowledged.stdout) as AuditBreak[];
  expect([more, one!.line, one!.acknowledged_by]).toEqual([
    [],
    lines.length,
    expect.stringContaining("(this machine)"),
  ]);
  const holds = await cairn("verify", ...at);
  expect([holds.exitCode, holds.stderr]).toEqual([0, ""]);
  const again = await cairn("acknowledge", ...at);
  expect([again.exitCode, again.stderr]).toEqual([
    1,
    "Error: there is nothing to acknowledge: the audit record holds\n",
  ]);
});
