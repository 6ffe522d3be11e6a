// The event stream. Rights are checked for every event, and again when they change.

import { Elysia } from "elysia";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { LAST_EVENT_ID } from "../../kit/http/request-headers.ts";
import { resumeFrom, type Streams } from "../../kit/http/sse.ts";
import { fromText } from "../../kit/http/text-params.ts";
import type { Rights } from "../access/rights.ts";
import type { Caller } from "../identity/caller.ts";
import type { Admission } from "../identity/admission.ts";
import type { Events } from "./events.ts";
import { maySee } from "./visibility.ts";
import { EventsQuery, type EventEnvelope } from "./schema.ts";

export function eventRoutes(plugin: Admission, events: Events, streams: Streams) {
  return new Elysia({ name: "events", normalize: false, tags: ["events"] }).use(plugin).get(
    "/events",
    ({ caller, query, request }) => {
      const exchange = exchangeOf(request);
      const spaces =
        query.spaces === undefined ? undefined : new Set(query.spaces.split(",").map((name) => name.trim()));
      const after = resumeFrom(exchange, query.after);
      return streams.answer(exchange, (viewer) =>
        events.follow(viewer, after, sight(caller, spaces, events)),
      );
    },
    { caller: "any", query: fromText(EventsQuery), detail: STREAM },
  );
}

/** Decides what the caller may see, with their rights when the event is sent. Only admins may see events of a space that was deleted. */
function sight(caller: Caller, spaces: ReadonlySet<string> | undefined, events: Events) {
  return (event: EventEnvelope | undefined): boolean => {
    const rights = rightsOrNone(caller);
    if (event === undefined || !rights) return rights !== undefined;
    if (spaces && (event.space === null || !spaces.has(event.space))) return false;
    return maySee(rights, event) && (rights.role === "admin" || events.isOfPresent(event));
  };
}

/** Undefined once the credential is no longer valid. */
function rightsOrNone(caller: Caller): Rights | undefined {
  try {
    return caller.rights;
  } catch {
    return undefined;
  }
}

const STREAM = {
  description:
    "Streams events (SSE): id, event, one JSON data line. Resumes after Last-Event-ID, or after=<id>.",
  parameters: [LAST_EVENT_ID],
};
