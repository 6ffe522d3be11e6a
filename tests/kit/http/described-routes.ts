// The routes as the service itself describes them (OpenAPI), and requests made from their schemas: for tests over all routes.

import type { Client } from "./client.ts";

export interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: unknown;
}

export interface DescribedRoute {
  readonly method: string;
  /** Below `/api/v1`, with `{name}`. */
  readonly path: string;
  readonly caller: string;
  readonly parameters: readonly {
    name: string;
    in: "path" | "query";
    required: boolean;
    schema: JsonSchema;
  }[];
  readonly body: JsonSchema | undefined;
  readonly bodyRequired: boolean;
  /** Of any type. */
  readonly hasBody: boolean;
}

interface Operation {
  "x-caller": string;
  parameters?: DescribedRoute["parameters"];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
}

export interface OpenApiDocument<O = unknown> {
  readonly paths: Record<string, Record<string, O>>;
  readonly components: Readonly<Record<"parameters" | "schemas", Readonly<Record<string, unknown>>>>;
}

const REFERENCE = /^#\/components\/(parameters|schemas)\/(.*)$/;

/** A copy of a part of the document with each named schema and parameter in the place of its reference. */
export function dereferenced<T>(part: T, document: OpenApiDocument): T {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (value === null || typeof value !== "object") return value;
    const [, kind, name] = REFERENCE.exec((value as { $ref?: string }).$ref ?? "") ?? [];
    if (name !== undefined) return copy(document.components[kind as "parameters" | "schemas"][name]);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
  };
  return copy(part) as T;
}

export async function describedRoutes(client: Client): Promise<DescribedRoute[]> {
  const document = await client.get<OpenApiDocument<Operation>>("/openapi.json");
  const paths = dereferenced(document.paths, document);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace("/api/v1", ""),
      caller: operation["x-caller"],
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content["application/json"]?.schema,
      bodyRequired: operation.requestBody?.required ?? false,
      hasBody: operation.requestBody !== undefined,
    })),
  );
}

/** The path with ids put in, and whatever query it can't do without. */
export function filledPath(route: DescribedRoute, ids: Readonly<Record<string, number>>): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
  const query = route.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=1`);
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

/** A value that fits, with every field; not one that makes sense. */
export function fitting(schema: JsonSchema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return fitting(schema.anyOf[0]!);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, fitting(field)]),
      );
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => fitting(schema.items!));
    case "string":
      return schema.pattern === "^[0-9a-f]{64}$" ? "0".repeat(64) : "https://something.example";
    case "boolean":
      return false;
    default:
      return Math.max(1, schema.minimum ?? 1);
  }
}

interface Field {
  /** Names from the body's root. */
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Every field, also those of objects inside. */
export function fieldsOf(schema: JsonSchema, below: readonly string[] = []): Field[] {
  const object = schema.anyOf?.find((variant) => variant.type === "object") ?? schema;
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = [...below, name];
    return [
      { path, schema: field, required: object.required?.includes(name) ?? false },
      ...fieldsOf(field, path),
    ];
  });
}

const ANY_TYPES: readonly (readonly [type: string, value: unknown])[] = [
  ["string", "text"],
  ["number", 1.5],
  ["boolean", true],
  ["array", []],
  ["array", [1]],
  ["object", { a: 1 }],
  ["null", null],
];

/** One value of each JSON type that the schema does not take, and numbers out of its range. */
export function misfits(schema: JsonSchema): unknown[] {
  const variants = schema.anyOf ?? [schema];
  const types = new Set(
    variants.flatMap((variant) => [variant.type, ...(variant.type === "integer" ? ["integer"] : [])]),
  );
  const wrong = ANY_TYPES.filter(([type]) => !types.has(type)).map(([, value]) => value);
  if (schema.enum) wrong.push("no such word", "");
  for (const { minimum, maximum } of variants) {
    if (minimum !== undefined) wrong.push(minimum - 1);
    if (maximum !== undefined) wrong.push(maximum * 2 + 2);
  }
  return wrong;
}

/** A copy of `body` with the field at `path` set, or taken out when `value` is undefined. */
export function withField(body: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  const { [name!]: old, ...others } = body as Record<string, unknown>;
  if (rest.length > 0) return { ...others, [name!]: withField(old ?? {}, rest, value) };
  return value === undefined ? others : { ...others, [name!]: value };
}
