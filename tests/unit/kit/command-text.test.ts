// Goal: a command in a variable is cut into words as a shell would, without anything else that a shell does.

import { expect, test } from "bun:test";
import { commandWords } from "../../../src/kit/terminal/command-text.ts";

test.each([
  ["vi", ["vi"]],
  ["  code   --wait ", ["code", "--wait"]],
  [`'my editor/run' -w`, ["my editor/run", "-w"]],
  [`"a b"'c d'e`, ["a bc de"]],
  [`a\\ b "c\\"d" 'e\\f'`, ["a b", `c"d`, `e\\f`]],
  [`ed ''`, ["ed", ""]],
  [
    "ed $(rm -rf x) `y` $HOME ; z | w > q *",
    ["ed", "$(rm", "-rf", "x)", "`y`", "$HOME", ";", "z", "|", "w", ">", "q", "*"],
  ],
  ["", []],
  ["   ", []],
])("%j is %j", (text, words) => {
  expect(commandWords("$EDITOR", text, "linux")).toEqual(words);
});

test("on Windows a backslash is part of a path", () => {
  const text = `"C:\\Program Files\\ed.exe" -w`;
  expect(commandWords("$EDITOR", text, "win32")).toEqual(["C:\\Program Files\\ed.exe", "-w"]);
});

test("an unclosed quote or a trailing backslash is refused by the name of the variable", () => {
  expect(() => commandWords("$EDITOR", `vi "a`, "linux")).toThrow('$EDITOR: the quote " is not closed');
  expect(() => commandWords("$VISUAL", "vi \\", "linux")).toThrow("$VISUAL: ends with a single backslash");
});
