// Goal: work runs off the main thread within its bounds: a deadline, a size, a queue in which callers take turns; failures arrive as they
// were raised, and a worker that is stuck is replaced.

import { describe, expect, test } from "bun:test";
import { ROOT } from "../../../release/step.ts";
import type { Timers } from "../../../src/kit/clock.ts";
import { AppError } from "../../../src/kit/error.ts";
import { WorkerPool } from "../../../src/kit/workers/pool.ts";
import { FairQueue } from "../../../src/kit/workers/queue.ts";
import { openWorker } from "../../../src/kit/workers/entry.ts";
import { eventually } from "../../kit/eventually.ts";
import { ECHO, FAIL, GROW, HOLD, LOAD, REFUSE, SPIN, UNKNOWN } from "../../kit/job-worker.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { within } from "../../kit/within.ts";

function pool(timers?: Timers): WorkerPool & Disposable {
  const made = new WorkerPool(() => openWorker("tests/kit/job-worker.ts"), timers);
  return Object.assign(made, { [Symbol.dispose]: () => made.close() });
}

async function refusalOf(work: () => Promise<unknown>): Promise<Pick<AppError, "code" | "details">> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, details: error.details };
  }
  throw new Error("it was not refused");
}

const ann = { by: "ann" };

/** Holds work that reports to this channel, until it is released. */
function hold(name: string) {
  const channel = new BroadcastChannel(name);
  const begun = Promise.withResolvers<void>();
  channel.addEventListener("message", () => begun.resolve());
  return {
    get begun() {
      return within("the worker holds the work", begun.promise);
    },
    release() {
      channel.postMessage("go");
      channel.close();
    },
  };
}

/** Occupies a worker until it is let go. */
async function held(workers: WorkerPool, by: string, job = HOLD) {
  const name = crypto.randomUUID();
  const work = hold(name);
  const done = workers.run(job, { text: name }, { by });
  await work.begun;
  return {
    release: async () => {
      work.release();
      await done;
    },
  };
}

describe("a job", () => {
  test("answers, also the next one of the same worker", async () => {
    using workers = pool();
    expect(await workers.run(ECHO, { text: "one" }, ann)).toBe("one");
    expect(await workers.run(ECHO, { text: "two" }, ann)).toBe("two");
    expect(workers.load).toBe(0);
  });

  test("fails if the process may open no more files, which would end the process, and the next one runs", async () => {
    if (process.platform === "win32") return console.log("skipped: Windows has no such limit");
    // In a process of its own, since the limit is that of a process.
    const program = `
      import { closeSync, openSync } from "node:fs";
      import { WorkerPool } from "./src/kit/workers/pool.ts";
      import { openWorker } from "./src/kit/workers/entry.ts";
      import { ECHO } from "./tests/kit/job-worker.ts";
      const workers = new WorkerPool(() => openWorker("tests/kit/job-worker.ts"));
      const echo = () => workers.run(ECHO, { text: "done" }, { by: "ann" }).catch(({ code }) => code);
      const held = [];
      try { for (;;) held.push(openSync("/dev/null")); } catch {}
      const answers = [await echo(), workers.load];
      held.forEach((file) => closeSync(file));
      console.log(JSON.stringify([...answers, await echo()]));
      workers.close();`;
    const limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", process.execPath, "-e", program];
    const child = Bun.spawn(limited, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
    expect(JSON.parse(await child.stdout.text())).toEqual(["EMFILE", 0, "done"]);
  });

  test("past its deadline ends with its worker, and the next one runs", async () => {
    using workers = pool();
    const stuck = [1, 2, 3, 4].map(() => refusalOf(() => workers.run(SPIN, { text: "" }, ann)));
    const expected = { code: "refused", details: { job: "spin", deadline_ms: 50 } };
    expect(await Promise.all(stuck)).toEqual(stuck.map(() => expected) as never);
    expect(await workers.run(ECHO, { text: "after" }, ann)).toBe("after");
  });

  test("has its deadline for itself, not for the start of its thread and the loading of its code", async () => {
    const timers = manualClock();
    using workers = pool(timers);
    const [loading, running] = [hold(LOAD.name), hold("runs")];
    const refused = refusalOf(() => workers.run(LOAD, { text: "runs" }, ann));
    await loading.begun;
    timers.advance(LOAD.deadlineMs);
    expect(workers.load).toBe(1);
    loading.release();
    await running.begun;
    await eventually(() => timers.waits(), [LOAD.deadlineMs]);
    timers.advance(LOAD.deadlineMs);
    expect(await refused).toEqual({
      code: "refused",
      details: { job: "load", deadline_ms: LOAD.deadlineMs },
    });
    running.release();
  });

  test("that never gets a thread that runs is refused as by a busy server", async () => {
    const timers = manualClock();
    using workers = pool(timers);
    const loading = hold(LOAD.name);
    const refused = refusalOf(() => workers.run(LOAD, { text: "runs" }, ann));
    await loading.begun;
    timers.advance(timers.waits()[0]!);
    expect(await refused).toEqual({ code: "unavailable", details: { retry_after_seconds: 1 } });
    loading.release();
    expect(await workers.run(ECHO, { text: "after" }, ann)).toBe("after");
  });

  test("that takes more memory than it may ends with its worker, and gives the memory back", async () => {
    using workers = pool();
    const before = process.memoryUsage.rss();
    expect(await refusalOf(() => workers.run(GROW, { text: "" }, ann))).toEqual({
      code: "refused",
      details: { job: "grow", limit_bytes: 128 * 1024 ** 2 },
    });
    await eventually(() => process.memoryUsage.rss() - before < 128 * 1024 ** 2, true);
    expect(await workers.run(ECHO, { text: "after" }, ann)).toBe("after");
  });

  test("that refuses is heard as it refused; a defect stays a defect", async () => {
    using workers = pool();
    expect(await refusalOf(() => workers.run(REFUSE, { text: "" }, ann))).toEqual({
      code: "not_text",
      details: { line: 3 },
    });
    const defects = await Promise.allSettled([
      workers.run(FAIL, { text: "" }, ann),
      workers.run(UNKNOWN, { text: "" }, ann),
    ]);
    expect(defects.map((defect) => String((defect as PromiseRejectedResult).reason))).toEqual([
      "Error: a defect",
      'Error: no job "unknown"',
    ]);
  });

  test("with more input than it takes is refused", async () => {
    using workers = pool();
    expect(await refusalOf(async () => workers.run(ECHO, { text: "x".repeat(101) }, ann))).toEqual({
      code: "too_large",
      details: { limit_bytes: 100 },
    });
  });

  test("ends when its caller has gone, whether it runs or waits", async () => {
    using workers = pool();
    const running = await Promise.all([held(workers, "ann"), held(workers, "ann")]);
    const gone = new AbortController();
    const waits = refusalOf(() => workers.run(ECHO, { text: "" }, { by: "ann", signal: gone.signal }));
    gone.abort();
    expect(await waits).toEqual({ code: "unavailable", details: undefined });
    expect(workers.load).toBe(2);
    for (const { release } of running) await release();
    const runs = new AbortController();
    const spins = refusalOf(() => workers.run(HOLD, { text: "nobody" }, { by: "ann", signal: runs.signal }));
    runs.abort();
    expect(await spins).toEqual({ code: "unavailable", details: undefined });
    expect(await workers.run(ECHO, { text: "after" }, ann)).toBe("after");
  });
});

test("a caller runs one long job at a time, so that a worker stays free for others", async () => {
  using workers = pool();
  const long = { ...HOLD, perCaller: "one" } as const;
  const first = await held(workers, "ann", long);
  const second = held(workers, "ann", long);
  // Of others, and short ones of the same caller.
  expect(await workers.run(ECHO, { text: "bob" }, { by: "bob" })).toBe("bob");
  expect(await workers.run(ECHO, { text: "ann" }, ann)).toBe("ann");
  await (await held(workers, "bob", long)).release();
  await first.release();
  await (await second).release();
  expect(workers.load).toBe(0);
});

test("a closed pool ends what runs and waits, and takes nothing", async () => {
  using workers = pool();
  const jobs = [1, 2, 3].map(() => refusalOf(() => workers.run(HOLD, { text: "nobody" }, ann)));
  workers.close();
  const stopping = { code: "unavailable", details: undefined };
  expect(await Promise.all(jobs)).toEqual(jobs.map(() => stopping) as never);
  expect(await refusalOf(async () => workers.run(ECHO, { text: "" }, ann))).toMatchObject({
    code: "unavailable",
  });
});

describe("the queue", () => {
  const entry = (by: string, name: string, bytes = 1) => ({ by, name, bytes });

  test("takes from each caller in turn, and of one the oldest first", () => {
    const queue = new FairQueue<ReturnType<typeof entry>>();
    for (const name of ["1", "2", "3"]) queue.add(entry("ann", name));
    queue.add(entry("ben", "4"));
    queue.add(entry("cleo", "5"));
    const order: string[] = [];
    for (let next = queue.take(); next; next = queue.take()) order.push(next.name);
    expect(order).toEqual(["1", "4", "5", "2", "3"]);
  });

  test("gives one caller half of its places and bytes, so that others find room", () => {
    const full = { code: "unavailable", details: { retry_after_seconds: 1 } };
    const places = new FairQueue<ReturnType<typeof entry>>();
    for (let index = 0; index < 512; index += 1) places.add(entry("ann", `${index}`));
    expect(() => places.add(entry("ann", "more"))).toThrow(expect.objectContaining(full));
    for (let index = 0; index < 512; index += 1) places.add(entry(`user-${index}`, `${index}`));
    expect(() => places.add(entry("ben", "more"))).toThrow(expect.objectContaining(full));
    const bytes = new FairQueue<ReturnType<typeof entry>>();
    bytes.add(entry("ann", "large", 128 * 1024 * 1024));
    expect(() => bytes.add(entry("ann", "one more"))).toThrow(expect.objectContaining(full));
    bytes.add(entry("ben", "large", 128 * 1024 * 1024));
    expect(() => bytes.add(entry("cleo", "one more"))).toThrow(expect.objectContaining(full));
  });
});
