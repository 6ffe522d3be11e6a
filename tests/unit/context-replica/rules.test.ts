// Goal: what a sync cycle does with a path is decided by both sides, the last common content and the sync mode, and nothing else.

import { describe, expect, test } from "bun:test";
import { BackOff, retryDelayMs } from "../../../src/context/replica/backoff.ts";
import {
  conflictName,
  fileOfCut,
  mayBeCut,
  parseConflictName,
} from "../../../src/context/sync/conflict-names.ts";
import {
  countDeletes,
  decide,
  needsConsent,
  type Action,
  type Facts,
} from "../../../src/context/replica/decision.ts";
import { mergeTexts } from "../../../src/context/replica/merge.ts";
import { PATH_BYTES_MAX, pathProblem } from "../../../src/kit/text/paths.ts";
import { manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";

const facts = (given: Partial<Facts>): Facts => ({
  mode: "always",
  server: null,
  local: null,
  base: null,
  sent: null,
  fresh: null,
  lineage: "unknown",
  ...given,
});

describe("decision", () => {
  // Server, local, base: the action, and the one for a path that is compared again.
  const cases: [string | null, string | null, string | null, Action, Action][] = [
    ["a", "a", "a", "none", "agree"],
    ["a", "a", null, "agree", "agree"],
    ["b", "b", "a", "agree", "agree"],
    [null, null, "a", "agree", "agree"],
    ["b", "a", "a", "take", "take"],
    ["a", null, null, "take", "take"],
    ["a", "b", "a", "send", "send"],
    [null, "a", null, "send", "send"],
    [null, "a", "a", "remove", "send"],
    ["a", null, "a", "withdraw", "take"],
    ["b", "c", "a", "merge", "merge"],
    ["b", "c", null, "merge", "merge"],
    ["b", null, "a", "take", "take"],
    [null, "b", "a", "send", "send"],
  ];
  test.each(cases)(
    "server %p, here %p, both had %p: %p; compared again: %p",
    (server, local, base, usual, again) => {
      expect(decide(facts({ server, local, base }))).toBe(usual);
      expect(decide(facts({ server, local, base, fresh: "joined" }))).toBe(again);
    },
  );

  test("an accepted push without an answer counts as the last common content", () => {
    expect(decide(facts({ server: "b", local: "c", base: "a", sent: "b" }))).toBe("send");
    expect(decide(facts({ server: null, local: "c", base: "a", sent: "" }))).toBe("send");
    expect(decide(facts({ server: "b", local: "b", base: "a", sent: "b" }))).toBe("agree");
    expect(decide(facts({ server: "d", local: "c", base: "a", sent: "b" }))).toBe("merge");
  });

  test("a restored server does not roll a copy back", () => {
    const rolledBack = { server: "old", local: "new", base: "new", fresh: "restored" } as const;
    expect(decide(facts({ ...rolledBack, lineage: "earlier" }))).toBe("send");
    expect(decide(facts({ ...rolledBack, lineage: "unknown" }))).toBe("merge");
    expect(decide(facts({ ...rolledBack, lineage: "common" }))).toBe("take");
  });

  test("init-only is seeded once; never stays", () => {
    const seeded = (given: Partial<Facts>) => decide(facts({ mode: "init-only", ...given }));
    expect(seeded({ server: "a", fresh: "joined" })).toBe("take");
    expect(seeded({ server: "a", local: "b", fresh: "joined" })).toBe("keep");
    expect(seeded({ server: "a" })).toBe("none");
    expect(seeded({ server: "b", local: "a", base: "a" })).toBe("none");
    expect(seeded({ local: "a", base: "a" })).toBe("none");
    for (const local of ["a", null])
      expect(decide(facts({ mode: "never", server: "b", local, base: "a", fresh: "joined" }))).toBe("none");
  });

  test("a path that does not sync is never changed, whatever both sides hold", () => {
    const hashes = ["a", "b", null];
    for (const mode of ["init-only", "never"] as const)
      for (const server of hashes)
        for (const local of hashes)
          for (const base of hashes)
            expect(decide(facts({ mode, server, local, base, fresh: null }))).toBe("none");
  });

  test.each([
    [10, 10, false],
    [11, 55, false],
    [11, 54, true],
    [12, 12, true],
    [0, 0, false],
  ])("%p deletes of %p files: consent %p", (deletes, files, expected) => {
    expect(needsConsent(deletes, files)).toBe(expected);
  });

  test("content that arrives under another name is not deleted, once for each such name", () => {
    expect(countDeletes(["a", "b", "b"], [])).toBe(3);
    expect(countDeletes(["a", "b", "b"], ["b", "c"])).toBe(2);
    expect(countDeletes(["a", "b", "b"], ["b", "a", "b"])).toBe(0);
  });
});

describe("merge", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const merge = async (base: string, local: string, server: string) => {
    const merged = await mergeTexts({ base: bytes(base), local: bytes(local), server: bytes(server) });
    return merged && new TextDecoder("utf-8", { ignoreBOM: true }).decode(merged);
  };
  test.each([
    ["different lines", "1\n2\n3\n", "1a\n2\n3\n", "1\n2\n3b\n", "1a\n2\n3b\n"],
    ["the same edit on both sides", "1\n2\n", "1x\n2\n", "1x\n2\n", "1x\n2\n"],
    ["an insert and a delete apart", "1\n2\n3\n4\n", "0\n1\n2\n3\n4\n", "1\n2\n3\n", "0\n1\n2\n3\n"],
    ["no line feed at the end", "1\n2\n3", "1a\n2\n3", "1\n2\n3b", "1a\n2\n3b"],
    ["line ends of Windows", "1\r\n2\r\n3\r\n", "1a\r\n2\r\n3\r\n", "1\r\n2\r\n3b\r\n", "1a\r\n2\r\n3b\r\n"],
    ["a byte order mark", "\ufeff1\n2\n3\n", "\ufeff1\n2\n3a\n", "\ufeff1b\n2\n3\n", "\ufeff1b\n2\n3a\n"],
    [
      "a line named like a property",
      "constructor\n1\n2\n",
      "constructor\n1\n2a\n",
      "toString\n1\n2\n",
      "toString\n1\n2a\n",
    ],
    ["the same line", "1\n", "a\n", "b\n", undefined],
    ["no text", "1\0\n2\n3\n", "1\0a\n2\n3\n", "1\0\n2\n3b\n", undefined],
  ])("%s", async (_, base, local, server, expected) => {
    expect(await merge(base, local, server)).toBe(expected as string);
  });

  test("a text that would take too long is not merged", async () => {
    const many = "same\n".repeat(15_000);
    expect(await merge(many, `a\n${many}`, `${many}b\n`)).toBeUndefined();
  });
});

describe("conflict names", () => {
  const time = Date.UTC(2026, 10, 22, 13, 0, 5);
  const free = () => false;
  test.each([
    ["a/notes.md", "ada", "a/notes.conflict-ada-20261122T130005Z.md"],
    ["notes", "ada", "notes.conflict-ada-20261122T130005Z"],
    [".hidden", "ada", ".hidden.conflict-ada-20261122T130005Z"],
    ["a.b/c", "Jean Luc/..", "a.b/c.conflict-Jean-Luc--20261122T130005Z"],
    ["שלום.txt", "", "שלום.conflict-user-20261122T130005Z.txt"],
  ])("%s by %s is %s", (path, user, expected) => {
    const name = conflictName(path, user, time, free);
    expect(name).toBe(expected as typeof name);
    expect(pathProblem(name)).toBeUndefined();
    expect(parseConflictName(name)).toMatchObject({ path, opened_at: "2026-11-22T13:00:05Z" });
  });

  test("get a number if they are taken, and are shortened if they are too long", () => {
    const taken = (name: string) => !name.includes("Z-3");
    expect(conflictName("a.md", "ada", time, taken) as string).toBe("a.conflict-ada-20261122T130005Z-3.md");
    const long = `${"é".repeat(120)}.md`;
    const deep = `${"d/".repeat(PATH_BYTES_MAX / 2 - 3)}a.md`;
    for (const path of [long, deep, `${"x".repeat(255)}`]) {
      const name = conflictName(path, "u".repeat(500), time, free);
      expect([path.length > 0, pathProblem(name)]).toEqual([true, undefined]);
      expect(parseConflictName(name)).toBeDefined();
    }
  });

  test("that were cut lead to their file among the others", () => {
    const files = ["m".repeat(229), "m".repeat(230), "n".repeat(230)].map((name) => `docs/${name}.md`);
    const copy = conflictName(files[1]!, "ada", time, free);
    expect([mayBeCut(copy), files.includes(parseConflictName(copy)!.path)]).toEqual([true, false]);
    // A name that is cut to the same one cannot be told apart, so it is not in this list.
    expect(fileOfCut(copy, files.slice(1))).toBe(files[1]);
    expect(fileOfCut(copy, [])).toBeUndefined();
    const cjk = `${"日".repeat(80)}.md`;
    expect(fileOfCut(conflictName(cjk, "ada", time, free), [cjk])).toBe(cjk);
    expect(mayBeCut(conflictName("docs/a.md", "ada", time, free))).toBe(false);
    // In a directory without room, the conflict file is at the top.
    const deep = `${`${"d".repeat(250)}/`.repeat(4)}page.md`;
    const atTop = conflictName(deep, "ada", time, free);
    expect([atTop.includes("/"), mayBeCut(atTop)]).toEqual([false, true]);
    expect(fileOfCut(atTop, ["docs/page.md", deep])).toBe(deep);
    // A file beside it is the more likely one.
    expect(fileOfCut(atTop, [deep, "page.md"])).toBeUndefined();
  });

  test("are not found in ordinary names", () => {
    for (const path of ["notes.md", "a.conflict.md", "a.conflict-ada.md", "a.conflict-ada-2026.md"])
      expect(parseConflictName(path)).toBeUndefined();
  });
});

describe("back-off", () => {
  test("one failure retries at the normal interval; more double it up to 15 minutes; a success resets", () => {
    const clock = manualClock();
    const backOff = new BackOff(() => clock.elapsed());
    expect(backOff.waitMs).toBe(0);
    const minutes = Array.from({ length: 8 }, () => {
      backOff.failed();
      return backOff.waitMs / MINUTE_MS;
    });
    expect(minutes).toEqual([1, 1 * 2, 4, 8, 15, 15, 15, 15]);
    clock.advance(14 * MINUTE_MS);
    expect(backOff.waitMs).toBe(MINUTE_MS);
    clock.advance(2 * MINUTE_MS);
    expect(backOff.waitMs).toBe(0);
    backOff.succeeded();
    expect([backOff.waitMs, backOff.failures]).toEqual([MINUTE_MS, 0]);
    backOff.failed();
    expect(backOff.waitMs).toBe(MINUTE_MS);
  });

  test("waking up tries at once and forgives nothing", () => {
    const clock = manualClock();
    const backOff = new BackOff(() => clock.elapsed());
    for (let count = 0; count < 5; count += 1) backOff.failed();
    backOff.hurry();
    expect([backOff.waitMs, backOff.failures]).toEqual([0, 5]);
    backOff.failed();
    expect(backOff.waitMs).toBe(15 * MINUTE_MS);
  });

  test("a wait that the server asks for replaces ours, and nothing shortens it", () => {
    const clock = manualClock();
    const backOff = new BackOff(() => clock.elapsed());
    backOff.failed();
    backOff.failed(42);
    expect(backOff.waitMs).toBe(42_000);
    clock.advance(2_000);
    backOff.hurry();
    expect(backOff.waitMs).toBe(40_000);
    backOff.failed(90 * 60);
    expect(backOff.waitMs).toBe(60 * MINUTE_MS);
    backOff.succeeded();
    clock.advance(60 * MINUTE_MS);
    backOff.failed();
    backOff.hurry();
    expect(backOff.waitMs).toBe(0);
  });

  test("never overflows, and never retries sooner than the interval", () => {
    expect(retryDelayMs(1_000_000)).toBe(15 * MINUTE_MS);
    expect(retryDelayMs(3, 30 * MINUTE_MS)).toBe(30 * MINUTE_MS);
  });
});
