// Run as a process: sets up a server, by the command or by the last step of the page, and dies without a warning when it has looked at the
// clock as often as it is told. Ends with 0 if the setup ends before that.

import { initServer, prepareServer } from "../../../src/context/init-server.ts";
import { startServer } from "../../../src/context/main.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { fillSetup, visitor } from "./console.ts";

const [way = "", directory = "", looks = ""] = process.argv.slice(2);
const log = { format: "json" as const, write: () => {} };
let left = Infinity;
const clock = {
  ...systemClock,
  now() {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return systemClock.now();
  },
};

if (way === "command") {
  left = Number(looks);
  await initServer({ directory, space: "plans", admin: "Ada", port: 0 }, log, clock);
} else {
  await prepareServer({ directory, port: 0 }, log);
  const server = await startServer({ directory, log, clock, setupCode: "code" });
  const one = visitor(server.url);
  const review = await fillSetup(one, "code", { port: String(server.port) });
  left = Number(looks);
  const done = await one.submit(review, "/setup/review");
  left = Infinity;
  if (done.path !== "/console") throw new Error(done.text);
  await server.stop("the setup is done");
}
// The runtime would wait for idle connections.
process.exit(0);
