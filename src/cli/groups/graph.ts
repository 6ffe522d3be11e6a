// `cairn graph`: the links between the documents of a space.

import { defineCommand } from "citty";
import { drawings, drawn, type Drawing, type Drawn } from "../../context/graph/drawing.ts";
import type { GraphAnswer, GraphLink } from "../../context/graph/schema.ts";
import type { SpaceDoor } from "../../context/space/door.ts";
import { oneOfWords } from "../../kit/terminal/arguments.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData, printText, printWarning } from "../../kit/terminal/output.ts";
import { spaceArgs, withSpace } from "../connection.ts";
import { fields, table } from "../tables.ts";

/** Programs that show Mermaid refuse more by default. */
const MERMAID_LINKS_MAX = 500;
const NO_LINKS: readonly GraphLink[] = [];

interface Neighbours {
  readonly path: string;
  /** Its links, in order. `to` null: broken. */
  readonly out: readonly Omit<GraphLink, "from">[];
  /** The links to it, by document. */
  readonly in: readonly Omit<GraphLink, "to">[];
}

const args = {
  path: {
    type: "positional",
    required: false,
    valueHint: "path",
    description: "Show the links in this document and to it",
  },
  orphans: { type: "boolean", description: "List the documents that nothing links to" },
  broken: { type: "boolean", description: "List the broken links" },
  format: oneOfWords(["text", ...drawings, "json"], {
    type: "string",
    valueHint: "format",
    description: "Output: text, mermaid, dot or json (default: text)",
  }),
  ...spaceArgs,
} as const;

interface Asked {
  readonly path?: string | undefined;
  readonly orphans?: boolean | undefined;
  readonly broken?: boolean | undefined;
}

export const graphCommand = defineCommand({
  meta: { name: "graph", description: "Show the links between the documents of a space" },
  args,
  async run({ args: given }) {
    const chosen = [given.path !== undefined, given.orphans === true, given.broken === true];
    if (chosen.filter(Boolean).length > 1)
      throw new AppError("invalid", "use only one of <path>, --orphans and --broken");
    const { format } = given;
    if (format !== undefined && (given.json === true || given.yaml === true))
      throw new AppError("invalid", "use --format or --json and --yaml, not both");
    if (format === "mermaid" || format === "dot") {
      const drawing = await withSpace(given, (space) => askDrawn(space, given));
      return printDrawing(format, drawing);
    }
    const printed = format === "json" ? "json" : formatOf(given);
    if (given.orphans === true) {
      const { orphans = [] } = await withSpace(given, (space) => space.graph({ only: "orphans" }));
      return printData(orphans, printed, (paths) => paths.join("\n") || "no orphans");
    }
    if (given.broken === true) {
      const { links = NO_LINKS } = await withSpace(given, (space) => space.graph({ only: "broken" }));
      return printData(links.map(brokenOf), printed, brokenText);
    }
    const path = given.path;
    if (path !== undefined) {
      const answer = await withSpace(given, (space) => space.graph({ path }));
      return printData(neighboursOf(answer), printed, neighboursText);
    }
    const { head, totals } = await withSpace(given, (space) => space.graph());
    return printData({ head, ...totals! }, printed, fields);
  },
});

function brokenOf({ from, line, kind, target }: GraphLink) {
  return { from, line, kind, target };
}

function brokenText(links: readonly Pick<GraphLink, "from" | "line" | "target">[]): string {
  return table(
    links.map(({ from, line, target }) => [`${from}:${line}`, target]),
    ["PLACE", "TARGET"],
    "no broken links",
  );
}

function neighboursOf({ path, links = [] }: GraphAnswer): Neighbours {
  return {
    path: path!,
    out: links
      .filter(({ from }) => from === path)
      .map(({ line, kind, target, to }) => ({ line, kind, target, to })),
    in: links.filter(({ to }) => to === path).map(brokenOf),
  };
}

function neighboursText({ out, in: back }: Neighbours): string {
  const links = table(
    out.map(({ line, target, to }) => [line, to ?? `broken: ${target}`]),
    ["LINE", "LINKS TO"],
    "no links",
  );
  const places = table(
    back.map(({ from, line }) => [`${from}:${line}`]),
    ["LINKED FROM"],
    "not linked",
  );
  return `${links}\n\n${places}`;
}

async function askDrawn(space: SpaceDoor, { path, orphans, broken }: Asked): Promise<Drawn> {
  if (orphans === true) return { files: (await space.graph({ only: "orphans" })).orphans!, links: [] };
  const only = broken === true ? "broken" : "links";
  const { links = [] } = await space.graph(path === undefined ? { only } : { path });
  return { files: path === undefined ? [] : [path], links };
}

async function printDrawing(language: Drawing, drawing: Drawn): Promise<void> {
  if (language === "mermaid" && drawing.links.length > MERMAID_LINKS_MAX)
    await printWarning(
      `${drawing.links.length} links: most programs show at most ${MERMAID_LINKS_MAX}; name a document, or use --format dot`,
    );
  await printText(drawn(language, drawing));
}
