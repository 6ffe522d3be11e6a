// Turns a gear's args_schema into form fields, and the inputs into arguments. Pure. Anything that no field fits is entered as JSON; the server
// checks the arguments in any case.

import { isObject, parsedJson } from "../../kit/json.ts";

type Schema = Readonly<Record<string, unknown>>;

interface Common {
  readonly name: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly initial: unknown;
}

export type SimpleField = Common &
  (
    | { readonly kind: "text"; readonly long: boolean; readonly file: boolean }
    | {
        readonly kind: "number";
        readonly whole: boolean;
        readonly min: number | undefined;
        readonly max: number | undefined;
      }
    | { readonly kind: "boolean" }
    | { readonly kind: "choice"; readonly choices: readonly unknown[] }
  );

export type ArgField =
  | SimpleField
  | (Common & { readonly kind: "list"; readonly item: SimpleField })
  | (Common & { readonly kind: "group"; readonly fields: readonly ArgField[] })
  | (Common & { readonly kind: "json" });

/** Input values: texts, lists of texts, and groups of them. */
export type Draft = string | readonly string[] | { readonly [name: string]: Draft };

/** Keywords that no single field can express. */
const COMBINING = [
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "dependentSchemas",
] as const;
const OF_OBJECTS = ["patternProperties", "propertyNames"] as const;
const GROUPS_DEEP_MAX = 4;
const LONG_TEXT_CHARACTERS = 200;

/** Undefined if the schema cannot be a form; its arguments are then entered as JSON. */
export function fieldsOf(argsSchema: string): readonly ArgField[] | undefined {
  const schema = parsedJson(argsSchema);
  if (!isObject(schema) || combines(schema)) return undefined;
  return groupFields(schema, 0);
}

/** Says why the arguments are entered as JSON, for people; undefined if the schema can be a form. */
export function whyJson(argsSchema: string): string | undefined {
  if (fieldsOf(argsSchema) !== undefined) return undefined;
  const schema = parsedJson(argsSchema);
  const isOpen = isObject(schema) && !combines(schema);
  return isOpen && isNothing(schema.properties) && isNothing(schema.required)
    ? "This gear's schema names no arguments, so any are accepted."
    : "This gear's schema is too complex for a form.";
}

/** Not there, or an empty list or object. */
function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    (isObject(value) && Object.keys(value).length === 0) ||
    (Array.isArray(value) && value.length === 0)
  );
}

function combines(schema: Schema): boolean {
  return [...COMBINING, ...OF_OBJECTS].some((keyword) => keyword in schema);
}

function groupFields(schema: Schema, depth: number): readonly ArgField[] | undefined {
  if (schema.properties !== undefined && !isObject(schema.properties)) return undefined;
  const properties = Object.entries(schema.properties ?? {});
  // Any property is allowed and none is declared, so there is no field to show.
  if (properties.length === 0 && schema.additionalProperties !== false) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (required.some((name) => !properties.some(([known]) => known === name))) return undefined;
  return properties.map(([name, property]) => fieldOf(name, property, required.includes(name), depth));
}

function fieldOf(name: string, schema: unknown, required: boolean, depth: number): ArgField {
  const json = {
    name,
    description: undefined,
    required,
    nullable: false,
    initial: undefined,
    kind: "json",
  } as const;
  if (!isObject(schema)) return json;
  const { types, nullable } = typesOf(schema);
  const common: Common = {
    name,
    description: textOf(schema.description) ?? textOf(schema.title),
    required,
    nullable,
    initial: schema.default,
  };
  const field = combines(schema) ? undefined : shaped(common, schema, types, depth);
  return field ?? { ...common, kind: "json" };
}

function shaped(
  common: Common,
  schema: Schema,
  types: readonly string[],
  depth: number,
): ArgField | undefined {
  const simple = simpleField(common, schema, types);
  if (simple) return simple;
  if (types.length !== 1) return undefined;
  if (types[0] === "array" && isObject(schema.items) && !("prefixItems" in schema)) {
    if (combines(schema.items)) return undefined;
    const item = simpleField(
      { name: common.name, description: undefined, required: true, nullable: false, initial: undefined },
      schema.items,
      typesOf(schema.items).types,
    );
    return item && { ...common, kind: "list", item };
  }
  if (types[0] === "object" && depth < GROUPS_DEEP_MAX) {
    const fields = groupFields(schema, depth + 1);
    return fields && { ...common, kind: "group", fields };
  }
  return undefined;
}

function simpleField(common: Common, schema: Schema, types: readonly string[]): SimpleField | undefined {
  if ("const" in schema) return { ...common, kind: "choice", choices: [schema.const] };
  if (Array.isArray(schema.enum)) {
    const choices = schema.enum.filter((choice) => choice !== null);
    return choices.some((choice) => typeof choice === "object")
      ? undefined
      : { ...common, kind: "choice", choices };
  }
  if (types.length !== 1) return undefined;
  switch (types[0]) {
    case "string": {
      const long = typeof schema.maxLength === "number" && schema.maxLength > LONG_TEXT_CHARACTERS;
      return { ...common, kind: "text", long, file: schema["x-file"] === true };
    }
    case "integer":
    case "number":
      return {
        ...common,
        kind: "number",
        whole: types[0] === "integer",
        min: numberOf(schema.minimum),
        max: numberOf(schema.maximum),
      };
    case "boolean":
      return { ...common, kind: "boolean" };
    default:
      return undefined;
  }
}

function typesOf(schema: Schema): { types: readonly string[]; nullable: boolean } {
  const all = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type ?? "")];
  return { types: all.filter((type) => type !== "null"), nullable: all.includes("null") };
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);

/** Whether an argument names workspace files, which the run then receives. */
export function takesFiles(argsSchema: string): boolean {
  const schema = parsedJson(argsSchema);
  if (!isObject(schema) || !isObject(schema.properties)) return false;
  return Object.values(schema.properties).some(
    (property) => isObject(property) && property["x-file"] === true,
  );
}

/** Returns the input values for these arguments, with defaults for missing ones. */
export function draftsOf(
  fields: readonly ArgField[],
  args: Readonly<Record<string, unknown>> = {},
): Record<string, Draft> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      draftOf(field, field.name in args ? args[field.name] : field.initial),
    ]),
  );
}

function draftOf(field: ArgField, value: unknown): Draft {
  if (field.kind === "group") return draftsOf(field.fields, isObject(value) ? value : {});
  if (field.kind === "list") {
    const items = Array.isArray(value) ? (value as unknown[]) : [];
    return items.map((item) => simpleDraft(field.item, item));
  }
  if (field.kind === "json") return value === undefined ? "" : JSON.stringify(value, null, 2);
  return simpleDraft(field, value);
}

function simpleDraft(field: SimpleField, value: unknown): string {
  if (value === undefined || value === null)
    return field.kind === "choice" && field.required && field.choices.length === 1 ? "0" : "";
  if (field.kind === "choice") {
    const at = field.choices.indexOf(value);
    return at < 0 ? "" : String(at);
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface Collected {
  readonly args: Record<string, unknown>;
  /** By path, such as `options.depth`. Nothing is sent while there are problems. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Returns the arguments of the inputs. Empty optional inputs are left out. */
export function collect(fields: readonly ArgField[], drafts: Readonly<Record<string, Draft>>): Collected {
  const problems = new Map<string, string>();
  return { args: collectGroup(fields, drafts, "", problems), problems };
}

function collectGroup(
  fields: readonly ArgField[],
  drafts: Readonly<Record<string, Draft>>,
  prefix: string,
  problems: Map<string, string>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const field of fields) {
    const value = valueOf(field, drafts[field.name] ?? "", `${prefix}${field.name}`, problems);
    // Assignment to `__proto__` would set the prototype instead.
    if (value !== undefined) Object.defineProperty(args, field.name, { value, ...PLAIN });
  }
  return args;
}

const PLAIN = { enumerable: true, configurable: true, writable: true } as const;

function valueOf(field: ArgField, draft: Draft, path: string, problems: Map<string, string>): unknown {
  if (field.kind === "group") {
    const value = collectGroup(field.fields, draft as Record<string, Draft>, `${path}.`, problems);
    return field.required || Object.keys(value).length > 0 ? value : undefined;
  }
  if (field.kind === "list") {
    const items = Array.isArray(draft) ? (draft as readonly string[]) : [];
    const value = items.map((item, index) => simpleValue(field.item, item, `${path}.${index}`, problems));
    return field.required || value.length > 0 ? value : undefined;
  }
  const text = typeof draft === "string" ? draft : "";
  if (field.kind !== "json") return simpleValue(field, text, path, problems);
  if (text.trim() === "") return missing(field, path, problems);
  const value = parsedJson(text);
  if (value === undefined) problems.set(path, "Not valid JSON.");
  return value;
}

function simpleValue(field: SimpleField, text: string, path: string, problems: Map<string, string>): unknown {
  if (field.kind === "text" && text === "") return emptyText(field);
  if (text.trim() === "") return missing(field, path, problems);
  switch (field.kind) {
    case "text":
      return text;
    case "choice":
      return field.choices[Number(text)];
    case "boolean":
      return text === "true";
    case "number": {
      const value = Number(text);
      if (!Number.isFinite(value)) problems.set(path, "Not a number.");
      else if (field.whole && !Number.isInteger(value)) problems.set(path, "Must be a whole number.");
      return value;
    }
  }
}

/** An empty required text is sent as an empty string. */
function emptyText(field: SimpleField): unknown {
  if (!field.required) return undefined;
  return field.nullable ? null : "";
}

function missing(field: ArgField, path: string, problems: Map<string, string>): unknown {
  if (!field.required) return undefined;
  if (field.nullable) return null;
  problems.set(path, "Required.");
  return undefined;
}

/** Parses JSON arguments, or returns the problem. */
export function parseArgs(text: string): { args: Record<string, unknown> } | { problem: string } {
  try {
    const value = JSON.parse(text.trim() === "" ? "{}" : text) as unknown;
    return isObject(value) ? { args: { ...value } } : { problem: "Enter one JSON object: { … }." };
  } catch (error) {
    return { problem: `Not valid JSON: ${(error as Error).message}` };
  }
}
