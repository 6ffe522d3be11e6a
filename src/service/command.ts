// The `service` command line: exactly `serve` and `version`, loaded when called.

import { runProgram, type Program } from "../kit/cli.ts";

const program: Program = {
  root: {
    meta: { name: "service", description: "A workspace for AI agents, with people in charge." },
    subCommands: {
      serve: () => import("./serve-command.ts").then((module) => module.serveCommand),
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
};

/** Returns the exit code. */
export function main(argv: readonly string[]): Promise<number> {
  return runProgram(program, argv);
}
