// `cairn ui`: the pages of the console for a space of this machine, for one browser, until Ctrl+C.

import { defineCommand } from "citty";
import { loopbackAddress } from "../../context/local-ui/address.ts";
import { IDLE_HOURS, KEY_MINUTES } from "../../context/local-ui/limits.ts";
import { openInBrowser } from "../../kit/processes/browser.ts";
import { systemClock } from "../../kit/clock.ts";
import { hasTerminal, processEnvironment, waitForStopSignal } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { createLog } from "../../kit/log.ts";
import {
  formatOf,
  logWriter,
  printData,
  printHint,
  printText,
  printWarning,
} from "../../kit/terminal/output.ts";
import { onEnter } from "../../kit/terminal/stdin.ts";
import { dirArg, localDeps, localDirectory } from "../connection.ts";
import { portProblem } from "../init/new-server.ts";

/** Lets the system choose. */
const FREE_PORT = "0";

export const ui = defineCommand({
  meta: { name: "ui", description: "Show a local space in the browser" },
  args: {
    port: { type: "string", valueHint: "port", description: "Port to listen on (default: a free one)" },
    address: {
      type: "string",
      valueHint: "address",
      description: "Address to listen on: 127.0.0.1 or ::1 (default: 127.0.0.1)",
    },
    "no-open": { type: "boolean", description: "Print the address and open no browser" },
    ...dirArg,
  },
  async run({ args }) {
    const port = args.port ?? FREE_PORT;
    const problem = portProblem(port);
    if (problem !== undefined) throw new AppError("invalid", `--port "${port}": ${problem}`);
    const { openUi } = await import("../../context/local-console.ts");
    const address = loopbackAddress(args.address ?? "127.0.0.1");
    const stop = waitForStopSignal();
    const log = createLog({ level: "warn", format: "text", clock: systemClock, write: logWriter() });
    const directory = localDirectory(args.dir);
    const deps = { ...localDeps(directory), log, onWait: () => {} };
    const running = await openUi({ directory, deps, address, port: Number(port) });
    const { space, place, newAddress } = running;
    let noMore = () => {};
    try {
      const first = newAddress();
      await printData({ address: first, space, place }, formatOf(args), () => first);
      const isTyped = hasTerminal();
      const another = isTyped ? "; press Enter for a new one" : "";
      await printHint(
        `${space} in ${place}: the address works once, within ${KEY_MINUTES} minutes${another}; Ctrl+C ends cairn ui`,
      );
      if (isTyped) noMore = onEnter(() => void printText(newAddress()));
      if (isTyped && args["no-open"] !== true && formatOf(args) === "text")
        openInBrowser(first, processEnvironment());
      const ended = await Promise.race([stop, running.idle.then(() => "idle")]);
      if (ended === "idle") await printWarning(`no page was opened for ${IDLE_HOURS} hours; cairn ui ends`);
    } finally {
      noMore();
      await running.stop();
    }
  },
});
