// Goal: drawings show each file and link once, and no name can break out of its label.

import { expect, test } from "bun:test";
import { drawn } from "../../../src/context/graph/drawing.ts";

const link = (from: string, to: string | null, target = "x") => ({ from, to, target });
const some = {
  files: ["alone.md"],
  links: [
    link("a.md", "b/c d.md"),
    link("a.md", "b/c d.md"),
    link("a.md", null, "gone"),
    link("b/c d.md", "a.md"),
  ],
};

test("draws files and links for Mermaid", () => {
  expect(drawn("mermaid", some)).toBe(`graph LR
  classDef missing stroke-dasharray: 4 4
  n0["alone.md"]
  n1["a.md"]
  n2["b/c d.md"]
  n3["gone"]:::missing
  n1 --> n2
  n1 -.-> n3
  n2 --> n1`);
});

test("draws files and links in DOT", () => {
  expect(drawn("dot", some)).toBe(`digraph links {
  rankdir=LR;
  node [shape=box];
  n0 [label="alone.md"];
  n1 [label="a.md"];
  n2 [label="b/c d.md"];
  n3 [label="gone", style=dashed];
  n1 -> n2;
  n1 -> n3 [style=dashed];
  n2 -> n1;
}`);
});

test("draws a file and a missing target of one name as two nodes, and an empty graph as an empty drawing", () => {
  expect(drawn("dot", { files: [], links: [link("a.md", null, "a.md")] })).toContain("n0 -> n1");
  expect(drawn("mermaid", { files: [], links: [] })).toBe(
    "graph LR\n  classDef missing stroke-dasharray: 4 4",
  );
});

test("hostile names stay in their labels", () => {
  const names = [
    'a"]; click n0 call alert() %%{init: {}}%%',
    "<img src=x onerror=alert(1)>#quot;`**b**`",
    'x" -> evil [URL="javascript:1"]; "\\',
    "end\u202egnp.\u2028line\nbreak",
    "日本語 übersicht 🙂.md",
  ];
  const mermaid = drawn("mermaid", { files: names, links: [] }).split("\n").slice(2);
  expect(mermaid).toHaveLength(names.length);
  for (const line of mermaid) expect(line).toMatch(/^ {2}n\d\["(?:[\p{L}\p{N}\p{M}\p{So} /._-]|#\d+;)*"\]$/u);
  expect(mermaid[4]).toBe('  n4["日本語 übersicht 🙂.md"]');
  const dot = drawn("dot", { files: names, links: [] }).split("\n").slice(3, -1);
  expect(dot).toHaveLength(names.length);
  for (const line of dot) expect(line).toMatch(/^ {2}n\d \[label="(?:[^"\\\n\u2028\u202e]|\\["\\])*"\];$/);
});
