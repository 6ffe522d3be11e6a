// HTTP for the link graph. Lists are written in pages, because a space may have very many links.

import { Elysia } from "elysia";
import { answerJsonText } from "../../kit/http/answer.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { answerListing } from "../../kit/http/list-answer.ts";
import { fromText } from "../../kit/http/text-params.ts";
import type { Admission } from "../identity/admission.ts";
import { SpaceParams } from "../spaces/schema.ts";
import type { Graph } from "./graph.ts";
import { GraphAnswer, GraphQuery } from "./schema.ts";

export function graphRoutes(plugin: Admission, graph: Graph) {
  return new Elysia({ name: "graph", normalize: false, tags: ["graph"] }).use(plugin).get(
    "/spaces/:space/graph",
    async ({ caller, params, query, request }) => {
      const part = await graph.part(caller, params.space, query);
      const { id } = exchangeOf(request);
      return "pages" in part
        ? answerListing(id, part)
        : answerJsonText(id, new TextEncoder().encode(JSON.stringify(part)));
    },
    {
      caller: "space",
      params: SpaceParams,
      query: fromText(GraphQuery),
      response: GraphAnswer,
      detail: DETAIL,
    },
  );
}

const DETAIL = {
  description:
    "Without parameters, the totals. `path`: the links in a document and to it. `only`: all links, the broken ones, the orphans, the rank of each document, or the core, which is the most linked part of the space and, with `path`, the part around a document. `offset` and `limit`: a part of a list. Includes manual edits that are not recorded yet, a few seconds late. Files that the caller may not see do not exist here.",
};
