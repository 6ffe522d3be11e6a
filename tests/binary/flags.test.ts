// Goal: both programs refuse what they do not know, in the words of the specification, and exit with 1.

import { describe, expect, test } from "bun:test";
import type { ProgramName } from "../../release/targets.ts";
import { runBinary } from "../kit/binaries.ts";

const cases: [ProgramName, string[], string][] = [
  ["service", ["serve", "--port", "80"], "unknown flag: --port"],
  ["service", ["serve", "--port=80"], "unknown flag: --port"],
  ["service", ["--port"], "unknown flag: --port"],
  ["service", ["version", "--json"], "unknown flag: --json"],
  ["service", ["serve", "--debug"], "unknown flag: --debug"],
  ["service", ["serve", "--logLevel=debug"], "unknown flag: --logLevel"],
  ["service", ["serve", "--data"], "flag needs a value: --data"],
  ["service", ["serve", "--data", "a", "--data", "b"], "flag given twice: --data"],
  ["service", ["serve", "now"], "unexpected argument: now"],
  ["service", ["start"], "unknown command: start"],
  ["service", ["help"], "unknown command: help"],
  ["service", ["help", "serve"], "unknown command: help"],
  ["cairn", ["--port"], "unknown flag: --port"],
  ["cairn", ["version", "--port"], "unknown flag: --port"],
  ["cairn", ["version", "now"], "unexpected argument: now"],
  ["cairn", ["start"], "unknown command: start"],
  ["cairn", ["version", "--json", "--yaml"], "use --json or --yaml, not both"],
];

describe.concurrent("refuses", () => {
  for (const [name, args, message] of cases)
    test(`${name} ${args.join(" ")}`, async () => {
      const { stdout, stderr, exitCode } = await runBinary(name, args);
      // A suggestion may follow; what was refused is the first line.
      expect([stdout, stderr.split("\n")[0], exitCode]).toEqual(["", `Error: ${message}`, 1]);
    });
});
