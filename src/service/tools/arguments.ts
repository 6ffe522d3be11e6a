// From the JSON that a model wrote to checked arguments. What is wrong comes back as a sentence the model can act on.

import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import type { TObject } from "@sinclair/typebox";
import { isTooDeep, JSON_DEPTH_MAX } from "../../kit/json-depth.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

export const TOO_DEEP = `The arguments are nested more than ${JSON_DEPTH_MAX} deep. Nothing was done; call the tool with flatter ones.`;

const PROBLEMS_SHOWN_MAX = 5;

/** A field that is `null` counts as absent where it may be absent: models write null for "nothing", never to wipe. */
export function parseArguments(parameters: TObject, json: string): ParsedArguments {
  if (isTooDeep(json)) return { ok: false, problem: TOO_DEEP };
  const parsed = parseObject(json);
  if (!parsed)
    return {
      ok: false,
      problem: "The arguments are not a JSON object. Call the tool again with a valid JSON object.",
    };
  const value = withoutNulls(parsed, parameters);
  const problems = firstOfEachField(Value.Errors(parameters, value));
  if (problems.length === 0) return { ok: true, value };
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX).map((problem) => sentence(problem, parameters));
  return {
    ok: false,
    problem: `The arguments are not right: ${shown.join("; ")}. Nothing was done; correct them and call again.`,
  };
}

function firstOfEachField(problems: Iterable<ValueError>): ValueError[] {
  const fields = new Map<string, ValueError>();
  for (const problem of problems) if (!fields.has(problem.path)) fields.set(problem.path, problem);
  return [...fields.values()];
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = json.trim() === "" ? {} : JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function withoutNulls(value: Record<string, unknown>, parameters: TObject): Record<string, unknown> {
  const required = new Set(parameters.required ?? []);
  return Object.fromEntries(
    Object.entries(value).filter(([key, field]) => field !== null || required.has(key)),
  );
}

function sentence(problem: ValueError, parameters: TObject): string {
  const field = problem.path.split("/").filter(Boolean).join(".") || "arguments";
  if (problem.type === ValueErrorType.ObjectAdditionalProperties) {
    return `${field} is not a field of this tool (it has: ${Object.keys(parameters.properties).join(", ") || "none"})`;
  }
  if (problem.type === ValueErrorType.ObjectRequiredProperty) return `${field} is missing`;
  const choices = (problem.schema["anyOf"] ?? ("const" in problem.schema ? [problem.schema] : undefined)) as
    { const?: unknown }[] | undefined;
  const options = choices?.map((option) => option.const);
  if (options) return `${field} must be one of: ${options.join(", ")}`;
  return `${field}: ${problem.message.toLowerCase()}`;
}
