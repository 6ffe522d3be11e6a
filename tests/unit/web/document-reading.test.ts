// Goal: Markdown is read with its front matter apart, anything else as code.

import { expect, test } from "bun:test";
import { nextEnd, readingOf } from "../../../web/parts/document/reading.ts";

test.each([
  ["a.md", "# Hi\n", "", "# Hi\n", undefined],
  ["notes", "x", "", "x", undefined],
  ["a/b.md", "---\ntitle: x\n---\n# Hi\n", "title: x", "# Hi\n", undefined],
  ["a.MD", "\ufeff---\r\ntitle: x\r\n---\r\nHi", "title: x", "Hi", undefined],
  ["a.md", "---\nno end\n", "", "---\nno end\n", undefined],
  ["a.md", "text\n---\nx: y\n---\n", "", "text\n---\nx: y\n---\n", undefined],
  ["v1.2/a.yaml", "---\nx: y\n---\n", "", "---\nx: y\n---\n", "yaml"],
  [".env", "x", "", "x", undefined],
])("%s: %j", (path, text, head, body, language) =>
  expect(readingOf(path, text)).toEqual({ head, body, language }),
);

test.each([
  ["ab\n\ncd", 0, 99, 6],
  ["ab\n\ncd", 0, 5, 4],
  ["ab\n\ncdefgh", 4, 3, 7],
  ["abcdef", 0, 3, 3],
  ["abcdef", 3, 3, 6],
])("ends %j after %d by at most %d", (text, from, step, end) => expect(nextEnd(text, from, step)).toBe(end));
