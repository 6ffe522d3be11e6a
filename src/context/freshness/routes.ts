// HTTP for the freshness of documents.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { answerListing } from "../../kit/http/list-answer.ts";
import type { Admission } from "../identity/admission.ts";
import { SpaceParams } from "../spaces/schema.ts";
import type { Freshness } from "./freshness.ts";
import { FreshnessAnswer } from "./schema.ts";

export function freshnessRoutes(plugin: Admission, freshness: Freshness) {
  return new Elysia({ name: "freshness", normalize: false, tags: ["freshness"] })
    .use(plugin)
    .get(
      "/spaces/:space/freshness",
      async ({ caller, params, request }) =>
        answerListing(exchangeOf(request).id, await freshness.listing(caller, params.space)),
      { caller: "space", params: SpaceParams, response: FreshnessAnswer, detail: DETAIL },
    );
}

const DETAIL = {
  description:
    "Lists the documents whose front matter has `stale-after`, and those whose front matter has a problem, sorted by path, and names the documents of high importance. Includes edits made by hand that are not recorded yet, a few seconds late.",
};
