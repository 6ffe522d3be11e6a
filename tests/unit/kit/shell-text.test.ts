// Goal: words become a command that every shell reads back as the same words.

import { expect, test } from "bun:test";
import { assert, array, property, string } from "fast-check";
import { commandText, commandWords } from "../../../src/kit/terminal/command-text.ts";

const HOSTILE = [
  "a b",
  "it's",
  "$HOME",
  "`id`",
  'say "x"',
  "back\\slash",
  "new\nline",
  "*",
  "~",
  "",
  "-n",
  "ä 漢",
  "#x",
  "!!",
];

test("quotes for POSIX systems as our own reader and a real shell understand it", async () => {
  expect(commandText(["/usr/bin/cairn", "file", "get", "a/b.md"], "linux")).toBe(
    "/usr/bin/cairn file get a/b.md",
  );
  expect(commandText(["it's"], "linux")).toBe(String.raw`'it'\''s'`);
  assert(
    property(array(string()), (words) =>
      expect(commandWords("x", commandText(words, "linux"), "linux")).toEqual(words),
    ),
  );
  if (process.platform === "win32") return;
  const child = Bun.spawn(["sh", "-c", commandText(["printf", "%s\\0", ...HOSTILE], "linux")], {
    stdout: "pipe",
  });
  expect((await child.stdout.text()).split("\0").slice(0, -1)).toEqual(HOSTILE);
});

test("quotes for Windows in double quotes, which no path contains", () => {
  const words = [String.raw`C:\Program Files\cairn.exe`, "--dir", String.raw`D:\notes`];
  expect(commandText(words, "win32")).toBe(String.raw`"C:\Program Files\cairn.exe" --dir D:\notes`);
  expect(commandWords("x", commandText(words, "win32"), "win32")).toEqual(words);
});
