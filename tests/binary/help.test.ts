// Goal: help exists at every level, on stdout, with exit code 0, and changes only on purpose (golden files).

import { expect, test } from "bun:test";
import type { ProgramName } from "../../release/targets.ts";
import { runBinary } from "../kit/binaries.ts";
import { expectGolden } from "../kit/golden.ts";

const helps: [ProgramName, string[]][] = [
  ["service", []],
  ["service", ["serve"]],
  ["service", ["version"]],
  ["cairn", []],
  ["cairn", ["version"]],
];

for (const [name, command] of helps) {
  const full = [name, ...command].join(" ");
  test(`${full} --help`, async () => {
    const { stdout, stderr, exitCode } = await runBinary(name, [...command, "--help"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    await expectGolden(`help/${full.replaceAll(" ", "-")}.txt`, stdout);
    // The short form is the same text.
    expect((await runBinary(name, [...command, "-h"])).stdout).toBe(stdout);
  });
}
