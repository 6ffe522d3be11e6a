// Goal: a table fits the terminal it is shown on and is whole anywhere else; times are relative only for people; no text of others brings a style.

import { describe, expect, test } from "bun:test";
import { bytes, secondsOf, table, when } from "../../src/cli/tables.ts";
import { painted, showStyles, styled } from "../../src/kit/terminal/style.ts";
import { visible } from "../../src/kit/text/visible.ts";

const plain = (text: string) => painted(text, visible);

describe("a table", () => {
  const rows = [
    ["projects/alpha/meetings/2026-11-03-planning.md", "v12", "a note that goes on for quite a while"],
    ["a.md", "v1", "short"],
  ];
  const shown = (columns?: number) => plain(table(rows, ["PATH", "VERSION", "NOTE"], "none", columns));

  test("is whole where there is no terminal, and where it fits", () => {
    const whole = shown();
    expect(whole).toContain(`${rows[0]![0]}  v12      ${rows[0]![2]}`);
    expect(shown(200)).toBe(whole);
  });

  test.each([60, 40, 30])("fits %d columns: a path keeps both ends, a sentence its beginning", (columns) => {
    const lines = shown(columns).split("\n");
    expect(lines.filter((line) => Bun.stringWidth(line) > columns)).toEqual([]);
    expect(lines[1]).toMatch(/^pro\S*…\S*\.md +v12 +a note.*…$/);
    expect(lines[2]).toMatch(/^a\.md +v1 +short$/);
  });

  test("cuts a path after everything else, in the middle, and keeps the name of the file", () => {
    const target = ".github/copilot-instructions.md";
    const path = "/srv/ann/My Documents/notes of the team/decisions.md";
    const header = ["ID", "TOOL", "DETECTED", "TARGET", "INSTALLED"];
    const cells = (where: string) => ["copilot", "GitHub Copilot of all editors", "yes", where];
    const at80 = (where: string) =>
      plain(table([[...cells(where), "no"]], header, "none", 80)).split("\n")[1]!;
    expect(at80(target)).toContain(`  ${target}  no`);
    expect(at80(path)).toMatch(/ \/srv\/ann\/.+….*\/decisions\.md {2}no$/);
    expect([at80(target), at80(path)].map((line) => Bun.stringWidth(line) <= 80)).toEqual([true, true]);
  });

  test("cuts no date", () => {
    const header = ["STATE", "PATH", "STALE AFTER", "VALIDATED", "DUE", "OWNER"];
    const path = "projects/example/project.md";
    const cells = ["fresh", path, "90d", "written 2026-11-26", "2027-02-24", "the owner"];
    const line = plain(table([cells], header, "none", 80)).split("\n")[1]!;
    expect(line).toMatch(/^fresh {2}pro\S*…\S*\.md +90d +written 2026-11-26 {2}2027-02-24 {2}the /);
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
  });

  test("is never cut below what says nothing any more, and keeps its paths legible where it cannot fit", () => {
    expect(shown(5).split("\n")[1]).toMatch(/^projects…\/2026-11-03-planning\.md +v12 +.{8}$/);
    expect(shown(27).split("\n")[1]).toMatch(/^\S{8} +v12 +.{8}$/);
  });

  test("measures wide characters, and cuts none in half", () => {
    const wide = table([["日本語日本語日本語日本語", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦"]], ["A", "B"], "none", 24);
    const line = plain(wide).split("\n")[1]!;
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(24);
    expect(line).toMatch(/^日本.*…/);
    expect(line).not.toContain("\ufffd");
  });

  test("with long cells shows the ends of each", () => {
    const long = `start-${"x".repeat(1_000_000)}-end`;
    const text = plain(table([[long, `${long} ${long}`]], ["A", "B"], "none", 40));
    expect(text.split("\n")[1]).toMatch(/^start-x+…x+-end {2}start-x+…$/);
  });
});

test.each([
  ["2026-11-22T11:59:31Z", "just now"],
  ["2026-11-22T11:58:59Z", "1 minute ago"],
  ["2026-11-22T09:00:00Z", "3 hours ago"],
  ["2026-11-20T11:00:00Z", "2 days ago"],
  ["2026-09-01T12:00:00Z", "2 months ago"],
  ["2020-01-01T00:00:00Z", "6 years ago"],
  ["2026-11-22T12:00:30Z", "in a moment"],
  ["2026-12-22T12:00:00Z", "in 1 month"],
  ["no time", "no time"],
  [null, null],
])("%p on a terminal is %p", (time, text) => {
  expect(when(time, Date.parse("2026-11-22T12:00:00Z"))).toBe(text);
});

test("a time is exact where there is no terminal", () => {
  expect(when("2026-11-20T11:00:00.123Z")).toBe("2026-11-20T11:00:00.123Z");
});

test.each([
  ["12h", 43_200],
  ["30d", 2_592_000],
  ["8w", 4_838_400],
])("--expires %s is %d seconds", (text, seconds) => {
  expect(secondsOf("--expires", text)).toBe(seconds);
});

test.each(["", "0d", "30", "-1d", "1.5d", "30 d", "d", "1y", "9999999d"])(
  "--expires %p is refused",
  (text) => {
    expect(() => secondsOf("--expires", text)).toThrow(
      `--expires "${text}": expected a number with h, d or w`,
    );
  },
);

test("styles become sequences or nothing, and what is between them is made safe", () => {
  const text = () => `${styled("bold", "A\u001b[2J")} 𐀀👍 b`;
  showStyles(true);
  try {
    expect(painted(text(), visible)).toBe("\u001b[1mA\ufffd[2J\u001b[0m 𐀀👍 b");
  } finally {
    showStyles(false);
  }
  expect(painted(text(), visible)).toBe("A\ufffd[2J 𐀀👍 b");
  // Nor does text of others bring a mark.
  expect(painted("\ud801A\ud800", visible)).toBe("\ufffdA\ufffd");
});

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_024, "1.0 KiB"],
  [1_586, "1.5 KiB"],
  [1_587, "1.5 KiB"],
  [1_588, "1.6 KiB"],
  [102_348, "99.9 KiB"],
  [102_400, "100 KiB"],
  [1_048_576, "1.0 MiB"],
  [5 * 1024 ** 5, "5120 TiB"],
])("%d bytes are shown as %s", (count, text) => {
  expect(bytes(count)).toBe(text);
});
