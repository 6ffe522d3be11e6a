// OpenAPI 3.1 for a list of routes, from the schemas that validate requests and answers.
// Says only what the routes declare; what it can't read there (who may call) they declare as `x-caller`.

import { isDeepStrictEqual } from "node:util";
import { Kind, OptionalKind, Type, type TSchema } from "@sinclair/typebox";
import { statusOf } from "../error.ts";
import { describedHeaders, headersOf, type AnswerHeader } from "./answer-headers.ts";
import { JSON_BODY_BYTES_MAX } from "./body.ts";
import { Components } from "./components.ts";
import { errorsOf, type ApiFacts } from "./operation-facts.ts";
import { closed } from "../schema.ts";

/** A route as listed by the framework. */
export interface DescribedRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: {
    readonly body?: unknown;
    readonly params?: unknown;
    readonly query?: unknown;
    readonly response?: unknown;
    readonly detail?: object;
  };
}

const ErrorBody = closed({
  error: closed({
    message: Type.String({ description: "a sentence to show to people" }),
    code: Type.Union(Object.keys(statusOf).map((code) => Type.Literal(code))),
    request_id: Type.String({ description: "as in X-Request-Id and in the log" }),
    details: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
});

/** Described once for all operations, by name. */
interface Shared {
  readonly parameters: Record<string, object>;
  readonly responses: Record<string, object>;
}

/** Names the response of every operation to statuses that it does not list. */
const ANY_CODE = "any";

export function openApi(
  title: string,
  version: string,
  routes: readonly DescribedRoute[],
  facts: ApiFacts,
): object {
  const paths: Record<string, Record<string, object>> = {};
  const components = new Components([{ Error: ErrorBody }, ...facts.schemas]);
  components.plain(ErrorBody);
  const shared: Shared = { parameters: {}, responses: { [ANY_CODE]: refusal("refused") } };
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, "{$1}").replace(/\*$/, "{path}");
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, facts, components, shared);
  }
  return {
    openapi: "3.1.0",
    info: { title, version, license: { name: "Apache License 2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/", description: "the server that sent this document" }],
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: components.used,
      ...shared,
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
}

function operation(
  { method, path, hooks }: DescribedRoute,
  facts: ApiFacts,
  components: Components,
  shared: Shared,
): object {
  const { operations, limits, bodyBytesMax, isCounted, prefix } = facts;
  const { parameters: headers = [], "x-headers": sent = [], ...detail } = (hooks.detail ?? {}) as Detail;
  const parameters = [
    ...parametersOf("path", hooks.params, components).map((one) => shownOnce(one, shared.parameters)),
    ...parametersOf("query", hooks.query, components),
    ...headers,
  ];
  const name = `${method} ${path.slice(prefix.length)}`;
  const [summary, ...own] = operations[name] ?? [""];
  const caller = detail["x-caller"];
  const body = hooks.body === undefined ? detail.requestBody : jsonBody(hooks.body as TSchema, components);
  const declared = { caller, hasParams: hooks.params !== undefined, hasBody: body !== undefined };
  return {
    operationId: operationId(method, path),
    summary,
    ...detail,
    ...described([detail.description, limits[name]]),
    ...(caller === "open" ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: limited(body, bodyBytesMax.get(name)) }),
    responses: {
      ...refusals(errorsOf(declared, own, isCounted), shared.responses),
      ...withHeaders(detail.responses ?? responses(hooks.response, components), sent),
      ...(detail["x-streams"] ? streamed(hooks.response, components) : {}),
      default: { $ref: `#/components/responses/${ANY_CODE}` },
    },
  };
}

interface RequestBody {
  readonly required: boolean;
  readonly description?: string;
  readonly content: object;
}

/** The details that a route adds to its description. */
interface Detail {
  readonly "x-caller"?: string;
  readonly description?: string;
  readonly requestBody?: RequestBody;
  readonly responses?: object;
  /** Headers that the operation reads. */
  readonly parameters?: readonly object[];
  /** Headers of its success. */
  readonly "x-headers"?: readonly AnswerHeader[];
  /** With `Accept: text/event-stream`, the answer is a stream in place of what the route declares. */
  readonly "x-streams"?: boolean;
}

function withHeaders(successes: object, sent: readonly AnswerHeader[]): Record<string, object> {
  const headers = describedHeaders(sent);
  return Object.fromEntries(
    Object.entries(successes).map(([status, response]) => [status, { ...response, ...headers }]),
  );
}

function described(sentences: readonly (string | undefined)[]): { description?: string } {
  const description = sentences.filter((one) => one !== undefined).join(" ");
  return description === "" ? {} : { description };
}

function limited(body: RequestBody, bytesMax = JSON_BODY_BYTES_MAX): object {
  const { description } = described([body.description, `at most ${bytesMax} bytes`]);
  return { ...body, description, "x-bytes-max": bytesMax };
}

/** Error responses, named by their codes and shared by all operations; `used` collects them. */
function refusals(
  errors: ReadonlyMap<number, readonly string[]>,
  used: Record<string, object>,
): Record<string, object> {
  return Object.fromEntries(
    [...errors].map(([status, codes]) => {
      const name = codes.join("_or_");
      used[name] = { ...refusal(codes.join(", ")), ...describedHeaders(headersOf(codes)) };
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function refusal(description: string): object {
  return { description, ...content({ $ref: "#/components/schemas/Error" }) };
}

/** `get /api/v1/workspaces/:id/agents`: `getWorkspacesByIdAgents`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api\/v1/, "")
    .split(/[/.]/)
    .filter(Boolean)
    .map((word) => (word === "*" ? "By_path" : word.startsWith(":") ? `By_${word.slice(1)}` : word));
  const name = words.join("_").replace(/(?:^|[_-])([a-z])/gi, (_, letter: string) => letter.toUpperCase());
  return method.toLowerCase() + name;
}

/** A name means the same in almost every path; another meaning is described in its own place. */
function shownOnce(parameter: Parameter, used: Record<string, object>): object {
  const known = (used[parameter.name] ??= parameter);
  if (!isDeepStrictEqual(known, parameter)) return parameter;
  return { $ref: `#/components/parameters/${parameter.name}` };
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: object;
}

function parametersOf(place: "path" | "query", schema: unknown, components: Components): Parameter[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as {
    properties: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name: name === "*" ? "path" : name,
    in: place,
    required: required.includes(name),
    schema: components.plain(field),
  }));
}

/** Also used in the `detail` of a route that reads its own body. */
export function jsonBody(schema: TSchema, components = new Components([])) {
  const required = schema[OptionalKind] !== "Optional";
  return { required, content: { "application/json": { schema: components.plain(schema) } } };
}

/** The `requestBody` of a route whose body is the content itself. */
export function rawBody({ required }: { required: boolean }) {
  const schema = { type: "string" as const, format: "binary" };
  return {
    required,
    description: "with any content type;",
    content: { "application/octet-stream": { schema } },
  };
}

/** A stream has the status 200, whatever the status of the declared answer. */
function streamed(declared: unknown, components: Components): Record<string, object> {
  const ok = responses(declared, components)[200] as { content?: object } | undefined;
  return {
    200: {
      description: ok === undefined ? "a stream of events" : "done, or a stream of events",
      content: { ...ok?.content, ...content({ type: "string" }, "text/event-stream").content },
    },
  };
}

/** A route without a declared answer is an event stream, unless its `detail` describes one. */
function responses(declared: unknown, components: Components): Record<string, object> {
  if (declared === undefined) return streamed({}, components);
  const byStatus =
    Kind in (declared as object) ? { 200: declared as TSchema } : (declared as Record<string, TSchema>);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, schema]) =>
      schema[Kind] === "Void"
        ? ["204", { description: "done" }]
        : [status, { description: "done", ...content(components.plain(schema)) }],
    ),
  );
}

function content(schema: object, type = "application/json") {
  return { content: { [type]: { schema } } };
}
