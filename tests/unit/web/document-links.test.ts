// Goal: a link in a document leads to the document that it names, and nowhere out of the space.

import { expect, test } from "bun:test";
import { documentAddress, documentMeant, headingId } from "../../../web/kit/document-links.ts";

const FROM = "team/notes/plan.md";

test.each([
  ["style.md", "team/notes/style.md"],
  ["./style.md#top", "team/notes/style.md"],
  ["../a%20b.md?raw=1", "team/a b.md"],
  ["../../root.md", "root.md"],
  ["/guides/start.md", "guides/start.md"],
  ["100%.md", "team/notes/100%.md"],
])("%s leads to %s", (href, path) => {
  expect(documentAddress(FROM, href)).toBe(`?path=${encodeURIComponent(path)}`);
});

test.each([
  "../../../out.md",
  "javascript:alert(1)",
  "data:text/html,x",
  "//host/x.md",
  "",
  "#",
  "/",
  "../..",
])("%p leads nowhere", (href) => {
  expect(documentAddress(FROM, href)).toBeUndefined();
});

test("a heading has the id that links to it are written with", () => {
  expect(documentAddress(FROM, "#what-s%20new")).toBe("#md-what-s new");
  expect(headingId(" What's new? (2026) ")).toBe("md-whats-new-2026");
  expect(headingId("Größe & Maße_1")).toBe("md-größe--maße_1");
});

test("a path without an extension, and one of a folder, mean a document", () => {
  const all = new Set(["a.md", "a/index.md", "b.txt", "c"]);
  const meant = (path: string) => documentMeant(path, (one) => all.has(one));
  expect(["a.md", "a", "b", "c", "d"].map(meant)).toEqual(["a.md", "a/index.md", "b.txt", "c", "d"]);
});
