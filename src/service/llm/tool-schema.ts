// Rewrites the schema of a tool's arguments into the part of JSON Schema that models' servers accept. It means the same to a model; the arguments
// are validated against the schema itself.
//
// Some servers refuse `const` and `patternProperties`, and those that turn a schema into a grammar refuse lengths of texts.

import { isObject, type Fields } from "../../kit/text/parsed-json.ts";

const DROPPED: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "minLength", "maxLength"]);
/** The limits that help a model, but from which some servers cannot make a grammar. */
const LIMITS: ReadonlySet<string> = new Set(
  "pattern format minItems maxItems uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(
    " ",
  ),
);
const DROPPED_WITH_LIMITS: ReadonlySet<string> = new Set([...DROPPED, ...LIMITS]);
const SCHEMAS_BY_NAME: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMAS: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);

/** Schemas of tools are constants, or kept with their gear. */
const known = new WeakMap<object, object>();

/** The schema for every server. */
export function sentSchema(parameters: object): object {
  const found = known.get(parameters);
  if (found) return found;
  const sent = rewritten(parameters, DROPPED) as object;
  known.set(parameters, sent);
  return sent;
}

/** The schema for a server that could not make a grammar of it. */
export function schemaWithoutLimits(parameters: object): object {
  return rewritten(parameters, DROPPED_WITH_LIMITS) as object;
}

function rewritten(schema: unknown, dropped: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => rewritten(one, dropped));
  if (!isObject(schema)) return schema;
  const choices = choicesOf(schema);
  if (choices) return choices;
  const sent: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key)) continue;
    if (key === "const") sent["enum"] = [value];
    else if (key === "patternProperties" && isObject(value)) openTo(sent, value);
    else if (sent["additionalProperties"] === true && key === "additionalProperties") continue;
    else sent[key] = rewrittenIn(key, value, dropped);
  }
  return sent;
}

function rewrittenIn(key: string, value: unknown, dropped: ReadonlySet<string>): unknown {
  if (SCHEMAS_BY_NAME.has(key) && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, rewritten(schema, dropped)]),
    );
  return LISTS_OF_SCHEMAS.has(key) || SCHEMAS.has(key) ? rewritten(value, dropped) : value;
}

/** Names that a pattern allows are allowed; which ones is left to the validation. */
function openTo(sent: Record<string, unknown>, patterns: Fields): void {
  if (Object.keys(patterns).length > 0) sent["additionalProperties"] = true;
}

/** A choice between constants of one type, as one list. */
function choicesOf({ anyOf, oneOf, ...rest }: Fields): Fields | undefined {
  const options = anyOf ?? oneOf;
  if (!Array.isArray(options) || options.length === 0 || (anyOf !== undefined && oneOf !== undefined))
    return undefined;
  const types = new Set(options.map((option) => (isObject(option) ? option["type"] : undefined)));
  const areConstants = options.every((option) => isObject(option) && "const" in option);
  if (!areConstants || types.size !== 1) return undefined;
  const [type] = types;
  const { $schema: _, ...others } = rest;
  return { ...others, ...(type === undefined ? {} : { type }), enum: options.map((option) => option.const) };
}
