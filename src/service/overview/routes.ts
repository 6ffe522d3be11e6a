// HTTP for the activity in all workspaces that the caller sees.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { answerListing } from "../../kit/http/list-answer.ts";
import type { Streams } from "../../kit/http/sse.ts";
import { fromText } from "../../kit/http/text-params.ts";
import type { Admission } from "../identity/admission.ts";
import type { LiveList } from "./live.ts";
import type { Overview } from "./overview.ts";
import { Activities, ActivityQuery } from "./schema.ts";

interface OverviewRoutesDeps {
  readonly overview: Overview;
  readonly liveList: LiveList;
  readonly streams: Streams;
  /** Resolves once it is known whether gears are isolated, which determines the approvals. */
  readonly ready: () => Promise<void>;
}

export function overviewRoutes(
  plugin: Admission,
  { overview, liveList, streams, ready }: OverviewRoutesDeps,
) {
  return new Elysia({ name: "overview", normalize: false, prefix: "/workspaces", tags: ["workspaces"] })
    .use(plugin)
    .get(
      "/activity",
      async ({ caller, query, request }) => {
        await ready();
        return answerListing(exchangeOf(request).id, await overview.list(caller, query.ids));
      },
      { caller: "any", query: fromText(ActivityQuery), response: Activities },
    )
    .get(
      "/events",
      ({ caller, request }) =>
        streams.answer(exchangeOf(request), (viewer) => liveList.follow(caller, viewer)),
      { caller: "any", detail: STREAM },
    );
}

const STREAM = {
  description:
    "An event stream (SSE). `activity.changed` names the workspaces in which something happened, or that you began or ceased to see, or none if there are too many; read their activity again. One that is missing there was deleted, or is no longer shared with you. Nothing is stored: read the whole list after connecting.",
};
