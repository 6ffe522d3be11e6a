// Goal: what the scripts read from others is read right: Bun's summary, the changelog; and the benchmark table is a table.

import { describe, expect, test } from "bun:test";
import { table } from "../../release/bench.ts";
import { sectionOf } from "../../release/notes.ts";
import { targets } from "../../release/targets.ts";
import { parseSummary, summaryLine } from "../../release/test.ts";

describe("summary of bun test", () => {
  test("counts come from the last summary, colours or not", () => {
    const output =
      " 9 pass\n 9 fail\n…\n\u001b[32m 12 pass\u001b[0m\n\u001b[33m 1 skip\u001b[0m\n\u001b[2m 2 todo\u001b[0m\n 3 fail\n";
    expect(parseSummary(output)).toEqual({ passed: 12, failed: 3, skipped: 3 });
  });

  test("no summary is no test, not success", () => {
    expect(parseSummary("Segmentation fault")).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });

  test("the line that machines read", () => {
    expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
    expect(summaryLine({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped");
  });
});

describe("release notes", () => {
  const changelog =
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-21\n\n### Added\n\n- A thing.\n\n## [1.1.0]\n\n- Old.\n\n[1.1.0]: x\n";

  test("the section of a version, without its heading", () => {
    expect(sectionOf(changelog, "1.2.0")).toBe("### Added\n\n- A thing.");
    expect(sectionOf(changelog, "1.1.0")).toBe("- Old.");
  });

  test("an empty section and a missing one differ", () => {
    expect(sectionOf(changelog, "Unreleased")).toBe("");
    expect(sectionOf(changelog, "1.2")).toBeUndefined();
  });
});

test("the benchmark table lines up and says what was missed", () => {
  const rows = [
    {
      name: "GET workspace",
      measured: 81_234.4,
      unit: "req/s",
      limit: 131_000,
      ratio: 0.62,
      target: "≥ 0.6",
      met: true,
    },
    { name: "version", measured: 31.26, unit: "ms", target: "≤ 25 ms", met: false },
  ];
  expect(table(rows).split("\n")).toEqual([
    "measurement    measured      limit          ratio  target",
    "GET workspace  81,234 req/s  131,000 req/s  0.62   ≥ 0.6    met",
    "version        31.3 ms                             ≤ 25 ms  MISSED",
  ]);
});

test("eight targets, each once", () => {
  expect(targets.map(({ id, bun }) => `bun-${id}` === bun)).toEqual(targets.map(() => true));
  expect(new Set(targets.map(({ id }) => id)).size).toBe(8);
});
