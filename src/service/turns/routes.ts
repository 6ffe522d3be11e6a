// HTTP for turns, the conversation, event streams, and the inspection of prompts.

import { Elysia } from "elysia";
import { Receipt } from "../../context/library.ts";
import { Type } from "@sinclair/typebox";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { answerList, answerListing, type Listing } from "../../kit/http/list-answer.ts";
import { LAST_EVENT_ID } from "../../kit/http/request-headers.ts";
import { resumeFrom, wantsStream, type Streams } from "../../kit/http/sse.ts";
import { jsonBody } from "../../kit/http/openapi.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { Empty, IdParams, PageQuery } from "../../kit/schema.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { ClearedTaint, ClearTaint, EntriesQuery, Entry, Prompt } from "../conversation/schema.ts";
import { EventsQuery } from "../journal/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { Access } from "../workspaces/access.ts";
import type { Branches } from "./branches.ts";
import type { Inspection } from "./inspection.ts";
import {
  Branches as BranchesRecord,
  ChooseBranch,
  Call,
  CallDiff,
  CallSummary,
  Chat,
  ChatAnswer,
  DiffQuery,
  ExportedTurns,
  ExportTurnsQuery,
  Turn,
  TurnSummaries,
  TurnSummariesQuery,
  TurnSteps,
} from "./schema.ts";
import { exportTurns } from "./export.ts";
import type { Steps } from "./steps.ts";
import type { Summaries } from "./summaries.ts";
import type { Turns } from "./turns.ts";
import type { Viewing } from "./viewing.ts";

interface TurnRoutesDeps {
  turns: Turns;
  summaries: Summaries;
  branches: Branches;
  viewing: Viewing;
  conversation: Conversation;
  inspection: Inspection;
  steps: Steps;
  access: Access;
  streams: Streams;
}

export function turnRoutes(plugin: Admission, deps: TurnRoutesDeps) {
  return new Elysia({ name: "turns", normalize: false })
    .use(plugin)
    .use(chatRoutes(plugin, deps))
    .use(summaryRoutes(plugin, deps))
    .use(branchRoutes(plugin, deps))
    .use(conversationRoutes(plugin, deps))
    .use(inspectionRoutes(plugin, deps));
}

function chatRoutes(plugin: Admission, { turns, viewing, access, streams }: TurnRoutesDeps) {
  return new Elysia({ name: "chat", normalize: false, tags: ["turns"] })
    .use(plugin)
    .post(
      "/workspaces/:id/chat",
      async ({ caller, params, body, request, status }) => {
        const turn = await turns.chat(caller, params.id, body);
        const exchange = exchangeOf(request);
        if (!wantsStream(exchange)) return status(202, { turn });
        return streams.answer(exchange, (viewer) => viewing.turn(caller, turn, 0, viewer));
      },
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: Chat,
        response: { 202: ChatAnswer },
        detail: STREAMS,
      },
    )
    .get(
      "/workspaces/:id/turns",
      ({ caller, params, query, request }) =>
        answerList(exchangeOf(request).id, turns.list(caller, params.id, query)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(PageQuery),
        response: Type.Array(Turn),
      },
    )
    .get("/turns/:id", ({ caller, params }) => turns.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Turn,
    })
    .post("/turns/:id/cancel", ({ caller, params }) => turns.cancel(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Turn,
    })
    .post(
      "/turns/:id/resume",
      ({ caller, params, status }) => turns.resume(caller, params.id).then((turn) => status(202, turn)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        response: { 202: Turn },
      },
    )
    .get(
      "/turns/:id/events",
      ({ caller, params, query, request }) => {
        const exchange = exchangeOf(request);
        const turn = turns.visible(caller, params.id);
        const after = resumeFrom(exchange, query.after) ?? 0;
        return streams.answer(exchange, (viewer) => viewing.turn(caller, turn, after, viewer));
      },
      { caller: "ws", params: fromPath(IdParams), query: fromText(EventsQuery), detail: STREAM },
    )
    .get(
      "/workspaces/:id/events",
      ({ caller, params, query, request }) => {
        const exchange = exchangeOf(request);
        access.workspace(caller, params.id);
        const after = resumeFrom(exchange, query.after);
        return streams.answer(exchange, (viewer) => viewing.workspace(caller, params.id, after, viewer));
      },
      { caller: "ws", params: fromPath(IdParams), query: fromText(EventsQuery), detail: STREAM },
    );
}

function summaryRoutes(plugin: Admission, { summaries, access }: TurnRoutesDeps) {
  return new Elysia({ name: "summaries", normalize: false, tags: ["turns"] })
    .use(plugin)
    .get(
      "/workspaces/:id/turns/summaries",
      ({ caller, params, query, request }) => listed(request, summaries.list(caller, params.id, query)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(TurnSummariesQuery),
        response: TurnSummaries,
      },
    )
    .get(
      "/workspaces/:id/turns/export",
      ({ caller, params, query: { format = "json", ...filter }, request }) => {
        access.workspace(caller, params.id);
        const pages = summaries.all(caller, params.id, filter);
        return exportTurns(exchangeOf(request).id, params.id, format, pages);
      },
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(ExportTurnsQuery),
        response: ExportedTurns,
        detail: EXPORT,
      },
    );
}

function branchRoutes(plugin: Admission, { branches }: TurnRoutesDeps) {
  return new Elysia({ name: "branches", normalize: false, tags: ["conversation"] })
    .use(plugin)
    .get("/workspaces/:id/branches", ({ caller, params }) => branches.list(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: BranchesRecord,
    })
    .put(
      "/workspaces/:id/branch",
      ({ caller, params, body }) => branches.choose(caller, params.id, body.turn_id),
      { caller: "ws", params: fromPath(IdParams), body: ChooseBranch, response: BranchesRecord },
    );
}

function conversationRoutes(plugin: Admission, { conversation }: TurnRoutesDeps) {
  return new Elysia({ name: "conversation", normalize: false, tags: ["conversation"] })
    .use(plugin)
    .get(
      "/workspaces/:id/entries",
      ({ caller, params, query, request }) =>
        answerList(exchangeOf(request).id, conversation.list(caller, params.id, query)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(EntriesQuery),
        response: Type.Array(Entry),
      },
    )
    .get("/entries/:id", ({ caller, params }) => conversation.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Entry,
    })
    .delete("/entries/:id", ({ caller, params }) => conversation.forget(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Empty,
    })
    .post("/entries/:id/restore", ({ caller, params }) => conversation.restore(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Entry,
    })
    .post("/entries/:id/clear-taint", ({ caller, params }) => conversation.clearTaint(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Entry,
      detail: {
        description:
          "Clears the mark of untrusted text, after a person has read the entry and vouches for it. Recorded in the audit. The alternative is to forget the entry.",
      },
    })
    .post(
      "/workspaces/:id/clear-taint",
      ({ caller, params, body }) => conversation.clearTaintThrough(caller, params.id, body.through),
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: ClearTaint,
        response: ClearedTaint,
        detail: {
          description:
            "Clears the mark of untrusted text from all entries of the conversation with the orchestrator up to the given one, the last that the person has read.",
        },
      },
    );
}

function inspectionRoutes(plugin: Admission, { inspection, steps }: TurnRoutesDeps) {
  return new Elysia({ name: "inspection", normalize: false, tags: ["inspection"] })
    .use(plugin)
    .get(
      "/agents/:id/prompt",
      async ({ caller, params, request }) => listed(request, await inspection.prompt(caller, params.id)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        response: Prompt,
      },
    )
    .get(
      "/turns/:id/calls",
      ({ caller, params, request }) =>
        answerList(exchangeOf(request).id, inspection.calls(caller, params.id)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        response: Type.Array(CallSummary),
      },
    )
    .get("/turns/:id/steps", ({ caller, params, request }) => listed(request, steps.get(caller, params.id)), {
      caller: "ws",
      params: fromPath(IdParams),
      response: TurnSteps,
    })
    .get("/calls/:id", ({ caller, params, request }) => listed(request, inspection.call(caller, params.id)), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Call,
    })
    .get("/calls/:id/receipt", async ({ caller, params }) => inspection.receipt(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Receipt,
    })
    .get(
      "/calls/:id/diff",
      async ({ caller, params, query, request }) =>
        listed(request, await inspection.diff(caller, params.id, query.to)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(DiffQuery),
        response: CallDiff,
      },
    );
}

function listed(request: Request, listing: Listing<unknown>): Response {
  return answerListing(exchangeOf(request).id, listing);
}

const EXPORT = {
  description:
    "All turns that match, newest first, as JSON or as CSV (RFC 4180) in which no text runs as a formula. Streamed; a failure aborts it.",
  responses: {
    200: {
      description: "the turns",
      content: { ...jsonBody(ExportedTurns).content, "text/csv": { schema: { type: "string" as const } } },
    },
  },
};
const STREAM = {
  description:
    "An event stream (SSE): id, event, one JSON data line. Resumes after Last-Event-ID, or after=<id>.",
  parameters: [LAST_EVENT_ID],
};
const STREAMS = {
  "x-streams": true,
  description: "With Accept: text/event-stream, the response is the turn's events until it ends.",
};
