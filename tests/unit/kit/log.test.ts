// Goal: a failure that repeats is said once a second with a count, the first of each at once; other lines are never held back, and the end of
// the program loses none. No text in a line acts on a terminal.

import { expect, test } from "bun:test";
import { createLog } from "../../../src/kit/log.ts";
import { visible } from "../../../src/kit/text/visible.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { within } from "../../kit/within.ts";

function bench() {
  const lines: Record<string, unknown>[] = [];
  const clock = manualClock();
  const log = createLog({
    level: "info",
    format: "json",
    clock,
    write: (line) => {
      const { time: _time, ...rest } = JSON.parse(line) as Record<string, unknown>;
      lines.push(rest);
    },
  });
  return { log, clock, take: () => lines.splice(0) };
}

test("the first is written at once, the others of a second together, with the newest fields", () => {
  const { log, clock, take } = bench();
  for (let count = 1; count <= 1_000; count++)
    log.error("it failed", { error: "ENOSPC", took: count, request_id: `r${count}` });
  expect(take()).toEqual([
    { level: "error", message: "it failed", error: "ENOSPC", took: 1, request_id: "r1" },
  ]);
  clock.advance(1_000);
  log.error("it failed", { error: "ENOSPC", took: 7, request_id: "r" });
  expect(take()).toEqual([
    { level: "error", message: "it failed", error: "ENOSPC", took: 7, request_id: "r", repeated: 1_000 },
  ]);
  log.error("it failed", { error: "ENOSPC", took: 8, request_id: "s" });
  log.flush();
  expect(take()).toEqual([
    { level: "error", message: "it failed", error: "ENOSPC", took: 8, request_id: "s", repeated: 1 },
  ]);
});

test("failures with other texts, of another level, and lines that are no failures are told apart", () => {
  const { log, take } = bench();
  for (let round = 0; round < 2; round++) {
    log.error("it failed", { space: "a" });
    log.error("it failed", { space: "b" });
    log.warn("it failed", { space: "a" });
    log.info("it went well", { space: "a" });
  }
  const shown = () => take().map(({ level, space, repeated }) => [level, space, repeated ?? 0]);
  expect(shown()).toEqual([
    ["error", "a", 0],
    ["error", "b", 0],
    ["warn", "a", 0],
    ["info", "a", 0],
    ["info", "a", 0],
  ]);
  log.flush();
  expect(shown()).toEqual([
    ["error", "a", 1],
    ["error", "b", 1],
    ["warn", "a", 1],
  ]);
});

test("however many kinds there are, what is kept of them is bounded, and none is lost", () => {
  const { log, take } = bench();
  for (let kind = 0; kind < 5_000; kind++) log.warn("it failed", { path: `${kind}` });
  const first = take().length;
  expect(first).toBeLessThanOrEqual(201);
  log.flush();
  const counts = take().map(({ repeated }) => repeated as number);
  expect(first + counts.reduce((sum, count) => sum + count, 0)).toBe(5_000);
});

test("counted lines are written after a second without another event", async () => {
  const lines: string[] = [];
  const written = Promise.withResolvers<void>();
  const log = createLog({
    level: "info",
    format: "text",
    clock: manualClock(),
    write: (line) => (lines.push(line), lines.length === 2 && written.resolve()),
  });
  log.warn("it failed");
  log.warn("it failed");
  const keptOpen = setInterval(() => {}, 1_000);
  await within("the log is written", written.promise);
  clearInterval(keptOpen);
  expect(lines[1]).toEndWith("WARN  it failed repeated=1\n");
});

test("the journal reads the severity before each line", () => {
  const lines: string[] = [];
  const log = createLog({
    level: "debug",
    format: "journal",
    clock: manualClock(),
    write: (line) => void lines.push(line),
  });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  expect(lines.map((line) => line.slice(0, 4))).toEqual(["<7>{", "<6>{", "<4>{", "<3>{"]);
});

const HOSTILE = "a\u009b2J \u202eb\u2028c\u200b\u{e0041}\u001b[2J\u007f";

test.each(["text", "json", "journal"] as const)(
  "a text in a line of the form %s acts on no terminal",
  (format) => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    createLog({ level: "info", format, clock: manualClock(), write }).info("it went well", {
      error: HOSTILE,
      name: "\u202eb",
      city: "Zürich",
    });
    expect(lines).toHaveLength(1);
    expect(visible(lines[0]!)).toBe(lines[0]!);
    expect(lines[0]).toContain("Zürich");
    expect(JSON.parse(/"a.*7f"/.exec(lines[0]!)![0])).toBe(HOSTILE);
  },
);
