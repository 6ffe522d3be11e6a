// Goal: help exists at every level, on stdout, with exit code 0, and changes only on purpose (golden files).

import { expect, test } from "bun:test";
import type { ProgramName } from "../../release/targets.ts";
import { runBinary, type Outcome } from "../kit/binaries.ts";
import { expectGolden } from "../kit/golden.ts";

/** The names that a help lists under COMMANDS. */
function commandsIn(help: string): string[] {
  const listed = /^COMMANDS\n(.+?)\n\n/ms.exec(help)?.[1] ?? "";
  return listed.split("\n").flatMap((line) => /^ +([a-z][a-z-]*) {2,}/.exec(line)?.[1] ?? []);
}

/** Every command there is, found the way a person finds them: from one help to the next. */
async function expectHelp(name: ProgramName, command: string[]): Promise<number> {
  const [{ stdout, stderr, exitCode }, short] = await Promise.all(
    ["--help", "-h"].map((flag) => runBinary(name, [...command, flag])) as [
      Promise<Outcome>,
      Promise<Outcome>,
    ],
  );
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  await expectGolden(`help/${[name, ...command].join("-")}.txt`, stdout);
  // The short form is the same text.
  expect(short.stdout).toBe(stdout);
  const children = commandsIn(stdout).map((child) => [...command, child]);
  // Those of a group at once, and one group after the other: not more programs than a machine has room for.
  const found = command.length > 0 ? Promise.all(children.map((child) => expectHelp(name, child))) : [];
  let count = (await found).reduce((sum, each) => sum + each, 1);
  if (command.length === 0) for (const child of children) count += await expectHelp(name, child);
  return count;
}

test("service --help and the help of each command match the golden files", async () => {
  expect(await expectHelp("service", [])).toBe(3);
});

test("service has exactly two commands", async () => {
  const { stdout } = await runBinary("service", ["--help"]);
  expect(commandsIn(stdout)).toEqual(["serve", "version"]);
});

test("cairn --help and the help of each command match the golden files, at every level", async () => {
  expect(await expectHelp("cairn", [])).toBeGreaterThan(40);
});
