// Goal: what the scripts read from others is read right: Bun's report, the changelog; and the benchmark table is a table.

import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { table } from "../../release/bench.ts";
import { sectionOf } from "../../release/notes.ts";
import { targets } from "../../release/targets.ts";
import { lanesOf, runsAtOnce, testFiles } from "../../release/lanes.ts";
import { hasRoom, memoryFolder } from "../../release/memory-folder.ts";
import { judgedFlaky, parseReport, summaryLine, sumOf } from "../../release/test.ts";
import { pictureOf, temporaryFolder } from "../kit/folder.ts";

describe("report of bun test", () => {
  const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="9" assertions="1" failures="3" skipped="2" time="0.1">
  <testsuite name="tests/a.test.ts" file="tests/a.test.ts" tests="6" failures="3" skipped="2" time="0.1">
    <testsuite name="group &lt;b&gt;" file="tests/a.test.ts" line="2" tests="6" failures="3" skipped="2">
      <testcase name="f" classname="x" file="tests/a.test.ts"><failure message="tests=&quot;7&quot;"/></testcase>
    </testsuite>
  </testsuite>
  <testsuite name="tests/b.test.ts" file="tests/b.test.ts" tests="3" failures="0" skipped="0" time="0.1">
  </testsuite>
</testsuites>`;

  test("has the counts, and the files with failures", () => {
    const { counts, failures } = parseReport(report);
    expect(counts).toEqual({ passed: 4, failed: 3, skipped: 2 });
    expect([...failures]).toEqual([["tests/a.test.ts", 3]]);
  });

  test("counts a missing report as no test, not as success", () => {
    expect(parseReport("").counts).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });

  test("a file that passes only at its second try fails the run in CI, and passes at a desk", () => {
    const counts = { passed: 4, failed: 3, skipped: 0 };
    expect(judgedFlaky(counts, 2, true)).toEqual(counts);
    expect(judgedFlaky(counts, 2, false)).toEqual({ passed: 6, failed: 1, skipped: 0 });
  });

  test("is summarised in a line for machines", () => {
    expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
    expect(summaryLine({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped");
  });
});

describe("runs side by side", () => {
  test("every file is in one lane: docker and folders together, screens in lots, judges of time late or alone", () => {
    const lanes = lanesOf([
      { path: "tests/web/a.test.ts", text: "" },
      { path: "tests/web/b.test.ts", text: 'import { startDocker } from "../kit/docker.ts";' },
      { path: "tests/web/c.test.ts", text: "// Goal: x\n// Runs alone: it judges frames.\n" },
      { path: "tests/unit/d.test.ts", text: "" },
      { path: "tests/unit/e.test.ts", text: "// Goal: x\n// Runs late: it judges processor time.\n" },
      { path: "tests/e2e/f.test.ts", text: "" },
      { path: "tests/web/g.test.ts", text: "// Goal: x\n" },
    ]);
    expect(lanes).toEqual({
      groups: [
        { files: ["tests/web/b.test.ts"], onDisk: true },
        { files: ["tests/unit/d.test.ts"], onDisk: false },
        { files: ["tests/e2e/f.test.ts"], onDisk: true },
        { files: ["tests/web/g.test.ts"], onDisk: false },
        { files: ["tests/web/a.test.ts"], onDisk: false },
      ],
      late: ["tests/unit/e.test.ts"],
      alone: ["tests/web/c.test.ts"],
    });
    const files = testFiles();
    const { groups, late, alone } = lanesOf(files);
    const all = [...groups.flatMap((group) => group.files), ...late, ...alone];
    expect(all.sort()).toEqual(files.map(({ path }) => path));
    expect(all).toContain("tests/unit/release.test.ts");
  });

  test("lots of screens become smaller towards the end, and the longest files go first", () => {
    const file = (name: string, characters: number) => ({
      path: `tests/web/${name}.test.ts`,
      text: "x".repeat(characters),
    });
    const files = [file("short", 1), ..."abcdefgh".split("").map((name) => file(name, 10)), file("long", 19)];
    const lots = lanesOf(files).groups.map((group) =>
      group.files.map((path) => path.slice(10, -8)).join(" "),
    );
    expect(lots).toEqual(["long", "a b", "c", "d", "e", "f", "g", "h", "short"]);
  });

  test("one run more than there are cores, within limits", () => {
    expect([1, 2, 3, 16].map(runsAtOnce)).toEqual([1, 3, 4, 4]);
  });

  test("write to memory only where there is room, and a program may run from it", async () => {
    const GIB = 1024 ** 3;
    expect(hasRoom({ free: 4 * GIB, available: 8 * GIB })).toBe(true);
    expect(hasRoom({ free: 4 * GIB - 1, available: 64 * GIB })).toBe(false);
    expect(hasRoom({ free: 64 * GIB, available: 8 * GIB - 1 })).toBe(false);
    await using parent = await temporaryFolder();
    expect(memoryFolder(join(parent.path, "missing"))).toBeUndefined();
    const folder = memoryFolder(parent.path);
    expect(pictureOf(parent.path)).toHaveLength(folder === undefined ? 1 : 2);
    // Tests that run a program as another user write there, too.
    if (folder !== undefined) expect(statSync(folder).mode & 0o7777).toBe(0o1777);
  });

  test("adds up counts and failures", () => {
    const one = { counts: { passed: 2, failed: 1, skipped: 0 }, failures: new Map([["a", 1]]) };
    const other = { counts: { passed: 3, failed: 2, skipped: 1 }, failures: new Map([["b", 2]]) };
    expect(sumOf([one, other])).toEqual({
      counts: { passed: 5, failed: 3, skipped: 1 },
      failures: new Map([...one.failures, ...other.failures]),
    });
    expect(sumOf([]).counts).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
});

describe("release notes", () => {
  const changelog =
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-21\n\n### Added\n\n- A thing.\n\n## [1.1.0]\n\n- Old.\n\n[1.1.0]: x\n";

  test("are the section of a version, without its heading", () => {
    expect(sectionOf(changelog, "1.2.0")).toBe("### Added\n\n- A thing.");
    expect(sectionOf(changelog, "1.1.0")).toBe("- Old.");
  });

  test("distinguish an empty section from a missing one", () => {
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

test("builds for eight targets, each once", () => {
  expect(targets.map(({ id, bun }) => `bun-${id}` === bun)).toEqual(targets.map(() => true));
  expect(new Set(targets.map(({ id }) => id)).size).toBe(8);
});
