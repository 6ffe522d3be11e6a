// Writes links as text for programs that draw: Mermaid and DOT (Graphviz). Names come from other people, so every character that either language
// could read as its own is escaped.

import { visibleInLine } from "../../kit/text/visible.ts";
import type { GraphLink } from "./schema.ts";

export const drawings = ["mermaid", "dot"] as const;
export type Drawing = (typeof drawings)[number];

export interface Drawn {
  /** Drawn even if nothing links to them. */
  readonly files: readonly string[];
  readonly links: readonly Pick<GraphLink, "from" | "to" | "target">[];
}

/** A node, or the missing end of a broken link. */
interface Node {
  readonly id: string;
  readonly label: string;
  readonly isMissing: boolean;
}

export function drawn(language: Drawing, { files, links }: Drawn): string {
  const nodes = new Map<string, Node>();
  const nodeOf = (kind: "file" | "missing", label: string) => {
    const key = `${kind} ${label}`;
    let node = nodes.get(key);
    if (!node) nodes.set(key, (node = { id: `n${nodes.size}`, label, isMissing: kind === "missing" }));
    return node;
  };
  for (const file of files) nodeOf("file", file);
  const edges = new Set<string>();
  const { open, node, edge, close } = LANGUAGES[language];
  for (const { from, to, target } of links)
    edges.add(edge(nodeOf("file", from), to === null ? nodeOf("missing", target) : nodeOf("file", to)));
  return [...open, ...[...nodes.values()].map(node), ...edges, ...close].join("\n");
}

interface Language {
  readonly open: readonly string[];
  readonly node: (node: Node) => string;
  readonly edge: (from: Node, to: Node) => string;
  readonly close: readonly string[];
}

const LANGUAGES: Readonly<Record<Drawing, Language>> = {
  mermaid: {
    open: ["graph LR", "  classDef missing stroke-dasharray: 4 4"],
    node: ({ id, label, isMissing }) => `  ${id}["${forMermaid(label)}"]${isMissing ? ":::missing" : ""}`,
    edge: (from, to) => `  ${from.id} ${to.isMissing ? "-.->" : "-->"} ${to.id}`,
    close: [],
  },
  dot: {
    open: ["digraph links {", "  rankdir=LR;", "  node [shape=box];"],
    node: ({ id, label, isMissing }) =>
      `  ${id} [label="${forDot(label)}"${isMissing ? ", style=dashed" : ""}];`,
    edge: (from, to) => `  ${from.id} -> ${to.id}${to.isMissing ? " [style=dashed]" : ""};`,
    close: ["}"],
  },
};

/** Entities for everything but letters, digits and what paths are made of: quotes, HTML, Markdown and directives lose their meaning. */
function forMermaid(label: string): string {
  return visibleInLine(label).replace(/[^\p{L}\p{N}\p{M}\p{So} /._-]/gu, (one) => `#${one.codePointAt(0)};`);
}

function forDot(label: string): string {
  return visibleInLine(label).replace(/["\\]/g, "\\$&");
}
