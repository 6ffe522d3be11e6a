// Building blocks of request and answer schemas. Objects are closed: an unknown field is refused on input and a defect on output.

import { Type, type Static, type TProperties, type TSchema } from "@sinclair/typebox";
import { NAME_CHARACTERS_MAX } from "./names.ts";

export function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** One of these words. The union's own type can't be inferred from a list, so it is stated. */
export function oneOf<const V extends readonly string[]>(values: V) {
  return Type.Unsafe<V[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}

/** Keyword of what a problem calls the expected value, where the variants of the schema would only confuse. */
export const EXPECTED = "x-expected";

/** Keyword of limits that the rules enforce, after the schema. */
export const JUDGED = "x-judged";

/**
 * A text whose limits are for the rules to judge, in code points and without outer space, or with words of their own. The description of the API
 * states them like any other.
 */
export function judgedText(limits: { minLength?: number; maxLength?: number; pattern?: string }) {
  return Type.String({ [JUDGED]: limits });
}

/** Of a user, a team, a workspace, …: what `parseName` takes. */
export const GivenName = judgedText({ minLength: 1, maxLength: NAME_CHARACTERS_MAX });

/** Ids are positive integers that JSON numbers hold exactly. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** RFC 3339, UTC. */
export const Time = Type.String({ description: "RFC 3339, UTC" });
export const Empty = Type.Void();

export const IdParams = closed({ id: Id });

export const LIST_DEFAULT = 100;
export const LIST_MAX = 500;

/** Growing lists are read backwards: newest page first, each page in ascending order. */
export const PageQuery = closed({
  before: Type.Optional(Id),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_MAX })),
});
export type PageQuery = Static<typeof PageQuery>;
