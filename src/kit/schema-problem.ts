// Describes the first problem of a value that does not match its schema: `name: expected a string`. Requests, files and tool arguments all use
// this wording.

import type { TSchema } from "@sinclair/typebox";
import { ValueErrorType, type ValueError } from "@sinclair/typebox/errors";
import { Value } from "@sinclair/typebox/value";
import { NAME_CHARACTERS_SHOWN_MAX } from "./error.ts";
import { EXPECTED } from "./schema.ts";

interface SchemaProblem {
  /** Dotted; empty for the whole value. */
  readonly field: string;
  readonly problem: string;
}

/** The caller's names for the parts of the value. */
interface Naming {
  /** The name of the value itself. */
  readonly whole: string;
  /** The parent fields, for a value inside another. */
  readonly place?: readonly string[];
  /** The format's term for a field. */
  readonly member?: "field" | "key";
}

/** `name: expected a string`. */
export function sentenceOf(found: ValueError, naming: Naming): string {
  const { field, problem } = problemOf(found, naming);
  return `${field === "" ? naming.whole : field}: ${problem}`;
}

/** Returns the message about the first problem of a value; undefined if it is valid. */
export function firstProblem(schema: TSchema, value: unknown, naming: Naming): string | undefined {
  const found = Value.Errors(schema, value).First();
  return found && sentenceOf(found, naming);
}

export function problemOf(
  found: ValueError,
  { place = [], member = "field" }: Pick<Naming, "place" | "member"> = {},
): SchemaProblem {
  const problem = innermost(found);
  const field = [...place, ...pointerParts(problem.path).filter(Boolean)].join(".");
  const shown = field.slice(0, NAME_CHARACTERS_SHOWN_MAX);
  if (problem.type === ValueErrorType.ObjectAdditionalProperties)
    return { field: shown, problem: unexpected(problem.schema, shown, member) };
  return { field: shown, problem: expectation(problem) };
}

/** Splits a JSON Pointer (RFC 6901). */
export function pointerParts(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** For "T or null", reports the problem with T, which is more useful than "neither of the two". */
function innermost(problem: ValueError): ValueError {
  const variants = (problem.schema["anyOf"] as TSchema[] | undefined) ?? [];
  const meant = variants.findIndex((variant) => variant["type"] !== "null");
  if (
    variants.length !== 2 ||
    !variants.some((variant) => variant["type"] === "null") ||
    problem.value === undefined
  )
    return problem;
  const inner = problem.errors[meant]?.First();
  return inner ? innermost(inner) : problem;
}

/** `x-immutable` of a schema: fields of the record that requests cannot change. The error for such a field lists the fields that can. */
function unexpected(schema: TSchema, field: string, member: string): string {
  const immutable = (schema["x-immutable"] as string[] | undefined) ?? [];
  if (!immutable.includes(field)) return `unknown ${member}`;
  const changeable = Object.keys(schema["properties"] as object).join(", ");
  return `cannot be changed; this request can change: ${changeable}`;
}

function expectation({ type, schema }: ValueError): string {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return "missing";
    case ValueErrorType.StringMinLength:
      return schema["minLength"] === 1 ? "must not be empty" : `at least ${schema["minLength"]} characters`;
    case ValueErrorType.StringMaxLength:
      return `at most ${schema["maxLength"]} characters`;
    case ValueErrorType.ArrayMinItems:
      return schema["minItems"] === 1 ? "must not be empty" : `at least ${schema["minItems"]} items`;
    case ValueErrorType.ArrayMaxItems:
      return `at most ${schema["maxItems"]} items`;
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return `at least ${schema["minimum"]}`;
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return `at most ${schema["maximum"]}`;
    case ValueErrorType.StringPattern:
      return `expected a string that matches ${schema["pattern"]}`;
    default:
      return `expected ${nameOf(schema)}`;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function nameOf(schema: TSchema): string {
  if (typeof schema[EXPECTED] === "string") return schema[EXPECTED];
  const variants = schema["anyOf"] as TSchema[] | undefined;
  if (variants?.every((variant) => variant["const"] !== undefined))
    return `one of: ${variants.map((variant) => String(variant["const"])).join(", ")}`;
  if (variants) return variants.map(nameOf).join(" or ");
  if (schema["const"] !== undefined) return String(schema["const"]);
  if (typeof schema["format"] === "string") return schema["format"];
  return NAMES[schema["type"] as string] ?? "another value";
}
