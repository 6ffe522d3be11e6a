// HTTP for searching a space.

import { isOn } from "../../kit/schema.ts";
import { Elysia } from "elysia";
import { fromText } from "../../kit/http/text-params.ts";
import type { Admission } from "../identity/admission.ts";
import { SpaceParams } from "../spaces/schema.ts";
import { SearchAnswer, SearchParams } from "./schema.ts";
import type { Search } from "./search.ts";

export function searchRoutes(plugin: Admission, search: Search) {
  return new Elysia({ name: "search", normalize: false, tags: ["search"] }).use(plugin).get(
    "/spaces/:space/search",
    async ({ caller, params, query, request }) => {
      const { q: text, regex, ignore_case, path, limit, lines } = query;
      const asked = { text, regex: isOn(regex), ignoreCase: isOn(ignore_case), path, limit, lines };
      return search.find(caller, params.space, asked, request.signal);
    },
    {
      caller: "space",
      params: SpaceParams,
      query: fromText(SearchParams),
      response: SearchAnswer,
      detail: { description: DESCRIPTION },
    },
  );
}

const DESCRIPTION =
  'Searches the files on disk, including manual edits and files without a version. `q` holds words, "phrases" and prefixes (`word*`), all of which a file must contain; with `regex=1` it is a regular expression (RE2) that is matched line by line. Words are ranked, best first; the results of a regular expression come in the order of their paths.';
