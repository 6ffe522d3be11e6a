// Goal: help exists at every level, on stdout, with exit code 0, and changes only on purpose (golden files).

import { expect, test } from "bun:test";
import type { ProgramName } from "../../release/targets.ts";
import { runBinary } from "../kit/binaries.ts";
import { expectGolden } from "../kit/golden.ts";

/** The names that a help lists under COMMANDS. */
function commandsIn(help: string): string[] {
  const listed = /^COMMANDS\n(.+?)\n\n/ms.exec(help)?.[1] ?? "";
  return listed.split("\n").flatMap((line) => /^ +([a-z][a-z-]*) {2,}/.exec(line)?.[1] ?? []);
}

/** A command and all below it, found the way a person finds them: from one help to the next. Those of a group at once. */
async function expectHelp(name: ProgramName, command: string[]): Promise<number> {
  const children = await expectHelpOf(name, command);
  const found = await Promise.all(children.map((child) => expectHelp(name, [...command, child])));
  return found.reduce((sum, each) => sum + each, 1);
}

/** Returns the commands that the help lists. */
async function expectHelpOf(name: ProgramName, command: string[]): Promise<string[]> {
  const { stdout, stderr, exitCode } = await runBinary(name, [...command, "--help"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  await expectGolden(`help/${[name, ...command].join("-")}.txt`, stdout);
  return commandsIn(stdout);
}

test("service --help and the help of each command match the golden files", async () => {
  expect(await expectHelp("service", [])).toBe(3);
});

test("service has exactly two commands", async () => {
  const { stdout } = await runBinary("service", ["--help"]);
  expect(commandsIn(stdout)).toEqual(["serve", "version"]);
});

test.each(["service", "service serve", "cairn", "cairn file", "cairn auth token create"])(
  "%s -h prints the same",
  async (command) => {
    const [name, ...words] = command.split(" ") as [ProgramName, ...string[]];
    const [long, short] = await Promise.all(
      ["--help", "-h"].map((flag) => runBinary(name, [...words, flag])),
    );
    expect(short).toEqual(long!);
  },
);

const groups = commandsIn((await runBinary("cairn", ["--help"])).stdout);

test("cairn --help matches the golden file", async () => {
  expect(await expectHelpOf("cairn", [])).toEqual(groups);
  expect(groups.length).toBeGreaterThan(30);
});

test.each(groups)(
  "cairn %s --help and the help of each command below it match the golden files",
  async (group) => {
    await expectHelp("cairn", [group]);
  },
);
