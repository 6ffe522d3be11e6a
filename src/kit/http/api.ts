// The base of every Elysia instance: strict input, declared output, our error shape, our headers.
//
// `normalize: false` makes an unknown field a refusal instead of dropping it. An answer that does not fit its declared schema is a
// defect (it could leak a field): it is logged and answered 500, never sent.

import { Elysia, ValidationError, type TSchema } from "elysia";
import { AppError } from "../error.ts";
import type { Log } from "../log.ts";
import { answerError, answerJson } from "./answer.ts";
import { readJson } from "./body.ts";
import { exchangeOf } from "./exchange.ts";

export interface BodyLimit {
  readonly method: string;
  /** As declared, without the prefix. */
  readonly route: string;
  readonly bytesMax: number;
}

/**
 * `rawBodies`: routes (as declared, without the prefix) whose PUT takes a body of any type. It is handed to them unread: they read it
 * with `readBytes` and their own limit, once they know that the caller may write. `limits`: JSON bodies of these routes may be larger
 * or must be smaller than others. `door`: called before a body is read; what it raises is the answer.
 */
export function createApi<const Prefix extends string>(
  log: Log,
  prefix: Prefix,
  rawBodies: readonly string[] = [],
  limits: readonly BodyLimit[] = [],
  door: (request: Request, route: string) => void = () => {},
) {
  const raw = new Set(rawBodies.map((route) => prefix + route));
  const bytesMaxOf = new Map(
    limits.map(({ method, route, bytesMax }) => [`${method} ${prefix}${route}`, bytesMax]),
  );
  return new Elysia({ normalize: false, aot: true, prefix })
    .onParse({ as: "global" }, ({ request, contentType, route }) => {
      door(request, route);
      return request.method === "PUT" && raw.has(route)
        ? UNREAD
        : parseBody(request, contentType, bytesMaxOf.get(`${request.method} ${route}`));
    })
    .mapResponse({ as: "global" }, ({ responseValue, set, request }) => {
      if (responseValue instanceof Response) return responseValue;
      // The framework reads from a handler's text whether to wait for it; one it misjudged must not answer `{}`.
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
      const response = answerError(exchange.id, appErrorOf(error, code, exchange.path, log), log);
      if (exchange.errorCookie !== undefined) response.headers.append("Set-Cookie", exchange.errorCookie);
      return response;
    });
}

const UNREAD = "(not read yet)";

async function parseBody(
  request: Request,
  contentType: string,
  bytesMax: number | undefined,
): Promise<unknown> {
  if (request.body === null) return undefined;
  if (contentType !== "application/json")
    throw new AppError("invalid", "a body needs Content-Type: application/json");
  const body = await readJson(request, bytesMax);
  // Here, since the framework takes `null` and `[]` for "no body" where a body is optional.
  if (body === null || typeof body !== "object" || Array.isArray(body))
    throw new AppError("invalid", "body: expected object");
  return body;
}

function appErrorOf(error: unknown, code: unknown, path: string, log: Log): unknown {
  if (error instanceof AppError) return error;
  if (code === "NOT_FOUND") return new AppError("not_found", `${path}: no such route`);
  if (error instanceof ValidationError) return validationError(error, log);
  const cause = (error as { cause?: unknown }).cause;
  return cause instanceof AppError ? cause : error;
}

function validationError(error: ValidationError, log: Log): AppError | Error {
  if (error.type === "response") {
    log.error("an answer does not fit its schema", { error: fieldMessage(error) });
    return new Error(`response schema: ${fieldMessage(error)}`);
  }
  return new AppError("invalid", fieldMessage(error));
}

const WHERE: Record<string, string> = {
  params: "path parameter ",
  query: "query parameter ",
  headers: "header ",
  cookie: "cookie ",
};
/** A field's name is the caller's own text when the field is unknown. */
const FIELD_CHARACTERS_SHOWN_MAX = 100;

interface Problem {
  readonly path: string;
  readonly message: string;
  readonly schema: TSchema;
  readonly value: unknown;
  /** For a union: what is wrong with each of its variants. */
  readonly errors?: readonly { First(): Problem | undefined }[];
}

/** A sentence that names the field and says what is expected: `name: expected string`. */
function fieldMessage(error: ValidationError): string {
  const found = error.valueError as unknown as Problem | undefined;
  if (!found) return `${WHERE[error.type] ?? error.type}: not valid`;
  const problem = innermost(found);
  const field = problem.path
    .split("/")
    .filter(Boolean)
    .map(unescaped)
    .join(".")
    .slice(0, FIELD_CHARACTERS_SHOWN_MAX);
  return `${WHERE[error.type] ?? ""}${field === "" ? error.type : field}: ${expectation(problem)}`;
}

/** Of a JSON Pointer (RFC 6901). */
function unescaped(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** "This or null" was meant as this, unless it is null: then its own problem says more than "neither of the two". */
function innermost(problem: Problem): Problem {
  const variants = (problem.schema["anyOf"] as TSchema[] | undefined) ?? [];
  const meant = variants.findIndex((variant) => variant["type"] !== "null");
  if (
    variants.length !== 2 ||
    !variants.some((variant) => variant["type"] === "null") ||
    problem.value === undefined
  )
    return problem;
  const inner = problem.errors?.[meant]?.First();
  return inner ? innermost(inner) : problem;
}

function expectation({ message, schema }: Problem): string {
  if (message === "Unexpected property") return "unknown field";
  if (message === "Expected required property") return "missing";
  const allowed = allowedValues(schema);
  if (allowed.length > 0) return `expected one of: ${allowed.join(", ")}`;
  if (message.startsWith("Expected string length greater"))
    return schema["minLength"] === 1 ? "must not be empty" : `at least ${schema["minLength"]} characters`;
  if (message.startsWith("Expected string length less")) return `at most ${schema["maxLength"]} characters`;
  if (typeof schema["format"] === "string") return `expected ${schema["format"]}`;
  return message.toLowerCase();
}

function allowedValues(schema: TSchema): unknown[] {
  const variants = (schema["anyOf"] as { const?: unknown }[] | undefined) ?? [];
  return variants.map((variant) => variant.const).filter((value) => value !== undefined);
}
