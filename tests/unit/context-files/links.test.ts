// Goal: finds exactly the links that a reader would see, with their lines, and takes linear time on any document of two megabytes.

import { describe, expect, test } from "bun:test";
import { LINKS_PER_DOCUMENT_MAX, linksOf } from "../../../src/context/versioned-store/links.ts";

const DOCUMENT_CHARACTERS = 2 * 1024 * 1024;
/** In CPU time: twenty times what the slowest takes here; quadratic growth would take minutes. */
const DOCUMENT_LIMIT_US = 2_000_000;

const cases: [name: string, text: string, links: string[]][] = [
  [
    "names",
    "[[a]] and [[b c|shown]], [[d#part]], [[e.md#part|shown]]",
    ["wiki a", "wiki b c", "wiki d", "wiki e.md"],
  ],
  ["no names", "[[]] [[ ]] [[a\nb]] [not](  ) [[[c]]]", ["wiki c"]],
  [
    "links",
    "[t](a.md) [t](d/a.md#x) [t](a.md?x#y) ![i](i.png)",
    ["markdown a.md", "markdown d/a.md", "markdown a.md", "markdown i.png"],
  ],
  [
    "encoded",
    "[t](a%20b.md) [t](100%.md) [t](%C3%BC.md) [t](a%23b.md#c)",
    ["markdown a b.md", "markdown 100%.md", "markdown ü.md", "markdown a#b.md"],
  ],
  [
    "titles and brackets",
    "[t](a.md \"x (y)\") [t](<b c.md> 'x') [t](d(1).md) [t](e.md (x))",
    ["markdown a.md", "markdown b c.md", "markdown d(1).md", "markdown e.md"],
  ],
  [
    "definitions",
    "[x][r]\n\n[r]: t.md\n> [s]: <b c.md> 'x'\n[u]: ../v.md#w\n[^1]: note.md\n[h]: https://h/a/b.md\n[i]: #part\n[Note]: no link here",
    ["markdown t.md", "markdown b c.md", "markdown ../v.md"],
  ],
  ["a picture in a link", "[![alt](p.png)](q.md)", ["markdown p.png", "markdown q.md"]],
  ["elsewhere", "[t](https://h/a/b.md) [t](mailto:a@h.de) [t](#part) [t](//h/a.md) <https://h/a/b.md>", []],
  ["addresses in the text", "https://h.de/a/b.md http://h/x?p=a/b.md, file:///etc/x.md www.h.de/a.html", []],
  [
    "bare paths",
    "see ./x, ../y/z and a/b.md. Or (docs/ü.md), -a/b.md",
    ["path ./x", "path ../y/z", "path a/b.md"],
  ],
  [
    "unicode paths",
    "see docs/übersicht.md and .github/x.yml",
    ["path docs/übersicht.md", "path .github/x.yml"],
  ],
  ["no paths", "and/or 1/2 1/2.5 a.md / b.md /abs/x.md ./ ../.. x=a/b.md 24/7", []],
  ["code spans", "`[[a]]` ``b/`c`.md [[d]]`` [[e]] `f/g.md", ["wiki e"]],
  ["fences", "[[a]]\n```md\n[[b]]\n``\n~~~\n[[c]]\n```js\n[[d]]\n````\n[[e]]", ["wiki a", "wiki e"]],
  [
    "fences in lists and quotations",
    "- x\n      ```\n      [[a]]\n      ```\n> ~~~\n> [[b]]\n> ~~~\n[[c]]",
    ["wiki c"],
  ],
  [
    "indented code",
    "    [[a]]\n\n# T\n    [[b]]\n\n\t[[c]] d/e.md\n\n  \t[[f]]\n    ```\n[[g]]\n\n   [[h]]",
    ["wiki g", "wiki h"],
  ],
  [
    "an indented line of a paragraph",
    "text\n    [[a]]\n      [[b]]\n\n    [[c]]\nd\n\t[[e]]",
    ["wiki a", "wiki b", "wiki e"],
  ],
  [
    "indented text of list items",
    "- x\n\n    [[a]]\n\n      [[b]]\n10. y\n\n    [[c]]\n\n        [[d]]\n\n    - z\n\n        [[e]]\n\n          [[f]]\n\n[[g]]\n\n    [[h]]",
    ["wiki a", "wiki c", "wiki e", "wiki g"],
  ],
  [
    "indented code of list items",
    "- - x\n\n        [[a]]\n\n    [[b]]\n\n* y\n\n\t\t[[c]]\n\n\t[[d]]\n-\n\n      [[e]]",
    ["wiki b", "wiki d"],
  ],
  [
    "after a fence, a comment and a quotation",
    "- x\ny\n\n```\n```\n    [[a]]\n\n<!--\n\n    -->\n    [[b]]\n\n> q\n    [[c]]\n>     [[d]]",
    ["wiki b", "wiki c", "wiki d"],
  ],
  ["a span that looks like a fence", "``` [[a]] ``` [[b]]\n[[c]]", ["wiki b", "wiki c"]],
  [
    "comments",
    "a <!-- [[b]] --> [[c]] <!-- d/e.md --> f/g.md\n<!--\n```\n[[h]]\n--> [[i]]\n[[j]] <!-- [[k]]\n`<!--` [[l]]\n <!-- [[m]]",
    ["wiki c", "path f/g.md", "wiki i", "wiki j", "wiki k", "wiki l"],
  ],
  [
    "escaped brackets",
    "\\[t](a.md) \\[[b]] [t\\](c.md) \\\\[t](d.md) | [[e\\|shown]] | [f](g\\_h.md)",
    ["markdown d.md", "wiki e", "markdown g\\_h.md"],
  ],
  ["a fence that is never closed", "[[a]]\n```\n[[b]]", ["wiki a"]],
];

describe("links", () => {
  for (const [name, text, links] of cases)
    test(name, () => {
      for (const written of [text, text.replaceAll("\n", "\r\n")])
        expect(linksOf(written).map(({ kind, target }) => `${kind} ${target}`)).toEqual(links);
    });

  test("come in order, with their lines", () => {
    expect(linksOf("# x\n\nsee a/b.md, [t](c.md), [[d]]\n\n[[e]]")).toEqual([
      { kind: "path", target: "a/b.md", line: 3 },
      { kind: "markdown", target: "c.md", line: 3 },
      { kind: "wiki", target: "d", line: 3 },
      { kind: "wiki", target: "e", line: 5 },
    ]);
  });

  test("are bounded in number and in length", () => {
    expect(linksOf("[[a]] [[b]]\n".repeat(LINKS_PER_DOCUMENT_MAX))).toHaveLength(LINKS_PER_DOCUMENT_MAX);
    expect(linksOf(`[[${"x".repeat(5_000)}]]`)[0]!.target).toHaveLength(1_024);
  });
});

const pieces = [
  ..."`[]()<>#|/.@-:\\ ",
  ..."](,[[a,[[a|,[[a#,](<a,](a 'b,](a \"b,](a(b),[a](b(c),](a(b)](c),]( (".split(","),
  ..."a/,@/,../,./a,a.b/,a@,://,https://x/,`a``,``a` b``` ,~~~,```,> ,- [x](y.md),/[,é/,    [,- ,1. ,\t".split(
    ",",
  ),
];

test("parses any document of two megabytes quickly", () => {
  for (const piece of pieces)
    for (const end of ["", "\n"]) {
      const text = (piece + end).repeat(Math.ceil(DOCUMENT_CHARACTERS / (piece + end).length));
      const started = process.cpuUsage();
      linksOf(text);
      const { user, system } = process.cpuUsage(started);
      expect([piece + end, user + system < DOCUMENT_LIMIT_US]).toEqual([piece + end, true]);
    }
});
