// Parses and validates the JSON arguments that a model wrote. Problems are sentences that the model can act on.

import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import type { Static, TObject } from "@sinclair/typebox";
import {
  excessIn,
  JSON_DEPTH_MAX,
  JSON_KEYS_MAX,
  JSON_NAMES_MAX,
  JSON_TEXTS_MAX,
  JSON_VALUES_MAX,
} from "../../kit/text/json-shape.ts";
import { sentenceOf } from "../../kit/schema-problem.ts";
import { parsedObject, type Fields } from "../../kit/text/parsed-json.ts";

type Invalid = { readonly ok: false; readonly problem: string };

export type Parsed<Input> = { readonly ok: true; readonly value: Input } | Invalid;

const EXCESSIVE = {
  depth: `are nested more than ${JSON_DEPTH_MAX} levels deep. Nothing was done; call the tool with flatter ones.`,
  keys: `have more than ${JSON_KEYS_MAX} keys. Nothing was done; call the tool with fewer.`,
  names: `have more than ${JSON_NAMES_MAX} different keys. Nothing was done; call the tool with fewer.`,
  texts: `have more than ${JSON_TEXTS_MAX} texts. Nothing was done; call the tool with fewer.`,
  values: `have more than ${JSON_VALUES_MAX} values. Nothing was done; call the tool with fewer.`,
} as const;

const PROBLEMS_SHOWN_MAX = 5;
const ARGUMENTS = { whole: "arguments" } as const;

/** Treats `null` in an optional field as absent, because models write null for "nothing", never to clear a value. */
export function parseArguments<S extends TObject>(parameters: S, json: string): Parsed<Static<S>> {
  const parsed = parseObject(json);
  if (!parsed.ok) return parsed;
  const value: unknown = withoutNulls(parsed.value, parameters);
  if (Value.Check(parameters, value)) return { ok: true, value };
  const problems = firstOfEachField(Value.Errors(parameters, value));
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX).map((found) => sentenceOf(found, ARGUMENTS));
  const isUnknown = problems.some(({ type }) => type === ValueErrorType.ObjectAdditionalProperties);
  const fields = Object.keys(parameters.properties).join(", ") || "none";
  const hint = isUnknown ? ` The tool's fields: ${fields}.` : "";
  return notValid(`${shown.join("; ")}.${hint}`);
}

/** `what` is one or more full sentences; the first follows a colon. */
export function notValid(what: string): Invalid {
  return {
    ok: false,
    problem: `The arguments are not valid: ${what} Nothing was done; correct them and call again.`,
  };
}

function firstOfEachField(problems: Iterable<ValueError>): ValueError[] {
  const fields = new Map<string, ValueError>();
  for (const problem of problems) if (!fields.has(problem.path)) fields.set(problem.path, problem);
  return [...fields.values()];
}

/** Parses the arguments of any tool; an empty text is an empty object. */
export function parseObject(json: string): Parsed<Record<string, unknown>> {
  const excess = excessIn(json);
  if (excess !== undefined) return { ok: false, problem: `The arguments ${EXCESSIVE[excess]}` };
  const value = objectIn(json);
  if (value) return { ok: true, value };
  return {
    ok: false,
    problem: "The arguments are not a JSON object. Call the tool again with a valid JSON object.",
  };
}

/** Undefined when the text is neither empty nor a JSON object. */
export function objectIn(json: string): Fields | undefined {
  return json.trim() === "" ? {} : parsedObject(json);
}

function withoutNulls(value: Record<string, unknown>, parameters: TObject): Record<string, unknown> {
  const required = new Set(parameters.required ?? []);
  return Object.fromEntries(
    Object.entries(value).filter(([key, field]) => field !== null || required.has(key)),
  );
}
