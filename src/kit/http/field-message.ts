// A sentence that names the field of a value that does not fit its schema, and says what is expected: `name: expected string`.

import { ValueErrorType } from "@sinclair/typebox/errors";
import type { TSchema } from "elysia";

/** A field's name is the caller's own text when the field is unknown. */
const FIELD_CHARACTERS_SHOWN_MAX = 100;

export interface Problem {
  readonly type: ValueErrorType;
  readonly path: string;
  readonly message: string;
  readonly schema: TSchema;
  readonly value: unknown;
  /** For a union: what is wrong with each of its variants. */
  readonly errors?: readonly { First(): Problem | undefined }[];
}

/** `place`: the fields above, for a value that is a part; `whole`: what to call the value itself. */
export function fieldMessage(found: Problem, place: readonly string[], whole: string): string {
  const { field, problem } = fieldProblem(found, place);
  return `${field === "" ? whole : field}: ${problem}`;
}

/** `field` is empty when it is the whole value. */
export function fieldProblem(found: Problem, place: readonly string[]): { field: string; problem: string } {
  const problem = innermost(found);
  const field = [...place, ...problem.path.split("/").filter(Boolean).map(unescaped)].join(".");
  const shown = field.slice(0, FIELD_CHARACTERS_SHOWN_MAX);
  return { field: shown, problem: expectation(problem, shown) };
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

function expectation({ type, message, schema }: Problem, field: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return unexpected(schema, field);
  if (type === ValueErrorType.ObjectRequiredProperty) return "missing";
  const allowed = allowedValues(schema);
  if (allowed.length > 0) return `expected one of: ${allowed.join(", ")}`;
  if (type === ValueErrorType.StringMinLength)
    return schema["minLength"] === 1 ? "must not be empty" : `at least ${schema["minLength"]} characters`;
  if (type === ValueErrorType.StringMaxLength) return `at most ${schema["maxLength"]} characters`;
  if (typeof schema["format"] === "string") return `expected ${schema["format"]}`;
  return message.toLowerCase();
}

/** `x-immutable` of a schema: fields of the record that no request changes. A caller who sends one learns which fields can change. */
function unexpected(schema: TSchema, field: string): string {
  const immutable = (schema["x-immutable"] as string[] | undefined) ?? [];
  if (!immutable.includes(field)) return "unknown field";
  const changeable = Object.keys(schema["properties"] as object).join(", ");
  return `cannot be changed; this request can change: ${changeable}`;
}

function allowedValues(schema: TSchema): unknown[] {
  const variants = (schema["anyOf"] as { const?: unknown }[] | undefined) ?? [];
  return variants.map((variant) => variant.const).filter((value) => value !== undefined);
}
