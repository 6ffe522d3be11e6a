// The `service` command line: `serve` and `version`, each loaded on demand.

import { runProgram, type Program } from "../kit/cli.ts";
import type { StartOptions } from "./main.ts";

const program = (start: Pick<StartOptions, "ui">): Program => ({
  root: {
    meta: { name: "service", description: "A workspace for AI agents, with people in charge." },
    subCommands: {
      serve: () => import("./serve-command.ts").then((module) => module.serveCommand(start)),
      version: () => import("./version-command.ts").then((module) => module.versionCommand),
    },
  },
  examples: {
    "service serve": [
      "service serve",
      "service serve --data /var/lib/cairn --listen 127.0.0.1:9000",
      "service serve --config /etc/cairn/service.yaml --log-level debug",
    ],
  },
});

/** Runs a command and returns its exit code. `start` holds the options of `serve` that have no flag. */
export function main(argv: readonly string[], start: Pick<StartOptions, "ui"> = {}): Promise<number> {
  return runProgram(program(start), argv);
}
