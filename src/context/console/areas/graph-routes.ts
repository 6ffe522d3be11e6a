// The links of a space as pages: a picture of the most linked part or of the part around one document, and every link in lists.

import { h } from "preact";
import { AppError, type ErrorCode } from "../../../kit/error.ts";
import type { Pictures } from "../../graph/pictures.ts";
import type { GraphCore, GraphQuery } from "../../graph/schema.ts";
import type { BrowsedSpace } from "../../space/door.ts";
import type { Answer, Area, Asked } from "../area.ts";
import {
  GraphBody,
  graphLists,
  NeighboursBody,
  type GraphList,
  type GraphRows,
  type ShownPicture,
} from "../pages/graph.tsx";
import { PAGE_ROWS, spacePath } from "../format.ts";
import { AGAIN, lastLookOf, lookedAgain } from "../last-look.tsx";
import { spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";

const AREA = "/graph";

export function graphArea(source: SpaceSource, pictures: Pictures): Area {
  return {
    spaceTabs: [{ label: "Graph", path: AREA }],
    routes: [
      {
        method: "GET",
        path: `/console/spaces/:space${AREA}`,
        answer: (asked) => wholeGraph(source, pictures, asked),
        query: ["list", "offset", AGAIN],
      },
      {
        method: "GET",
        path: `/console/spaces/:space${AREA}/*`,
        answer: (asked) => aroundDocument(source, pictures, asked),
        query: ["offset", AGAIN],
      },
    ],
  };
}

async function wholeGraph(source: SpaceSource, pictures: Pictures, asked: Asked): Promise<Answer> {
  const { visit, params, query } = asked;
  const space = params["space"]!;
  const list = graphLists.find((known) => known === query.get("list")) ?? "linked";
  const offset = offsetOf(query.get("offset"));
  const found = await source.use(visit.caller, space, async (one) => {
    const again = lookedAgain(one, asked);
    if (again) return { again };
    const answer = await one.graph({ only: "core" });
    return {
      totals: answer.totals!,
      core: answer.core!,
      rows: await rowsOf(one, answer.core!, { list, offset }),
      look: lastLookOf(one, "graph", asked),
    };
  });
  if ("again" in found) return found.again;
  const { totals, core, rows, look } = found;
  const picture = await pictureOf(pictures, core, visit.caller.name);
  const body = h(GraphBody, { space, totals, picture, list, offset, rows, look });
  return spacePage(visit, space, { title: "Graph", tab: AREA }, body);
}

async function aroundDocument(source: SpaceSource, pictures: Pictures, asked: Asked): Promise<Answer> {
  const { visit, params, query } = asked;
  const space = params["space"]!;
  const path = params["*"]!;
  const offset = offsetOf(query.get("offset"));
  const found = await source.use(visit.caller, space, async (one) => {
    const again = lookedAgain(one, asked);
    if (again) return { again };
    const { core: around } = await one.graph({ path, only: "core" });
    const part = await one.graph({ path, offset, limit: PAGE_ROWS + 1 });
    return { core: around!, links: part.links!, look: lastLookOf(one, "graph", asked) };
  });
  if ("again" in found) return found.again;
  const { core, links, look } = found;
  const picture = await pictureOf(pictures, core, visit.caller.name);
  const document = core.documents[0]!;
  const body = h(NeighboursBody, { space, path, document, picture, links, offset, look });
  const crumbs = [{ label: "Graph", path: spacePath(space, AREA) }];
  return spacePage(visit, space, { title: path, tab: AREA, crumbs }, body);
}

function offsetOf(text: string | null): number {
  return text !== null && /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
}

/** One row more than a page shows: there is another page. */
async function rowsOf(
  space: BrowsedSpace,
  core: GraphCore,
  { list, offset }: { list: GraphList; offset: number },
): Promise<GraphRows> {
  const query: GraphQuery = { offset, limit: PAGE_ROWS + 1 };
  if (list === "broken") return { links: (await space.graph({ ...query, only: "broken" })).links! };
  if (list === "orphans") return { orphans: (await space.graph({ ...query, only: "orphans" })).orphans! };
  return { documents: core.documents.slice(offset, offset + PAGE_ROWS + 1) };
}

/** These mean that the server is busy, not that anything is wrong with the links. */
const BUSY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["refused", "unavailable"]);

/** The lists say the same, so a picture that takes too long does not stop the page. */
async function pictureOf(pictures: Pictures, core: GraphCore, by: string): Promise<ShownPicture> {
  try {
    return await pictures.of(core, by);
  } catch (error) {
    if (error instanceof AppError && BUSY.has(error.code)) return "busy";
    throw error;
  }
}
