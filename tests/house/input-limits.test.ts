// Goal: the OpenAPI documents state a limit for each text, number and list that a caller sends, or the reason is here why there is none.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dereferenced, type OpenApiDocument } from "../kit/http/described-routes.ts";

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The keywords that bound a value of a type. */
const BOUNDS: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "const", "maxLength", "pattern", "format"],
  integer: ["enum", "const", "maximum"],
  number: ["enum", "const", "maximum"],
  array: ["maxItems"],
};

/** As `GET /path query:name`, without the prefix that all have, and the reason. */
const UNBOUNDED: readonly (readonly [text: RegExp, reason: string])[] = [
  [/ query:(?:action|actor|space|since|until)$/, "compared with records, or a time; a longer one fits none"],
  [/ header:(?:If-Match|If-None-Match)$/, "a list of versions; the server bounds all headers together"],
  [
    / header:X-Service-(?:Agent|Message)$/,
    "percent-encoded; its description states the limit of the decoded text",
  ],
  [/ path:(?:user|hash|delivery|space)$/, "names something that exists; a longer one names nothing"],
  [/ query:(?:user|spaces|at|since)$/, "names something that exists; a longer one names nothing"],
  [/ body:spaces\[\]$/, "names of spaces; one that is none is refused"],
  [/ body:template$/, "one of the templates; another is refused by name"],
  [/ body:(?:code|files\[\]\.content|ops\[\]\.content_b64)$/, "bounded by the bytes of the whole body"],
  [/ body:(?:paths\[\]|known\.\*)$/, "what is no document comes back in `unread`"],
  [/ query:name$| body:attachments\[\]\.name$/, "a name that is only shown; a longer one is cut"],
  [/ body:budget\.cost_per_(?:turn|day)$/, "any amount of money"],
  [/ query:(?:q|ids|models)$/, "bounded by the address; a longer one finds nothing"],
];

function unbounded(document: OpenApiDocument<Operation>): string[] {
  const found = new Set<string>();
  const walk = (schema: Schema, at: string): void => {
    for (const one of schema.anyOf ?? []) walk(one, at);
    const bounds = BOUNDS[schema.type ?? ""];
    if (bounds && !bounds.some((bound) => bound in schema)) found.add(at);
    if (schema.items) walk(schema.items, `${at}[]`);
    const more = schema.additionalProperties;
    if (typeof more === "object") walk(more, `${at}.*`);
    for (const [name, one] of Object.entries(schema.properties ?? {}))
      walk(one, at.endsWith(" body") ? `${at}:${name}` : `${at}.${name}`);
  };
  for (const [path, operations] of Object.entries(dereferenced(document.paths, document)))
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const route = `${method.toUpperCase()} ${path}`;
      for (const { name, in: place, schema } of parameters) walk(schema, `${route} ${place}:${name}`);
      for (const { schema } of Object.values(requestBody?.content ?? {})) walk(schema, `${route} body`);
    }
  return [...found];
}

const documents = ["openapi", "context-openapi"].map(
  (name) => JSON.parse(readFileSync(`tests/golden/${name}.json`, "utf8")) as OpenApiDocument<Operation>,
);

test("every value that a caller sends has a limit in its document, or a reason here", () => {
  const isKnown = (text: string) => UNBOUNDED.some(([known]) => known.test(text));
  expect(documents.flatMap(unbounded).filter((text) => !isKnown(text))).toEqual([]);
});

test("every reason is still needed", () => {
  const found = documents.flatMap(unbounded);
  expect(UNBOUNDED.filter(([known]) => !found.some((text) => known.test(text)))).toEqual([]);
});

test("the rule finds a value without a limit, and none that has one", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string" },
      b: { type: "string", maxLength: 3 },
      c: { type: "integer", minimum: 1 },
      d: { type: "number", maximum: 1 },
      e: { type: "array", items: { type: "boolean" } },
    },
  };
  const document = {
    paths: { "/x": { post: { requestBody: { content: { "application/json": { schema } } } } } },
    components: { parameters: {}, schemas: {} },
  };
  expect(unbounded(document)).toEqual(["POST /x body:a", "POST /x body:c", "POST /x body:e"]);
});
