// Goal: an error is shown with a capital, and no name in it is changed.

import { expect, test } from "bun:test";
import { sentenceClass } from "../../../src/context/console/pieces.tsx";

test.each([
  ["invalid credentials", true],
  ["only an admin may do that", true],
  ['a user "root" already exists', true],
  ["ada (viewer) may not change team", false],
  ["notes/a.md: excluded by the sync rules", false],
  ["plan.md already exists", false],
  ["harbour plan.md: not UTF-8 text", false],
  ["my notes/plan: a directory, not a file", false],
  ["gear 12: not found", true],
  ["team: the space was closed", false],
  ['"x" is not a name', false],
  ["10.0.0.1 is not an address of this machine", false],
])("%s: with a capital: %p", (text, isShown) => {
  expect(sentenceClass(text) !== "").toBe(isShown);
});
