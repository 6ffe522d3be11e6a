// Run as a process: one node of a server in the directory of its argument, until it is killed. It prints its URL. With a third argument, its log goes to
// stderr. `BLOCKED_MS`: its thread stands still for this long whenever it starts to serve, as during an upgrade of large data.

import { startReplicated } from "../../../src/context/replicated-server.ts";
import { writeSync } from "node:fs";

const [directory = "", port = "0", log = ""] = process.argv.slice(2);
const blockedMs = Number(process.env["BLOCKED_MS"] ?? 0);
const lines = {
  format: "json" as const,
  write(line: string) {
    if (log !== "") writeSync(2, `${line}\n`);
    // The last step of a start.
    if (line.includes('"listening"')) Bun.sleepSync(blockedMs);
  },
};
const timing = { beatEvery: 200, leaseMs: 2_500, takeoverAfter: 4_000, lookEvery: 100 };
const node = await startReplicated({
  directory,
  log: lines,
  port: Number(port),
  environment: process.env,
  timing,
});
writeSync(1, `${node.url}\n`);
process.on("SIGTERM", () => void node.stop("a test stops it").then(() => process.exit(0)));
await node.failed.catch((error: unknown) => {
  writeSync(2, `${String(error)}\n`);
  process.exit(1);
});
