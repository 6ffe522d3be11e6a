// The input of a form for a rule, in the shape that the API would accept: the same schema, with the problem at its field.

import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { fieldError } from "../../kit/error.ts";
import { problemOf } from "../../kit/schema-problem.ts";

/** Raises `invalid`. */
export function given<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const found = Value.Errors(schema, value).First();
  if (!found) return value as Static<S>;
  const { field, problem } = problemOf(found);
  throw fieldError("invalid", field, problem);
}
