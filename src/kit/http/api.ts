// The base of every Elysia instance: strict input, declared output, our error shape, our headers.
//
// `normalize: false` makes an unknown field a refusal instead of dropping it. An answer that does not fit its declared schema is a
// defect (it could leak a field): it is logged and answered 500, never sent.

import { Elysia, ValidationError } from "elysia";
import { AppError, badParameter, fieldError } from "../error.ts";
import type { Log } from "../log.ts";
import { problemOf, sentenceOf } from "../schema-problem.ts";
import { isObject } from "../text/parsed-json.ts";
import { answerError, answerJson } from "./answer.ts";
import { readJson } from "./body.ts";
import { exchangeOf, type Exchange } from "./exchange.ts";
import { requireJsonType } from "./json-type.ts";
import { RouteTable } from "./route-table.ts";

interface BodyLimit {
  readonly method: string;
  /** The declared route, without the prefix. */
  readonly route: string;
  readonly bytesMax: number;
}

/** By method and route. */
export function bytesMaxOf(limits: readonly BodyLimit[], prefix = ""): ReadonlyMap<string, number> {
  return new Map(limits.map(({ method, route, bytesMax }) => [`${method} ${prefix}${route}`, bytesMax]));
}

interface ApiOptions<Prefix extends string> {
  readonly log: Log;
  readonly prefix: Prefix;
  /** Routes that read their own bodies, with a limit, after checking the caller's rights. */
  readonly unreadBodies?: readonly BodyLimit[];
  /** Limits for JSON bodies that differ from the default, by route. */
  readonly bodyLimits?: readonly BodyLimit[];
  /** Called before a JSON body is read; an error it raises is the answer. */
  readonly door?: (request: Request, route: string, params: Readonly<Record<string, string>>) => void;
  /** Called for each error answer before it is sent. */
  readonly refused?: (request: Request, error: AppError) => void;
}

export function createApi<const Prefix extends string>(options: ApiOptions<Prefix>) {
  const { log, prefix, unreadBodies = [], bodyLimits = [], door, refused } = options;
  const unread = new Set(unreadBodies.map(({ method, route }) => `${method} ${prefix}${route}`));
  const limits = bytesMaxOf(bodyLimits, prefix);
  const app = new Elysia({ normalize: false, aot: true, prefix });
  const table = new RouteTable(() => app.routes);
  return app
    .onParse({ as: "global" }, async ({ request, route, params }) => {
      const name = `${request.method} ${route}`;
      if (unread.has(name)) return UNREAD;
      if (request.body === null) return undefined;
      door?.(request, route, (params ?? {}) as Record<string, string>);
      const body = await parseBody(request, limits.get(name));
      table.refuseBody(request.method, route, body);
      return body;
    })
    .onBeforeHandle({ as: "global" }, ({ request, route, query }) => {
      const { method, query: text } = exchangeOf(request);
      table.takeQuery(method, route, text, query as Record<string, unknown>);
    })
    .mapResponse({ as: "global" }, ({ responseValue, set, request }) => {
      if (responseValue instanceof Response) return responseValue;
      // The framework guesses from a handler's source whether to await it; a wrong guess must not answer `{}`.
      if (responseValue instanceof Promise)
        throw new Error("a handler's promise was not awaited: make the handler async");
      const response = answerJson(
        exchangeOf(request).id,
        typeof set.status === "number" ? set.status : 200,
        responseValue,
      );
      const etag = set.headers["etag"];
      if (etag !== undefined) response.headers.set("ETag", String(etag));
      return response;
    })
    .onError({ as: "global" }, ({ error, code, request }) => {
      const exchange = exchangeOf(request);
      const shown = appErrorOf(misplaced(error, code, table, exchange) ?? error, log);
      if (shown instanceof AppError) refused?.(request, shown);
      const response = answerError(exchange.id, shown, log);
      if (exchange.errorCookie !== undefined) response.headers.append("Set-Cookie", exchange.errorCookie);
      return response;
    });
}

/** Returns the error for a path that matches no route, or whose id is malformed. */
function misplaced(
  error: unknown,
  code: unknown,
  table: RouteTable,
  { method, path }: Exchange,
): AppError | undefined {
  if (code === "NOT_FOUND") return table.refusal(method, path);
  const isNoId = error instanceof ValidationError && error.type === "params";
  return isNoId ? table.refusalOfNamed(method, path) : undefined;
}

const UNREAD = "(not read yet)";

async function parseBody(request: Request, bytesMax: number | undefined): Promise<object> {
  requireJsonType(exchangeOf(request).headers["content-type"], "a body");
  const body = await readJson(request, bytesMax);
  // Checked here, because the framework treats `null` and `[]` as "no body" where a body is optional.
  if (!isObject(body)) throw new AppError("invalid", "body: expected an object");
  return body;
}

function appErrorOf(error: unknown, log: Log): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof ValidationError) return validationError(error, log);
  const cause = (error as { cause?: unknown }).cause;
  return cause instanceof AppError ? cause : error;
}

function validationError(error: ValidationError, log: Log): AppError | Error {
  if (error.type === "response") {
    log.error("an answer does not match its schema", { error: inWords(error) });
    return new Error(`response schema: ${inWords(error)}`);
  }
  const found = error.valueError;
  if (!found || (error.type !== "query" && error.type !== "body"))
    return new AppError("invalid", inWords(error));
  const { field, problem } = problemOf(found);
  if (error.type === "query") return badParameter(field, problem);
  return fieldError("invalid", field === "" ? error.type : field, problem);
}

function inWords({ type, valueError }: ValidationError): string {
  if (!valueError) return `${type}: not valid`;
  return `${type === "params" ? "path parameter " : ""}${sentenceOf(valueError, { whole: type })}`;
}
