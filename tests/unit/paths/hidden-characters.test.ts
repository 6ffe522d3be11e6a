// Goal: no new name looks like another one because of invisible characters, and every name that people write with them is accepted.

import { expect, test } from "bun:test";
import { requireNewName } from "../../../src/context/files/file-rights.ts";
import type { Effect } from "../../../src/context/versioned-store/engine.ts";
import { hiddenProblem } from "../../../src/kit/text/hidden-characters.ts";
import { parseDocumentPath, pathProblem } from "../../../src/kit/text/paths.ts";

test("accepts joiners, selectors and tags only where they change how a name is written", () => {
  const written = [
    "می‌خواهم.md",
    "یادداشت‌ها/کتاب‌خانه.md",
    "שלום.md",
    "क्‍ष.md",
    "ക്‍.md",
    "👩‍👩‍👧‍👦.md",
    "👩🏽‍💻.md",
    "🏳️‍🌈.md",
    "❤️.md",
    "1️⃣.md",
    "葛\u{e0100}.md",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.md",
  ];
  for (const path of written)
    expect([path, pathProblem(path), hiddenProblem(path)]).toEqual([path, undefined, undefined]);
  const hidden = [
    "me\u200cmo.md",
    "me\u200dmo.md",
    "memo\u{e0061}.md",
    "🏴\u{e0061}\u{e0062}\u{e007f}.md",
    "memo\ufe0f.md",
    "memo1\ufe0f.md",
    "a\u{e0100}.md",
    "葛\u{e0100}\u{e0101}.md",
    "می\u200c\u200c.md",
    "me\u00admo.md",
    "memo\u061c.md",
    "memo\u034f.md",
    "memo\u3164.md",
    "memo\u115f.md",
    "memo\u180e.md",
  ];
  for (const path of hidden)
    expect([path, hiddenProblem(path)]).toEqual([path, "must not contain invisible characters"]);
});

test("refuses a hidden character in the first version of a file only", () => {
  const effect = (version: number): Effect => ({
    path: parseDocumentPath("path", "me\u200cmo.md"),
    op: "write",
    before: null,
    after: { version, size: 0, hash: "" },
  });
  expect(() => requireNewName(effect(1))).toThrow("me\u200cmo.md: must not contain invisible characters");
  requireNewName(effect(2));
});
