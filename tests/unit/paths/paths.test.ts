// Goal: what the pure prover accepts stays below any root on any system, means one file only, and every refusal says why.

import { expect, test } from "bun:test";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { posix, win32 } from "node:path";
import { AppError } from "../../../src/kit/error.ts";
import { parseDocumentPath, pathProblem } from "../../../src/kit/text/paths.ts";

const COMBINED = "e\u0301";

const accepted = [
  "a",
  "notes/plan.md",
  ".env",
  "...a",
  "a..b/c..d",
  "with space/and more.txt",
  "Ünïcödé/日本語.md",
  "👩‍💻.md",
  "console.log",
  "com.md",
  "aux-notes.md",
  "%2e%2e%2fetc",
  "x".repeat(255),
  `${"d/".repeat(511)}ab`,
];

const refusals: [input: string, problem: string][] = [
  ["", "must not be empty"],
  ["/", "must be relative, without a slash at the start"],
  ["/etc/passwd", "must be relative, without a slash at the start"],
  ["//server/share", "must be relative, without a slash at the start"],
  ["..", 'must not contain the segment ".."'],
  ["../x", 'must not contain the segment ".."'],
  ["a/../b", 'must not contain the segment ".."'],
  ["a/..", 'must not contain the segment ".."'],
  [".", 'must not contain the segment "."'],
  ["./a", 'must not contain the segment "."'],
  ["a/./b", 'must not contain the segment "."'],
  ["\uff0e\uff0e/a", 'must not contain the segment ".."'],
  ["\u2025/a", 'must not contain the segment ".."'],
  [".\u200c./a", 'must not contain the segment ".."'],
  ["..\uff0fetc", "must not contain characters that look like a slash"],
  ["a\u2215b", "must not contain characters that look like a slash"],
  ["\u2100.md", "must not contain characters that look like a slash"],
  ["docs/\u2106", "must not contain characters that look like a slash"],
  ["..\\..\\x", "segments are separated by /, and \\ is not allowed"],
  ["C:\\x", "segments are separated by /, and \\ is not allowed"],
  ["C:/x", "must not contain :"],
  ["C:x", "must not contain :"],
  ["file.txt:stream", "must not contain :"],
  ["what?", "must not contain ?"],
  ["a//b", "must not contain empty segments (no // and no / at the end)"],
  ["a/", "must not contain empty segments (no // and no / at the end)"],
  ["a\0b", "must not contain control or invisible characters"],
  ["a\nb", "must not contain control or invisible characters"],
  ["a\u007fb", "must not contain control or invisible characters"],
  ["a\u202etxt.exe", "must not contain control or invisible characters"],
  ["a\ud800", "must not contain control or invisible characters"],
  ["a\ufffd", "must not contain control or invisible characters"],
  ["a.", "segments must not begin with a space or end with a space or dot"],
  ["a ", "segments must not begin with a space or end with a space or dot"],
  [" a", "segments must not begin with a space or end with a space or dot"],
  ["a./b", "segments must not begin with a space or end with a space or dot"],
  ["...", "segments must not begin with a space or end with a space or dot"],
  ["a\u00a0", "segments must not begin with a space or end with a space or dot"],
  ["CON", '"CON" is a device name on some systems'],
  ["a/nul.txt", '"nul.txt" is a device name on some systems'],
  ["Aux .md", '"Aux .md" is a device name on some systems'],
  ["COM1", '"COM1" is a device name on some systems'],
  ["com\u00b9.txt", '"com\u00b9.txt" is a device name on some systems'],
  ["lpt9", '"lpt9" is a device name on some systems'],
  ["conin$", '"conin$" is a device name on some systems'],
  ["x".repeat(256), "at most 255 bytes between two slashes"],
  ["ü".repeat(128), "at most 255 bytes between two slashes"],
  [`${"d/".repeat(512)}a`, "at most 1024 bytes"],
  ["x".repeat(5000), "at most 1024 bytes"],
];

for (const path of accepted) {
  test(`accepts ${path.slice(0, 40)}`, () => expect(parseDocumentPath("path", path)).toEqual(path as never));
}

for (const [input, problem] of refusals) {
  test(`refuses ${JSON.stringify(input).slice(0, 40)}`, () => {
    expect(() => parseDocumentPath("path", input)).toThrow(new AppError("invalid", `path: ${problem}`));
  });
}

test("two Unicode forms are one path, the composed one", () => {
  expect(parseDocumentPath("path", `caf${COMBINED}.md`) as string).toEqual("café.md");
});

const pieces = constantFrom(
  "..",
  ".",
  "",
  "a",
  "B",
  "\\",
  "/",
  ":",
  "C:",
  "\0",
  "%2e",
  "%2f",
  "\uff0e",
  "\uff0f",
  "\u2025",
  "\u200c",
  "\u202e",
  " ",
  "nul",
  "CON.txt",
  "é",
  COMBINED,
  "👩‍💻",
  "\ud800",
  "~1",
);
const hostile = oneof(
  array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
  array(pieces, { maxLength: 8 }).map((parts) => parts.join("/")),
  string({ unit: "binary", maxLength: 40 }),
  string({ unit: "grapheme", maxLength: 40 }),
);

test("nothing that is accepted resolves outside, on any system", () => {
  assert(
    property(hostile, (input) => {
      if (pathProblem(input)) return;
      const path = parseDocumentPath("path", input);
      for (const form of [
        path,
        path.normalize("NFD"),
        path.normalize("NFKC"),
        path.replace(/\p{Default_Ignorable_Code_Point}/gu, ""),
      ]) {
        expect(posix.resolve("/root", form).startsWith("/root/")).toBe(true);
        expect(win32.resolve("C:\\root", form).startsWith("C:\\root\\")).toBe(true);
      }
      expect(posix.normalize(path) as string).toBe(path);
      expect(parseDocumentPath("path", path)).toBe(path);
    }),
    { numRuns: 3000 },
  );
});
