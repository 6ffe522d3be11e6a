// `service serve`: starts the service and runs until a stop signal.

import { defineCommand } from "citty";
import { processEnvironment, stderrLogFormat, waitForStopSignal } from "../kit/environment.ts";
import { logWriter } from "../kit/terminal/output.ts";
import type { StartOptions } from "./main.ts";

/** `start` holds the options that have no flag. */
export const serveCommand = (start: Pick<StartOptions, "ui">) =>
  defineCommand({
    meta: { name: "serve", description: "Start the service" },
    args: {
      config: {
        type: "string",
        valueHint: "file",
        description: "Configuration file (default: config.yaml in the data directory)",
      },
      data: { type: "string", valueHint: "dir", description: "Data directory (default: ~/.cairn/service)" },
      listen: {
        type: "string",
        valueHint: "host:port",
        description: "Address to listen on (default: 127.0.0.1:8688)",
      },
      "log-level": {
        type: "string",
        valueHint: "level",
        description: "debug, info, warn or error (default: info)",
      },
    },
    async run({ args }) {
      const { startService } = await import("./main.ts");
      const starting = startService({
        ...start,
        flags: { config: args.config, data: args.data, listen: args.listen, logLevel: args["log-level"] },
        environment: processEnvironment(),
        log: { format: stderrLogFormat(processEnvironment()), write: logWriter() },
      });
      // Only now, because the configuration may come from a pipe that never ends: until here, a signal ends the process.
      const stopSignal = waitForStopSignal();
      const service = await starting;
      await service.stop(await stopSignal);
    },
  });
