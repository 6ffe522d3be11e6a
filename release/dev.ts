// `npm run dev [-- flags of serve]`: the service from source, started again at every change, on a data directory of its own.
// The directory goes when you stop it; give `--data DIR` to keep one.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installDependencies } from "./install.ts";
import { ROOT, bun } from "./step.ts";

await installDependencies();
const flags = process.argv.slice(2);
const ownData = flags.some((flag) => flag === "--data" || flag.startsWith("--data="))
  ? undefined
  : await mkdtemp(join(tmpdir(), "cairn-dev-"));
const data = ownData === undefined ? [] : ["--data", ownData];
const child = Bun.spawn(bun("--watch", "bin/service.ts", "serve", ...data, ...flags), {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
const exitCode = await child.exited;
if (ownData !== undefined) await rm(ownData, { recursive: true, force: true });
process.exit(exitCode);
