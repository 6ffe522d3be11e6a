// Goal: the console and the interface, which share no code, show an error with a capital by the same rule, and change no name in it.

import { expect, test } from "bun:test";
import { sentenceClass } from "../../../src/context/console/pieces.tsx";
import { startsLower } from "../../../web/kit/format.ts";

test.each([
  ["invalid credentials", true],
  ["only an admin may do that", true],
  ["too many requests. Try again in 7 s", true],
  ['a user "root" already exists', true],
  ["ada (viewer) may not change team", false],
  ["notes/a.md: excluded by the sync rules", false],
  ["plan.md already exists", false],
  ["plan.md: not UTF-8 text", false],
  ["read_file is not a name", false],
  ["harbour plan.md: not UTF-8 text", false],
  ["holiday photo.png: a broken or incomplete image; attach a whole one", false],
  ["my notes/plan: a directory, not a file", false],
  ["gear 12: not found", true],
  ["team: the space was closed", false],
  ['"x" is not a name', false],
  ["10.0.0.1 is not an address of this machine", false],
])("%s: with a capital: %p", (text, isShown) => {
  expect([sentenceClass(text) !== "", startsLower(text)]).toEqual([isShown, isShown]);
});
