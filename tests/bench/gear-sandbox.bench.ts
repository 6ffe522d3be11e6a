// The cost of a gear call beside the least that could run it: a container that waited and a fresh one beside `docker run`, a child
// process beside the bare interpreter; how fast output streams; and whether the API stays quick while many gears run.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../kit/at-end.ts";
import { startDocker, type TestDocker } from "../kit/docker.ts";
import { openSandbox, type TestSandbox } from "../kit/service/sandbox.ts";
import { figure, median, percentile, type Row } from "./row.ts";

const CALLS = 21;
const OUTPUT_MB = 10;
const MEMORY_GROWTH_MB_MAX = 8;
const GEARS_AT_ONCE = 20;
const TICK_MS = 5;
const ECHO = "import sys\nsys.stdout.write(sys.stdin.read())\n";
const FLOOD = `import sys\nblock = b'x' * 65536\nfor _ in range(${(OUTPUT_MB * 1_000_000) >> 16}):\n    sys.stdout.buffer.write(block)\n`;

export async function run(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "cairn-bench-gear-"));
  await using _ = atEnd(() => rm(folder, { recursive: true, force: true }));
  await Bun.write(join(folder, "main.py"), ECHO);
  const docker = await startDocker();
  const rows = [...(docker ? await inContainers(docker, folder) : []), ...(await asProcesses(folder))];
  await docker?.stop();
  return rows;
}

async function inContainers(docker: TestDocker, folder: string): Promise<Row[]> {
  const isolation =
    "--network none --read-only --cap-drop ALL --security-opt no-new-privileges --memory 512m --memory-swap 512m --cpus 1 --pids-limit 256 --user 65534:65534 --init --tmpfs /tmp";
  const plain = [
    "docker",
    "run",
    "--rm",
    "-i",
    ...isolation.split(" "),
    "-v",
    `${folder}:/gear:ro`,
    docker.images.python,
    "python3",
    "/gear/main.py",
  ];
  // The container's user is not ours.
  await Bun.spawn(["chmod", "-R", "a+rX", folder]).exited;
  await using warm = await openSandbox("warm", { docker });
  await using cold = await openSandbox("cold", { docker });
  await warm.sandbox.prepare(true);
  await cold.sandbox.prepare(true);
  const rest = async () => {
    await warm.settled();
    await cold.settled();
  };
  const [limit, warmMs, coldMs] = await medians(
    [() => command(plain), () => call(warm), () => call(cold)],
    rest,
  );
  return [
    figure("gear call in a waiting container, p50", warmMs, {
      limit,
      atMost: limit * 0.25,
      target: "≤ 0.25 of docker run",
    }),
    figure("gear call in a fresh container, p50", coldMs, {
      limit,
      atMost: limit * 1.2,
      target: "≤ 1.2 of docker run",
    }),
    ...(await streaming(warm)),
    await sideBySide(warm),
  ];
}

async function asProcesses(folder: string): Promise<Row[]> {
  await using at = await openSandbox("subprocess");
  const python = Bun.which("python3");
  if (python === null) return [];
  const [limit, measured] = await medians(
    [() => command([python, join(folder, "main.py")]), () => call(at)],
    () => at.settled(),
  );
  const bound = { limit, atMost: limit + 5, target: "≤ bare python3 + 5 ms" };
  return [figure("gear call as a child process, p50", measured, bound)];
}

/** Rate from the first byte to the last, so that the start of the interpreter does not count; and what stays in memory of ten times that. */
async function streaming(at: TestSandbox): Promise<Row[]> {
  const rates: number[] = [];
  const flood = async () => {
    await at.settled();
    let first = 0;
    let last = 0;
    let bytes = 0;
    const output = (_: string, chunk: Uint8Array) => {
      last = performance.now();
      first ||= last;
      bytes += chunk.byteLength;
    };
    await at.run("python", FLOOD, { output });
    rates.push(bytes / 1000 / (last - first));
  };
  await flood();
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  for (let index = 0; index < 10; index++) await flood();
  Bun.gc(true);
  const growth = (process.memoryUsage().rss - before) / 1_000_000;
  const rate = median(rates);
  return [
    { name: "output of a gear, 10 MB", measured: rate, unit: "MB/s", target: "≥ 100 MB/s", met: rate >= 100 },
    figure("memory growth over ten times that", growth, { unit: "MB", atMost: MEMORY_GROWTH_MB_MAX }),
  ];
}

/** The event loop is what the API shares with the gears: how late a timer comes is how late an answer would. */
async function sideBySide(at: TestSandbox): Promise<Row> {
  await at.settled();
  const late: number[] = [];
  let expected = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - expected));
    expected = now + TICK_MS;
  }, TICK_MS);
  await Promise.all(Array.from({ length: GEARS_AT_ONCE }, () => call(at)));
  clearInterval(timer);
  const p99 = percentile(late, 0.99);
  return figure(`delay of the event loop while ${GEARS_AT_ONCE} gears start, p99`, p99, { atMost: 20 });
}

async function call(at: TestSandbox): Promise<void> {
  const { stdout } = await at.run("python", ECHO, { stdin: "{}" });
  if (stdout !== "{}") throw new Error(`the gear answered ${JSON.stringify(stdout)}`);
}

async function command(words: string[]): Promise<void> {
  const child = Bun.spawn(words, { stdin: Buffer.from("{}"), stdout: "pipe", stderr: "inherit" });
  const text = await child.stdout.text();
  if ((await child.exited) !== 0 || text !== "{}")
    throw new Error(`${words[0]} answered ${JSON.stringify(text)}`);
}

/** By turns, so that what else the machine does falls on all of them alike. */
async function medians<const A extends readonly (() => Promise<void>)[]>(
  acts: A,
  rest: () => Promise<void>,
): Promise<{ [K in keyof A]: number }> {
  const times = acts.map((): number[] => []);
  for (let index = 0; index < CALLS; index++) {
    for (const [which, act] of acts.entries()) {
      await rest();
      const started = performance.now();
      await act();
      times[which]!.push(performance.now() - started);
    }
  }
  return times.map((list) => median(list)) as { [K in keyof A]: number };
}
