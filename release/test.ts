// `npm test`: installs what is missing, builds the programs that the tests start, runs the tests. Arguments go to `bun test`.
// The very last line is `N passed, N failed`; machines read it, so nothing may be printed after it.

import { buildNative } from "./build.ts";
import { installDependencies } from "./install.ts";
import { ROOT, bun, fail, seconds } from "./step.ts";
import { provideSystemPackages } from "./system-packages.ts";

/** Long enough for a test that starts a program on a busy machine; a test that needs more says so itself. */
const TEST_TIMEOUT_MS = 20_000;

/** The summary is a few lines at the end; more than this of the output is never looked at again. */
const TAIL_CHARACTERS = 4_000;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What Bun's closing summary says, e.g. ` 12 pass\n 1 skip\n 0 fail`; a count that it leaves out is 0. */
export function parseSummary(output: string): Counts {
  const plain = Bun.stripANSI(output);
  const count = (word: string) => {
    const lines = [...plain.matchAll(new RegExp(`^ *(\\d+) ${word}$`, "gm"))];
    return Number(lines.at(-1)?.[1] ?? 0);
  };
  return { passed: count("pass"), failed: count("fail"), skipped: count("skip") + count("todo") };
}

export function summaryLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Passes a stream on as it comes and keeps its end. Writes are awaited, so that nothing comes after the closing line. */
async function relay(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder();
  let tail = "";
  for await (const chunk of from) {
    await new Promise((resolve) => to.write(chunk, resolve));
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-TAIL_CHARACTERS);
  }
  return tail;
}

async function runTests(extra: string[]): Promise<{ counts: Counts; exitCode: number }> {
  const child = Bun.spawn(bun("test", `--timeout=${TEST_TIMEOUT_MS}`, ...extra), {
    cwd: ROOT,
    // The output passes through a pipe, so that Bun cannot see whether there is a terminal behind it.
    env: { ...process.env, ...(process.stderr.isTTY ? { FORCE_COLOR: "1" } : {}) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    relay(child.stdout, process.stdout),
    relay(child.stderr, process.stderr),
    child.exited,
  ]);
  return { counts: parseSummary(`${stdout}\n${stderr}`), exitCode };
}

async function main(): Promise<number> {
  const started = performance.now();
  await installDependencies();
  if (!(await provideSystemPackages())) fail("a program that the tests need is missing (see above)");
  await buildNative();
  const { counts, exitCode } = await runTests(process.argv.slice(2));
  const nothingRan = counts.passed + counts.failed === 0;
  if (nothingRan) console.log("test: nothing ran");
  // A crash of the runner leaves no count behind; it must not look like success.
  if (exitCode !== 0 && counts.failed === 0) {
    console.log(`test: bun test ended with exit code ${exitCode}`);
    counts.failed = 1;
  }
  console.log(`test: ${seconds(started)} in all`);
  console.log(summaryLine(counts));
  return counts.failed > 0 || nothingRan ? 1 : 0;
}

if (import.meta.main) process.exit(await main());
