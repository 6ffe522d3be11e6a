// The `service` command line: exactly `serve` and `version`, loaded when called.

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

/** Returns the exit code. `start`: of `serve`, what the command line does not say. */
export function main(argv: readonly string[], start: Pick<StartOptions, "ui"> = {}): Promise<number> {
  return runProgram(program(start), argv);
}
