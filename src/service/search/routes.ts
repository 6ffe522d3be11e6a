// HTTP for the search over everything.

import { Elysia } from "elysia";
import { fromText } from "../../kit/http/text-params.ts";
import type { Admission } from "../identity/admission.ts";
import { SearchAnswer, SearchParams } from "./schema.ts";
import type { Search } from "./search.ts";

export function searchRoutes(plugin: Admission, search: Search) {
  return new Elysia({ name: "search", normalize: false, tags: ["search"] })
    .use(plugin)
    .get("/search", async ({ caller, query }) => search.find(caller, query), {
      caller: "any",
      query: fromText(SearchParams),
      response: SearchAnswer,
      detail: SEARCH,
    });
}

const SEARCH = {
  description:
    'Finds workspaces, entries, files, agents, gears and instructions that the caller may see. Every word has to occur; "several words" in quotation marks have to follow each other; the last word may be a beginning. There is no other syntax, and no query is an error.',
};
