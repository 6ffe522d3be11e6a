// `npm run dev [-- flags of serve]`: the service from source with the interface, both built again at every change, on a data directory of its
// own. The directory goes when you stop it; give `--data DIR` to keep one.

import { watch } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installDependencies } from "./install.ts";
import { ROOT, bun } from "./step.ts";
import { bundleUi } from "./ui.ts";

/** An editor that saves several files, or one in several steps, is one change. */
const SETTLED_MS = 100;
const UI = join(ROOT, "dist/dev-ui");

await installDependencies();
const flags = process.argv.slice(2);
const ownData = flags.some((flag) => flag === "--data" || flag.startsWith("--data="))
  ? undefined
  : await mkdtemp(join(tmpdir(), "cairn-dev-"));
const data = ownData === undefined ? [] : ["--data", ownData];

const over = Promise.withResolvers<number>();

/** A mistake in the sources is printed, and the interface stays as it is. */
async function rebuild(): Promise<void> {
  try {
    await bundleUi(UI);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => over.resolve(0));
await rebuild();
// `--watch` starts it again when one of its sources changes; the interface is read from its folder.
const service = Bun.spawn(bun("--watch", "release/dev-service.ts", UI, "serve", ...data, ...flags), {
  cwd: ROOT,
  stdio: ["ignore", "inherit", "inherit"],
});
void service.exited.then(over.resolve);
let settling: ReturnType<typeof setTimeout> | undefined;
let building = Promise.resolve();
const watcher = watch(join(ROOT, "web"), { recursive: true }, () => {
  clearTimeout(settling);
  settling = setTimeout(() => {
    building = building.then(rebuild);
  }, SETTLED_MS);
});

const exitCode = await over.promise;
watcher.close();
clearTimeout(settling);
await building;
service.kill();
await service.exited;
if (ownData !== undefined) await rm(ownData, { recursive: true, force: true });
process.exit(exitCode);
