// The stream of what happens, for whoever may see it: asked for every event, again when rights change.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { resumeFrom, type Streams } from "../../kit/http/sse.ts";
import { fromText } from "../../kit/http/text-params.ts";
import type { Rights } from "../access/rights.ts";
import type { Actor } from "../people/actor.ts";
import type { ActorPlugin } from "../people/plugin.ts";
import type { Events } from "./events.ts";
import { maySee } from "./sight.ts";
import { EventsQuery, type EventEnvelope } from "./schema.ts";

export function eventRoutes(plugin: ActorPlugin, events: Events, streams: Streams) {
  return new Elysia({ name: "events", normalize: false, tags: ["events"] }).use(plugin).get(
    "/events",
    ({ actor, query, request }) => {
      const exchange = exchangeOf(request);
      const spaces =
        query.spaces === undefined ? undefined : new Set(query.spaces.split(",").map((name) => name.trim()));
      const after = resumeFrom(exchange, query.after);
      return streams.answer(exchange, (viewer) =>
        events.follow(viewer, after, sight(actor, spaces)),
      ) as never;
    },
    { actor: "any", query: fromText(EventsQuery), detail: STREAM },
  );
}

/** Decides what this person may see, with the rights that they have when the event is sent. */
function sight(actor: Actor, spaces: ReadonlySet<string> | undefined) {
  return (event: EventEnvelope | undefined): boolean => {
    const rights = rightsOrNone(actor);
    if (event === undefined || !rights) return rights !== undefined;
    if (spaces && (event.space === null || !spaces.has(event.space))) return false;
    return maySee(rights, event);
  };
}

/** Undefined once the credential is not valid. */
function rightsOrNone(actor: Actor): Rights | undefined {
  try {
    return actor.rights;
  } catch {
    return undefined;
  }
}

const STREAM = {
  description:
    "An event stream (SSE): id, event, one JSON data line. Resumes after Last-Event-ID, or after=<id>.",
};
