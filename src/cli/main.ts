// The `cairn` command line: which commands exist, and the flags that all of them take. Each command is a file of its own, loaded when
// it is called. The root help lists what is in this table, so that nothing is announced before it works.

import { runProgram, type Program } from "../kit/cli.ts";

const program: Program = {
  root: {
    meta: { name: "cairn", description: "Keep what people and AI tools know, in versioned spaces." },
    subCommands: {
      version: () => import("./version.ts").then((module) => module.versionCommand),
    },
  },
  globals: {
    json: { type: "boolean", description: "Print data, and errors, as JSON" },
    yaml: { type: "boolean", description: "Print data, and errors, as YAML" },
    debug: { type: "boolean", description: "Show where an error came from" },
  },
  examples: {
    "cairn version": ["cairn version", "cairn version --json"],
  },
};

/** Returns the exit code. */
export function main(argv: readonly string[]): Promise<number> {
  return runProgram(program, argv);
}
