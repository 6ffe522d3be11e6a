// Goal: a document is stale once its window has passed, in calendar units, and whatever cannot be read is reported by field and value.

import { describe, expect, test } from "bun:test";
import { judged, trueUntil } from "../../../src/context/freshness/judging.ts";
import { readFrontMatter } from "../../../src/context/versioned-store/front-matter.ts";
import { parseDocumentPath } from "../../../src/kit/text/paths.ts";

const path = parseDocumentPath("path", "a.md");
const at = (time: string) => Date.parse(time);
const judge = (yaml: string, now = "2026-06-15T12:00:00Z", written = "2026-06-01T08:30:00Z") => {
  const reading = readFrontMatter(`---\n${yaml}\n---\n`)!;
  const fields = "problem" in reading ? reading.problem : reading.fields;
  return judged({ path, fields, written: at(written) }, at(now));
};

const dates: [validated: string, window: string, due: string][] = [
  ["2026-01-01", "30d", "2026-01-31"],
  ["2026-01-01", "12w", "2026-03-26"],
  ["2026-01-31", "1m", "2026-02-28"],
  ["2024-01-31", "1m", "2024-02-29"],
  ["2026-05-31", "6m", "2026-11-30"],
  ["2025-11-15", "14m", "2027-01-15"],
  ["2024-02-29", "1y", "2025-02-28"],
  ["2026-01-01", "9999y", "9999-12-31"],
  ["2026-01-01", "9999d", "2053-05-18"],
];

describe("the window", () => {
  test.each(dates)("of %s and %s ends on %s", (validated, window, due) => {
    const yaml = `last-validated: ${validated}\nstale-after: ${window}`;
    const moment = `${due}T00:00:00.000Z`;
    expect(judge(yaml, moment)).toMatchObject({ state: "fresh", due: moment, stale_after: window });
    expect(judge(yaml, `${due}T00:00:00.001Z`)!.state).toBe("stale");
  });

  test("begins with the last version if nobody has validated it", () => {
    expect(judge("stale-after: 14d\nowner: ann\nimportance: high", "2026-06-15T08:30:00Z")).toEqual({
      path,
      state: "fresh",
      stale_after: "14d",
      last_validated: null,
      written: "2026-06-01T08:30:00.000Z",
      due: "2026-06-15T08:30:00.000Z",
      owner: "ann",
      importance: "high",
      problems: [],
    });
  });

  test("may begin at a time, of which the date is shown", () => {
    expect(judge('last-validated: 2026-06-14T23:00:00+02:00\nstale-after: "1d"')).toMatchObject({
      last_validated: "2026-06-14",
      due: "2026-06-15T21:00:00.000Z",
    });
  });
});

test("a document without a window is not listed", () => {
  for (const yaml of ["owner: ann", "last-validated: 2020-01-01", "stale-after:", "x: y", ""])
    expect(judge(yaml)).toBeUndefined();
});

const problems: [yaml: string, state: string, field: string | null, code: string, value: string | null][] = [
  ["stale-after: soon", "unknown", "stale-after", "bad_value", "soon"],
  ["stale-after: 90", "unknown", "stale-after", "bad_value", "90"],
  ["stale-after: 0d", "unknown", "stale-after", "bad_value", "0d"],
  ["stale-after: 30 d", "unknown", "stale-after", "bad_value", "30 d"],
  ["stale-after: -3d", "unknown", "stale-after", "bad_value", "-3d"],
  ["stale-after: [1d]", "unknown", "stale-after", "bad_value", '["1d"]'],
  ["last-validated: yesterday", "unknown", "last-validated", "bad_value", "yesterday"],
  ["last-validated: 2026-02-30", "unknown", "last-validated", "bad_value", "2026-02-30"],
  ["last-validated: 20260101", "unknown", "last-validated", "bad_value", "20260101"],
  ["last-validated: 2062-01-01", "unknown", "last-validated", "in_future", "2062-01-01"],
  ["owner: {a: b}", "fresh", "owner", "bad_value", '{"a":"b"}'],
  ["importance: urgent", "fresh", "importance", "bad_value", "urgent"],
  ["stale-after: 90d\nowner: ann\nstale-after: 1d", "unknown", null, "doubled_key", null],
  ["a: [", "unknown", null, "not_yaml", null],
];

describe("a problem", () => {
  test.each(problems)("%s", (yaml, state, field, code, value) => {
    const { problems: found, ...judgement } = judge(yaml)!;
    expect<unknown>(found).toEqual([{ field, code, value }]);
    expect(judgement).toMatchObject({ state, due: null });
  });

  test("of another field does not hide that a document is stale; several are all reported", () => {
    const judgement = judge("stale-after: 1d\nlast-validated: 2026-01-01\nowner: 7\nimportance: 1")!;
    expect(judgement.state).toBe("stale");
    expect(judgement.problems.map(({ field }) => field)).toEqual(["owner", "importance"]);
  });

  test("shows the start of a long value, and a list of owners is no problem", () => {
    expect(judge(`stale-after: ${"x".repeat(500)}`)!.problems[0]!.value).toBe(`${"x".repeat(100)}…`);
    expect(judge("stale-after: 90d\nowner: [ann, bob]")).toMatchObject({ owner: "ann, bob", problems: [] });
  });
});

const readings: [text: string, reading: unknown][] = [
  ["---\nowner: ann\nno end", { problem: "no_end" }],
  ["---\n# A heading after a rule\n\ntext", undefined],
  ["---\nSome words\n---\n", undefined],
  ["---\nowner: ann\n- x\n---\n", { problem: "not_yaml" }],
  [`---\na: ${"[".repeat(60)}\n---\n`, { problem: "too_complex" }],
  ["---\n---\n", { fields: {}, from: 4, to: 4 }],
  ["\ufeff---\r\na: 1\r\n---\r\n", { fields: { a: 1 }, from: 6, to: 12 }],
];

test.each(readings)("front matter %j", (text, reading) => {
  expect<unknown>(readFrontMatter(text)).toEqual(reading);
});

test("a judgement is true until the time that it names, and no longer", () => {
  const now = Date.UTC(2026, 0, 1);
  const day = 86_400_000;
  const written = Date.UTC(2025, 11, 30);
  const fields = {
    fresh: { "stale-after": "1w", "last-validated": "2025-12-31" },
    unvalidated: { "stale-after": "3d" },
    future: { "stale-after": "1d", "last-validated": "2026-03-01" },
    stale: { "stale-after": "1d", "last-validated": "2020-01-01" },
    unclear: { "stale-after": "soon" },
  };
  const ends: Record<string, number> = {};
  for (const [name, declared] of Object.entries(fields)) {
    const declaration = { path, fields: declared, written };
    const judgement = judged(declaration, now)!;
    const until = trueUntil(judgement);
    ends[name] = (until - now) / day;
    if (!Number.isFinite(until)) continue;
    expect([name, judged(declaration, until)]).toEqual([name, judgement]);
    expect([name, judged(declaration, until + 1)]).not.toEqual([name, judgement]);
  }
  expect(Object.values(ends).map((days) => Math.round(days))).toEqual([6, 1, 58, Infinity, Infinity]);
});
