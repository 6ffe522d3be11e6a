// Fetches what bun.lock names, and only when something changed: every other script calls this before anything else.
// Also makes the file that the sources import and the repository does not hold (the interface's manifest).
// Silent when there is nothing to do; a failed install prints all that Bun said.

import { ROOT, bun, capture, fail, seconds } from "./step.ts";
import { ensureManifest } from "./ui.ts";

/** Inside node_modules, so that removing the folder removes the claim as well. */
const STAMP = `${ROOT}/node_modules/.cairn-installed`;

/**
 * Returns when everything is there. After an install the calling script is started anew and this process only waits for it: Bun has
 * looked for packages by now, and remembers in this process that there were none.
 */
export async function installDependencies(): Promise<void> {
  const wanted = await fingerprint();
  const stamp = Bun.file(STAMP);
  if ((await stamp.exists()) && (await stamp.text()) === wanted) return ensureManifest();
  const started = performance.now();
  console.log("install: fetching packages named in bun.lock …");
  const { exitCode, output } = await capture(bun("install", "--frozen-lockfile"));
  if (exitCode !== 0) fail(`bun install failed\n${output.trim()}`);
  await Bun.write(STAMP, wanted);
  console.log(`install: done in ${seconds(started)}`);
  process.exit(await startAnew());
}

async function startAnew(): Promise<number> {
  const child = Bun.spawn(bun(...process.argv.slice(1)), { stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return child.exited;
}

async function fingerprint(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const name of ["package.json", "bun.lock"]) hasher.update(await Bun.file(`${ROOT}/${name}`).bytes());
  // Some packages bring a binary for one system only; a folder shared between systems is installed anew.
  hasher.update(`${process.platform}-${process.arch}`);
  return hasher.digest("hex");
}

if (import.meta.main) await installDependencies();
