// Goal: work that goes on by itself is logged when it fails, and awaited when everything ends, also what it began.

import { expect, test } from "bun:test";
import { Background, Ongoing } from "../../../src/kit/concurrency/background.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { createLog } from "../../../src/kit/log.ts";

function background() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return {
    lines,
    background: new Background(createLog({ level: "info", format: "text", clock: systemClock, write })),
  };
}

test("a failure is logged under its name, also one before the first await", async () => {
  const { lines, background: tasks } = background();
  tasks.run("early", () => {
    throw new Error("no");
  });
  tasks.run("late", () => Promise.reject(new Error("neither")));
  await tasks.ended();
  expect(lines.map((line) => /task=(\w+) error=(\w+)/.exec(line)?.slice(1))).toEqual([
    ["early", "no"],
    ["late", "neither"],
  ]);
});

test("settling waits for what began meanwhile, and gives up at its deadline", async () => {
  const { background: tasks } = background();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  tasks.run("first", async () => {
    await first.promise;
    tasks.run("second", () => second.promise);
  });
  expect(await tasks.settle(1)).toBe("deadline");
  first.resolve();
  expect(await tasks.settle(1)).toBe("deadline");
  second.resolve();
  expect(await tasks.settle(60_000)).toBe("settled");
});

test("work that its callers await is waited for too, and its failure is theirs", async () => {
  const ongoing = new Ongoing();
  const failure = new Error("no");
  const kept = ongoing.keep(Promise.reject(failure));
  expect(ongoing.size).toBe(1);
  await ongoing.ended();
  expect(ongoing.size).toBe(0);
  await expect(kept).rejects.toBe(failure);
});
