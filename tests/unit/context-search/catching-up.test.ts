// Goal: a search of a large space never waits for a look at all files but the first, and still contains every change of the log.

import { expect, test } from "bun:test";
import { CatchingUp } from "../../../src/context/search/catching-up.ts";
import type { FindInput, Found } from "../../../src/context/search/jobs.ts";
import { Search } from "../../../src/context/search/search.ts";
import type { OpenSpace } from "../../../src/context/spaces/open-space.ts";
import { AppError } from "../../../src/kit/error.ts";
import type { WorkerPool } from "../../../src/kit/workers/pool.ts";
import { Rights } from "../../../src/context/access/rights.ts";
import type { Caller } from "../../../src/context/identity/caller.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { refusal } from "../../kit/http/refusal.ts";

const LOOK_MS = 100;
const none = { paths: "", scores: new Float64Array() };

function bench(files: number) {
  const clock = manualClock();
  let head = { epoch: "0123456789ab", seq: 10 };
  const entries: { seq: number; path: string }[] = [];
  const engine = {
    directory: "/nowhere",
    head: () => head,
    settled: () => Promise.resolve(),
    log: async (after: number, limit: number) => entries.filter(({ seq }) => seq > after).slice(0, limit),
  };
  const asked: string[] = [];
  const unfinished: Found[] = [];
  const run = async (_: unknown, { whole, changed, expression }: FindInput): Promise<Found> => {
    asked.push(`${whole ? "all files" : `changed: ${changed.join(" ")}`} ${expression ?? "-"}`);
    const look = whole ? { ms: LOOK_MS, files } : undefined;
    return unfinished.pop() ?? { isCurrent: true, look, candidates: none };
  };
  const delayed: (() => Promise<unknown>)[] = [];
  const workers = { run } as unknown as WorkerPool;
  const catching = new CatchingUp({ workers, clock, later: (work) => void delayed.push(work) });
  const space = { name: "main", engine } as unknown as OpenSpace;
  return {
    clock,
    delayed,
    unfinished,
    async search(expression = "q") {
      asked.length = 0;
      await catching.candidates(space, expression, 10, { by: "ann" });
      return [...asked];
    },
    change(...paths: string[]) {
      for (const path of paths) {
        head = { ...head, seq: head.seq + 1 };
        entries.push({ seq: head.seq, path });
      }
    },
    restore: () => void (head = { epoch: "ba9876543210", seq: 1 }),
    async later() {
      asked.length = 0;
      for (const work of delayed.splice(0)) await work();
      return [...asked];
    },
  };
}

test("a large space is looked at once, then followed by its log, and looked at in between", async () => {
  const { clock, delayed, search, change, later, restore, unfinished } = bench(50_000);
  unfinished.push({ isCurrent: false, look: undefined, candidates: none });
  expect(await search()).toEqual(["all files q", "all files q"]);
  expect(await search()).toEqual(["changed:  q"]);
  change("a.md", "b.md", "a.md");
  expect(await search()).toEqual(["changed: a.md b.md q"]);
  expect(await search()).toEqual(["changed:  q"]);
  clock.advance(LOOK_MS * 50 - 1);
  await search();
  expect(delayed.length).toBe(0);
  clock.advance(1);
  expect([await search(), await search()]).toEqual([["changed:  q"], ["changed:  q"]]);
  expect(await later()).toEqual(["all files -"]);
  await search();
  expect(delayed.length).toBe(0);
  change(...Array.from({ length: 2_001 }, (_, index) => `${index}.md`));
  expect(await search()).toEqual(["all files q"]);
  restore();
  expect(await search()).toEqual(["all files q"]);
});

test("a small space is looked at with every search", async () => {
  const { search } = bench(2_000);
  for (let turn = 0; turn < 3; turn += 1) expect(await search()).toEqual(["all files q"]);
});

test("a search that a worker could not finish in time says what to do", async () => {
  const run = async () => {
    throw new AppError("refused", "search_read: took longer than 15000 ms", { deadline_ms: 15_000 });
  };
  const engine = { directory: "/nowhere", settled: () => Promise.resolve() };
  const space = { name: "main", engine } as unknown as OpenSpace;
  const search = new Search({
    spaces: { looked: async () => space },
    workers: { run } as unknown as WorkerPool,
    clock: manualClock(),
  });
  const caller = { name: "ann", rights: new Rights("admin", null, []) } as unknown as Caller;
  await refusal(
    search.find(caller, "main", { text: "(a*)*", regex: true }),
    "refused",
    "the search takes too long; narrow it with a path, or simplify the regular expression",
  );
});
