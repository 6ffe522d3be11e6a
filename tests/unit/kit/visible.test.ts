// Goal: text of others cannot act on a terminal, reorder a line or hide in it, and every script stays readable.

import { expect, test } from "bun:test";
import { visible, visibleInLine } from "../../../src/kit/text/visible.ts";

test.each([
  ["an escape sequence", "a\u001b[31mb", "a\ufffd[31mb"],
  ["a C1 control", "a\u009b31mb", "a\ufffd31mb"],
  ["a bell and DEL", "a\u0007\u007f", "a\ufffd\ufffd"],
  ["a carriage return that would overwrite the line", "safe\rdanger", "safe\ufffddanger"],
  ["an override of direction", "gpj.\u202eexe", "gpj.\ufffdexe"],
  ["isolates and marks", "\u2066a\u2069\u200e\u200f\u061c", "\ufffda\ufffd\ufffd\ufffd\ufffd"],
  ["zero-width and filler characters", "a\u200b\u2060\ufeff\u00ad\u3164", `a${"\ufffd".repeat(5)}`],
  ["tag characters", "a\u{e0041}", "a\ufffd"],
  ["annotations", "\ufff9a\ufffb", "\ufffda\ufffd"],
  ["separators of lines", "a\u2028b\u2029", "a\ufffdb\ufffd"],
  ["half of a pair", "a\ud800b", "a\ufffdb"],
])("replaces %s", (_, text, safe) => {
  expect(visible(text)).toBe(safe);
  expect(visibleInLine(text)).toBe(safe);
});

test.each(["Grüße", "عربي", "עברית", "می\u200cخواهم", "👩\u200d👩\u200d👧 ❤\ufe0f", "日本語", "𝒳"])(
  "keeps %s",
  (text) => {
    expect(visible(text)).toBe(text);
    expect(visibleInLine(text)).toBe(text);
  },
);

test("keeps lines and tabs of a text, and none in a part of a line", () => {
  expect(visible("a\tb\r\nc\n")).toBe("a\tb\r\nc\n");
  expect(visibleInLine("a\tb\r\nc\n")).toBe("a\ufffdb\ufffd\ufffdc\ufffd");
});
