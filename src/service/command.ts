// The `service` command line: `serve` and `version`, each loaded on demand.

import { later, runProgram, type Program } from "../kit/terminal/cli.ts";
import type { StartOptions } from "./main.ts";

const program = (start: Pick<StartOptions, "ui">): Program => ({
  root: {
    meta: { name: "service", description: "A workspace for AI agents, with people in charge." },
    subCommands: {
      serve: later("Start the service", async () => (await import("./serve-command.ts")).serveCommand(start)),
      version: later(
        "Print version, commit and build date",
        async () => (await import("./version-command.ts")).versionCommand,
      ),
    },
  },
  examples: {
    "service serve": [
      "service serve",
      "service serve --data /var/lib/cairn --listen 127.0.0.1:9000",
      "service serve --config /etc/cairn/service.yaml --log-level debug",
    ],
    service: ["service serve"],
    "service version": ["service version"],
  },
  manual: { service: "README.md", "service serve": "docs/configuration.md" },
  closed: true,
});

/** Runs a command and returns its exit code. `start` holds the options of `serve` that have no flag. */
export function main(argv: readonly string[], start: Pick<StartOptions, "ui"> = {}): Promise<number> {
  return runProgram(program(start), argv);
}
