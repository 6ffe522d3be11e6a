// Goal: both programs refuse what they do not know, in the words of the specification, and exit with 1.

import { expect, test } from "bun:test";
import type { ProgramName } from "../../release/targets.ts";
import { runBinary } from "../kit/binaries.ts";

const cases: [ProgramName, string[], string][] = [
  ["service", ["serve", "--port", "80"], "Error: unknown flag: --port\n"],
  ["service", ["serve", "--port=80"], "Error: unknown flag: --port\n"],
  ["service", ["--port"], "Error: unknown flag: --port\n"],
  ["service", ["version", "--json"], "Error: unknown flag: --json\n"],
  ["service", ["serve", "--debug"], "Error: unknown flag: --debug\n"],
  ["service", ["serve", "--logLevel=debug"], "Error: unknown flag: --logLevel\n"],
  ["service", ["serve", "--data"], "Error: flag needs a value: --data\n"],
  ["service", ["serve", "--data", "a", "--data", "b"], "Error: flag given twice: --data\n"],
  ["service", ["serve", "now"], "Error: unexpected argument: now\n"],
  ["service", ["start"], "Error: unknown command: start\n"],
  ["cairn", ["--port"], "Error: unknown flag: --port\n"],
  ["cairn", ["version", "--port"], "Error: unknown flag: --port\n"],
  ["cairn", ["version", "now"], "Error: unexpected argument: now\n"],
  ["cairn", ["start"], "Error: unknown command: start\n"],
  ["cairn", ["version", "--json", "--yaml"], "Error: use --json or --yaml, not both\n"],
];

for (const [name, args, stderr] of cases) {
  test(`${name} ${args.join(" ")}`, async () => {
    const outcome = await runBinary(name, args);
    // A suggestion may follow; what was refused is the first line.
    expect({ ...outcome, stderr: `${outcome.stderr.split("\n")[0]}\n` }).toEqual({
      stdout: "",
      stderr,
      exitCode: 1,
    });
  });
}
