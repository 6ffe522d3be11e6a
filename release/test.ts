// `npm test`: installs what is missing, builds the programs that the tests start, runs the tests side by side (lanes.ts). Arguments go to
// `bun test`, which then runs them in one process.
// The very last line is `N passed, N failed`; machines read it, so nothing may be printed after it.

import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildNative } from "./build.ts";
import { installDependencies } from "./install.ts";
import { type Group, lanesOf, runsAtOnce, testFiles } from "./lanes.ts";
import { memoryFolder } from "./memory-folder.ts";
import { bun, capture, fail, inCi, seconds, stream } from "./step.ts";
import { provideSystemPackages } from "./system-packages.ts";

/** Long enough for a test that starts several programs on a busy machine; a test that needs more says so itself. */
const TEST_TIMEOUT_MS = 60_000;

/** Of the tests of a file that may run at once. Bun's own limit starts twenty programs at a time, of which each is then too slow for its test. */
const TESTS_AT_ONCE_MAX = 4;

/** Of a folder, while the last program that a test started ends. */
const REMOVAL_RETRIES = 5;

/** Of files that drive real programs: a second try by itself tells a flaky one from a broken one. Everything else gets one try. */
const SECOND_TRY = /^tests\/(?:api|binary|cli|context|e2e|web)\//;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Report {
  counts: Counts;
  /** Failures by file, relative to the repository; only files with some. */
  failures: Map<string, number>;
}

/** Reads what `bun test --reporter=junit` wrote; of an empty text, all counts are 0. */
export function parseReport(xml: string): Report {
  const [whole] = suites(xml, "testsuites");
  const failures = new Map<string, number>();
  // Groups within a file are suites of the same file; only the file's own is named after it.
  for (const { name, file, failed } of suites(xml, "testsuite")) {
    if (name === file && failed > 0) failures.set(file, failed);
  }
  const { tests, failed, skipped } = whole ?? { tests: 0, failed: 0, skipped: 0 };
  return { counts: { passed: tests - failed - skipped, failed, skipped }, failures };
}

function suites(xml: string, tag: "testsuite" | "testsuites") {
  return [...xml.matchAll(new RegExp(`<${tag} ([^>]*)>`, "g"))].map(([, attributes = ""]) => {
    const read = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
    return {
      name: read("name"),
      file: read("file"),
      tests: Number(read("tests")),
      failed: Number(read("failures")),
      skipped: Number(read("skipped")),
    };
  });
}

export function summaryLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

interface Run extends Report {
  exitCode: number;
}

let runs = 0;

interface Manner {
  /** Its output comes in one piece at its end, because other runs print meanwhile. */
  readonly quiet?: boolean;
  /** The folder of the tests' files; that of the system unless given. */
  readonly temporary?: string | undefined;
}

async function runTests(folder: string, extra: string[], manner: Manner = {}): Promise<Run> {
  const file = join(folder, `report-${(runs += 1)}.xml`);
  const command = bun(
    "test",
    `--timeout=${TEST_TIMEOUT_MS}`,
    `--max-concurrency=${TESTS_AT_ONCE_MAX}`,
    "--reporter=junit",
    `--reporter-outfile=${file}`,
    ...extra,
  );
  const environment = manner.temporary === undefined ? {} : { TMPDIR: manner.temporary };
  const exitCode = await (manner.quiet ? streamAtEnd : stream)(command, environment);
  const report = Bun.file(file);
  const parsed = parseReport((await report.exists()) ? await report.text() : "");
  // A crash of the runner leaves no count behind; it must not look like success.
  if (exitCode !== 0 && parsed.counts.failed === 0) {
    console.log(`test: bun test ended with exit code ${exitCode}: ${extra.join(" ")}`);
    parsed.counts.failed = 1;
  }
  return { exitCode, ...parsed };
}

async function streamAtEnd(command: string[], environment: Record<string, string>): Promise<number> {
  const { exitCode, output } = await capture(command, environment);
  // Without the line that names the version, which the other run has printed.
  console.log(output.replace(/^bun test v.*\n/, "").trimEnd());
  return exitCode;
}

/** Runs every test: what shares nothing side by side, then what judges time. `memory`: where the tests write, except those of the disk. */
async function runAll(folder: string, memory: string | undefined): Promise<Report> {
  const { groups, late, alone } = lanesOf(testFiles());
  const reports: Report[] = [];
  const run = async (files: readonly string[], manner: Manner) => {
    const paths = files.map((file) => `./${file}`);
    if (paths.length > 0) reports.push(await runTests(folder, paths, manner));
  };
  const sideBySide = async (all: readonly Group[], atOnce: number) => {
    const waiting = [...all];
    const slot = async () => {
      for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
        console.log(`\ntest: ${named(group.files)} begins, ${waiting.length} of ${all.length} wait`);
        await run(group.files, { quiet: true, temporary: group.onDisk ? undefined : memory });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, slot));
  };
  await sideBySide(groups, runsAtOnce());
  console.log(`\ntest: ${late.length} files that judge processor time`);
  await sideBySide(
    late.map((file) => ({ files: [file], onDisk: false })),
    Math.min(availableParallelism(), late.length),
  );
  console.log(`\ntest: ${alone.length} files that judge time, alone`);
  await run(alone, { temporary: memory });
  return sumOf(reports);
}

/** `runAll` with its folder in memory. Memory that a run leaves behind is lost until the machine starts again, so a signal removes it, too. */
async function runWhole(folder: string): Promise<Report> {
  const memory = memoryFolder();
  if (memory === undefined) return runAll(folder, undefined);
  const remove = () => rmSync(memory, { recursive: true, force: true, maxRetries: REMOVAL_RETRIES });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      remove();
      process.exit(1);
    });
  console.log(`test: writes to memory, in ${memory}`);
  try {
    return await runAll(folder, memory);
  } finally {
    remove();
  }
}

/** For people. */
function named(files: readonly string[]): string {
  return files.length === 1 ? files[0]! : `${files.length} files with ${files[0]}`;
}

export function sumOf(reports: readonly Report[]): Report {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts } of reports)
    for (const name of ["passed", "failed", "skipped"] as const) sum[name] += counts[name];
  return { counts: sum, failures: new Map(reports.flatMap(({ failures }) => [...failures])) };
}

/**
 * Judges failures that are gone at a file's second try. At a desk they count as passed; in CI they stay failures, because a test that needs two
 * tries will fail for someone else.
 */
export function judgedFlaky(counts: Counts, failed: number, strict: boolean): Counts {
  if (strict) return counts;
  return { ...counts, failed: counts.failed - failed, passed: counts.passed + failed };
}

/** Runs files with failures once more, each by itself, and names those that pass then. */
async function tryAgain(folder: string, { counts: first, failures }: Report): Promise<Counts> {
  let counts = first;
  const flaky: string[] = [];
  for (const [file, failed] of failures) {
    if (!SECOND_TRY.test(file)) continue;
    console.log(`\ntest: ${failed} failed in ${file}; it runs once more, by itself`);
    const again = await runTests(folder, [`./${file}`]);
    if (again.exitCode !== 0) continue;
    flaky.push(file);
    counts = judgedFlaky(counts, failed, inCi);
  }
  for (const file of flaky)
    console.log(`test: FLAKY, passed at the second try${inCi ? ", which fails this run" : ""}: ${file}`);
  return counts;
}

async function main(): Promise<number> {
  const started = performance.now();
  await installDependencies();
  if (!(await provideSystemPackages())) fail("a program that the tests need is missing (see above)");
  await buildNative();
  const folder = await mkdtemp(join(tmpdir(), "cairn-test-report-"));
  const wanted = process.argv.slice(2);
  const report = wanted.length === 0 ? await runWhole(folder) : await runTests(folder, wanted);
  const nothingRan = report.counts.passed + report.counts.failed === 0;
  if (nothingRan) console.log("test: nothing ran");
  const counts = await tryAgain(folder, report);
  await rm(folder, { recursive: true, force: true });
  console.log(`test: ${seconds(started)} in all`);
  console.log(summaryLine(counts));
  return counts.failed > 0 || nothingRan ? 1 : 0;
}

if (import.meta.main) process.exit(await main());
