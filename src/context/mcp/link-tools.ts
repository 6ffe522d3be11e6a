// The tools for links: the neighbours of one document, and a map of the whole space.

import { visibleInLine } from "../../kit/text/visible.ts";
import { plural } from "../../kit/text/amounts.ts";
import { inOrderOfWeight } from "../graph/rank.ts";
import type { GraphLink } from "../graph/schema.ts";
import { fitting } from "./bounded-answer.ts";
import { MAPPED_DEFAULT, MapInput, NEIGHBOURS_MAX, NeighboursInput } from "./schema.ts";
import { tool, type Tool } from "./tool.ts";

const neighbours = tool({
  name: "neighbours",
  description:
    "Shows what one document links to and what links to it, with the line of each link. A link without a document is broken.",
  input: NeighboursInput,
  run: async (space, { path }) => {
    const { links = [], path: document = path } = await space.graph({ path });
    const out = links.filter(({ from }) => from === document);
    const back = links.filter(({ from, to }) => to === document && from !== document);
    return [
      ...section(`${visibleInLine(document)} links to`, out.map(outText)),
      ...section(
        "linked from",
        back.map(({ from, line }) => `${visibleInLine(from)}, line ${line}`),
      ),
    ].join("\n");
  },
});

const map = tool({
  name: "map",
  description:
    "Shows the documents of the space in the order in which they deserve reading: entry documents, then the most linked, with totals. A good place to begin.",
  input: MapInput,
  run: async (space, { limit = MAPPED_DEFAULT }) => {
    const [{ totals }, { ranks = [] }] = [await space.graph(), await space.graph({ only: "ranks" })];
    const ordered = inOrderOfWeight(ranks.map((one) => ({ ...one, stale: false })));
    const shown = fitting(
      ordered.slice(0, limit).map(({ path }, index) => `${index + 1}. ${visibleInLine(path)}`),
    );
    const rest = ranks.length - shown.length;
    return [
      `documents: ${totals!.documents}, links: ${totals!.links}, broken links: ${totals!.broken}, documents without a link to them: ${totals!.orphans}`,
      ...shown,
      ...(rest > 0 ? [`[${rest} more; raise limit, or look into a directory with list]`] : []),
    ].join("\n");
  },
});

export const linkTools: readonly Tool[] = [neighbours, map];

function outText({ line, to, target }: GraphLink): string {
  return `line ${line}: ${to === null ? `${visibleInLine(target)} (broken)` : visibleInLine(to)}`;
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`${title}: nothing`];
  const shown = fitting(lines.slice(0, NEIGHBOURS_MAX));
  const rest = lines.length - shown.length;
  return [
    `${title}:`,
    ...shown.map((line) => `- ${line}`),
    ...(rest > 0 ? [`[${plural(rest, "more link is", "more links are")} not shown]`] : []),
  ];
}
