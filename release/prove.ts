// `npm run prove [-- --minutes 60] [--seed N]`: attacks the compiled programs for that long, an hour unless told otherwise. A fuzzer makes requests
// from both OpenAPI documents; busy programs are killed at random moments, and everything that was acknowledged is looked for. Prints one line
// for each proof and, for what did not hold, how to repeat it.

import { rm } from "node:fs/promises";
import { buildNative } from "./build.ts";
import { installDependencies } from "./install.ts";
import { fail, inCi, seconds } from "./step.ts";
import { locateTool, provideSystemPackages } from "./system-packages.ts";
import type { Proof, Share } from "../tests/prove/proof.ts";

const MINUTES_DEFAULT = 60;
const MS_PER_MINUTE = 60_000;
const SEED_MAX = 2 ** 31;
const BROKEN_SHOWN_MAX = 20;

interface Named {
  readonly name: string;
  /** Of the time, relative to the others. */
  readonly weight: number;
  readonly run: (share: Share) => Promise<Proof>;
}

/** Imported when the packages that they need are installed. */
async function proofs(): Promise<Named[]> {
  const { killContext } = await import("../tests/prove/kill-context.ts");
  const { proveSpaces } = await import("../tests/prove/kill-spaces.ts");
  const { proveSaves } = await import("../tests/prove/kill-saves.ts");
  const { proveNodes } = await import("../tests/prove/kill-nodes.ts");
  const { killService } = await import("../tests/prove/kill-service.ts");
  const { killSync } = await import("../tests/prove/kill-sync.ts");
  const { proveSync } = await import("../tests/prove/sync.ts");
  const kills = [
    { name: "kill cairn server", weight: 1, run: killContext },
    { name: "kill changes of spaces", weight: 1, run: proveSpaces },
    { name: "kill nodes", weight: 1, run: proveNodes },
    { name: "kill service", weight: 1, run: killService },
    { name: "kill saves of files", weight: 1, run: proveSaves },
    { name: "kill cairn sync", weight: 1, run: killSync },
    { name: "sync", weight: 1, run: proveSync },
  ];
  if (locateTool("python") === undefined) {
    console.log("prove: skipped: fuzz (python3 with venv is missing)");
    return kills;
  }
  const { provideFuzzer } = await import("../tests/prove/fuzzer.ts");
  const { fuzz } = await import("../tests/prove/fuzz.ts");
  const fuzzer = await provideFuzzer();
  return [{ name: "fuzz", weight: 2, run: (share) => fuzz(fuzzer, share) }, ...kills];
}

/** Raises for anything but a positive number. */
function numberOf(flag: string, fallback: number): number {
  const at = process.argv.indexOf(flag);
  if (at < 0) return fallback;
  const value = Number(process.argv[at + 1]);
  return value > 0 ? value : fail(`${flag}: expected a positive number`);
}

async function main(): Promise<number> {
  const minutes = numberOf("--minutes", MINUTES_DEFAULT);
  const seed = numberOf("--seed", Math.floor(Math.random() * SEED_MAX) + 1);
  await installDependencies();
  if (!(await provideSystemPackages(["python"])) && inCi) fail("a program that the proofs need is missing");
  await buildNative();
  const all = await proofs();
  const { isolate } = await import("../tests/kit/isolation.ts");
  const home = isolate();
  const weights = all.reduce((sum, { weight }) => sum + weight, 0);
  let failed = 0;
  for (const { name, weight, run } of all) {
    const started = performance.now();
    const until = started + (minutes * MS_PER_MINUTE * weight) / weights;
    const { tried, broken } = await run({ until, seed });
    const verdict = broken.length === 0 ? "holds" : `DOES NOT HOLD (seed ${seed})`;
    console.log(`prove: ${name}: ${verdict}: ${tried}  ${seconds(started)}`);
    for (const problem of broken.slice(0, BROKEN_SHOWN_MAX)) console.log(`  ${problem}`);
    if (broken.length > BROKEN_SHOWN_MAX) console.log(`  and ${broken.length - BROKEN_SHOWN_MAX} more`);
    if (broken.length > 0) failed += 1;
  }
  await rm(home, { recursive: true, force: true });
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
