// HTTP for gears, their runs and their bindings.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { AppError, messageOf, internalError } from "../../kit/error.ts";
import { exchangeOf, type Exchange } from "../../kit/http/exchange.ts";
import { answerList } from "../../kit/http/list-answer.ts";
import { frame, wantsStream, type Streams } from "../../kit/http/sse.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import type { Log } from "../../kit/log.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import { Empty, IdParams, PageQuery, isOn } from "../../kit/schema.ts";
import type { Admission } from "../identity/admission.ts";
import type { GearBindings } from "./bindings.ts";
import type { Gears } from "./gears.ts";
import { isolationOf, type IsolationDetail } from "./isolation.ts";
import { runTests } from "./review.ts";
import type { GearRuns, Order } from "./runs.ts";
import type { RunViewers } from "./run-viewers.ts";
import {
  CreatedGear,
  CreateGear,
  CreateGearBinding,
  DecideGear,
  Gear,
  GEAR_BODY_BYTES_MAX,
  GEAR_RUNS_AT_ONCE_MAX,
  GearBinding,
  GearDetail,
  GearIsolation,
  GearResult,
  GearRun,
  GearRunDetail,
  GearVersion,
  RunGear,
  RunQuery,
  SavedGear,
  SaveGear,
  TestReport,
} from "./schema.ts";

interface GearRoutesDeps {
  gears: Gears;
  gearRuns: GearRuns;
  runViewers: RunViewers;
  gearBindings: GearBindings;
  isolation: IsolationDetail;
  streams: Streams;
  background: Background;
}

/** Larger body limits for routes that carry gear code. */
export const GEAR_BODY_LIMITS = [
  { method: "POST", route: "/gears", bytesMax: GEAR_BODY_BYTES_MAX },
  { method: "PUT", route: "/gears/:id", bytesMax: GEAR_BODY_BYTES_MAX },
] as const;

export function gearRoutes(plugin: Admission, deps: GearRoutesDeps, log: Log) {
  return new Elysia({ name: "gears", normalize: false })
    .use(plugin)
    .use(recordRoutes(plugin, deps))
    .use(runRoutes(plugin, deps, log))
    .use(bindingRoutes(plugin, deps));
}

function recordRoutes(plugin: Admission, { gears, isolation }: GearRoutesDeps) {
  return new Elysia({ name: "gear-records", normalize: false, tags: ["gears"] })
    .use(plugin)
    .get(
      "/gears",
      async ({ caller, request }) => {
        await isolation.decided();
        return answerList(exchangeOf(request).id, gears.pages(caller));
      },
      { caller: "any", response: Type.Array(Gear) },
    )
    .get("/gears/isolation", () => isolationOf(isolation), { caller: "any", response: GearIsolation })
    .post(
      "/gears",
      ({ caller, body, status }) => gears.create(caller, body).then((made) => status(201, made)),
      {
        caller: "any",
        body: CreateGear,
        response: { 201: CreatedGear },
      },
    )
    .get(
      "/gears/:id",
      async ({ caller, params }) => {
        await isolation.decided();
        return gears.get(caller, params.id);
      },
      { caller: "any", params: fromPath(IdParams), response: GearDetail },
    )
    .put("/gears/:id", ({ caller, params, body }) => gears.save(caller, params.id, body), {
      caller: "author",
      params: fromPath(IdParams),
      body: SaveGear,
      response: SavedGear,
    })
    .patch("/gears/:id", ({ caller, params, body }) => gears.decide(caller, params.id, body), {
      caller: "admin",
      params: fromPath(IdParams),
      body: DecideGear,
      response: GearDetail,
    })
    .delete("/gears/:id", ({ caller, params }) => gears.remove(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Empty,
    })
    .get("/gears/:id/versions", ({ params, query }) => gears.versions(params.id, query), {
      caller: "any",
      params: fromPath(IdParams),
      query: fromText(PageQuery),
      response: Type.Array(GearVersion),
    });
}

function runRoutes(plugin: Admission, deps: GearRoutesDeps, log: Log) {
  const { gears, gearRuns, runViewers, isolation } = deps;
  return new Elysia({ name: "gear-runs", normalize: false, tags: ["gears"] })
    .use(plugin)
    .post(
      "/gears/:id/run",
      async ({ caller, params, query, body, request }) => {
        const exchange = exchangeOf(request);
        await gearRuns.ready();
        const kind = isOn(query.dry) ? "dry" : "run";
        const order =
          kind === "dry"
            ? await gearRuns.dryOrder(caller, params.id, body ?? {})
            : await gearRuns.order(caller, params.id, body ?? {});
        // The framework sends a response as it is, but types a handler by one kind of answer only.
        if (isOn(query.stream) || wantsStream(exchange))
          return streamRun({ ...deps, log }, exchange, kind, order) as Response & GearResult;
        exchange.keepOpen();
        const ended = await gearRuns.execute(order, () => {}, { left: request.signal });
        runViewers.require(order);
        return gearRuns.answer(kind, ended);
      },
      {
        caller: "any",
        params: fromPath(IdParams),
        query: fromText(RunQuery),
        body: Type.Optional(RunGear),
        response: { 200: GearResult },
        detail: STREAMS,
      },
    )
    .post(
      "/gears/:id/tests/run",
      ({ caller, params, request }) => {
        exchangeOf(request).keepOpen();
        return runTests({ gears, runs: gearRuns, isolation }, caller, params.id);
      },
      { caller: "any", params: fromPath(IdParams), response: TestReport },
    )
    .get("/gears/:id/runs", ({ caller, params, query }) => gearRuns.list(caller, params.id, query), {
      caller: "any",
      params: fromPath(IdParams),
      query: fromText(PageQuery),
      response: Type.Array(GearRun),
    })
    .get("/gear-runs/:id", ({ caller, params }) => gearRuns.get(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: GearRunDetail,
    })
    .post("/gear-runs/:id/cancel", ({ caller, params }) => gearRuns.cancel(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: GearRunDetail,
    });
}

function bindingRoutes(plugin: Admission, { gearBindings }: GearRoutesDeps) {
  return new Elysia({ name: "gear-bindings", normalize: false, tags: ["gears"] })
    .use(plugin)
    .get("/workspaces/:id/gears", ({ caller, params }) => gearBindings.list(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Type.Array(GearBinding),
    })
    .post(
      "/workspaces/:id/gears",
      ({ caller, params, body, status }) =>
        gearBindings.bind(caller, params.id, body).then((made) => status(201, made)),
      {
        caller: "ws",
        params: fromPath(IdParams),
        body: CreateGearBinding,
        response: { 201: GearBinding },
      },
    )
    .delete("/gear-bindings/:id", ({ caller, params }) => gearBindings.unbind(caller, params.id), {
      caller: "ws",
      params: fromPath(IdParams),
      response: Empty,
    });
}

/** A run that has begun continues when its viewer leaves, and is recorded. A queued one has no record, so it leaves the queue with its viewer. */
function streamRun(
  { gearRuns, runViewers, streams, background, log }: GearRoutesDeps & { log: Log },
  exchange: Exchange,
  kind: "run" | "dry",
  order: Order,
): Response {
  return streams.answer(exchange, (connected) => {
    const left = new AbortController();
    const { viewer, leave } = runViewers.guard(order, connected);
    background.run("gear run", async () => {
      try {
        const ended = await gearRuns.execute(
          order,
          (stream, text) => void viewer.send(frame("output", { stream, text })),
          {
            left: left.signal,
            queued: () => void viewer.send(frame("queued", { running: GEAR_RUNS_AT_ONCE_MAX })),
            started: (run_id) => void viewer.send(frame("started", { run_id })),
          },
        );
        viewer.send(frame("result", gearRuns.answer(kind, ended)));
      } catch (error) {
        if (!(error instanceof AppError))
          log.error("gear run failed", { request_id: exchange.id, error: messageOf(error) });
        const shown = error instanceof AppError ? error : internalError();
        viewer.send(frame("error", { message: shown.message, code: shown.code, request_id: exchange.id }));
      } finally {
        viewer.end();
      }
    });
    return () => {
      leave();
      left.abort();
    };
  });
}

const STREAMS = {
  "x-streams": true,
  description:
    "With `?stream=1` or `Accept: text/event-stream`: live server-sent events: `queued` {running} if as many gears are running as may, `started` {run_id}, `output` {stream, text}, then `result` or `error`. A run whose client leaves before it has started does not start.",
};
