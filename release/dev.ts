// `npm run dev [-- flags of serve]`: the service from source with the interface, both built again at every change, on a data directory of its
// own. The directory goes when you stop it; give `--data DIR` to keep one.

import { watch } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installDependencies } from "./install.ts";
import { ROOT, bun } from "./step.ts";
import { buildUi } from "./ui.ts";

/** An editor that saves several files, or one in several steps, is one change. */
const SETTLED_MS = 100;

await installDependencies();
const flags = process.argv.slice(2);
const ownData = flags.some((flag) => flag === "--data" || flag.startsWith("--data="))
  ? undefined
  : await mkdtemp(join(tmpdir(), "cairn-dev-"));
const data = ownData === undefined ? [] : ["--data", ownData];

const over = Promise.withResolvers<number>();
let service: Bun.Subprocess | undefined;

/** `--watch` starts it again when a source changes; a new interface is another list of files, so the whole program is. */
async function startService(): Promise<void> {
  await stopService();
  const started = Bun.spawn(bun("--watch", "bin/service.ts", "serve", ...data, ...flags), {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  service = started;
  // One that was not replaced has ended by itself, and said why.
  void started.exited.then((exitCode) => service === started && over.resolve(exitCode));
}

async function stopService(): Promise<void> {
  const running = service;
  service = undefined;
  running?.kill();
  await running?.exited;
}

/** A mistake in the sources is told, and the service goes on with the interface that it has. */
async function built(): Promise<boolean> {
  try {
    await buildUi("quick");
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => over.resolve(0));
await built();
await startService();
let settling: ReturnType<typeof setTimeout> | undefined;
let building = Promise.resolve();
const watcher = watch(join(ROOT, "web"), { recursive: true }, () => {
  clearTimeout(settling);
  settling = setTimeout(() => {
    building = building.then(async () => {
      if (await built()) await startService();
    });
  }, SETTLED_MS);
});

const exitCode = await over.promise;
watcher.close();
clearTimeout(settling);
await building;
await stopService();
if (ownData !== undefined) await rm(ownData, { recursive: true, force: true });
process.exit(exitCode);
