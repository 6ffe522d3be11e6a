// Building blocks of request and answer schemas. Objects are closed: an unknown field is refused on input and a defect on output.

import { Type, type Static, type TProperties, type TSchema } from "@sinclair/typebox";
import { NAME_CHARACTERS_MAX } from "./text/names.ts";

export function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** One of these words. The type of a union cannot be inferred from a list, so it is stated. */
export function oneOf<const V extends readonly string[]>(values: V) {
  return Type.Unsafe<V[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}

/** Schema keyword: the name of the expected value in errors, where listing the variants would confuse. */
export const EXPECTED = "x-expected";

/** Schema keyword: limits that the rules enforce after the schema, or that the program keeps by itself. */
export const JUDGED = "x-judged";

/**
 * A text whose limits the rules check, in code points without surrounding space, or with their own errors. The API description states these
 * limits like any other.
 */
export function judgedText(
  limits: { minLength?: number; maxLength?: number; pattern?: string },
  about: { description?: string } = {},
) {
  return Type.String({ [JUDGED]: limits, ...about });
}

/** A number whose limits the rules check, with their own errors. */
export function judgedNumber(
  limits: { minimum: number; maximum: number },
  { whole, ...about }: { whole: boolean; description: string },
) {
  return (whole ? Type.Integer : Type.Number)({ [JUDGED]: limits, ...about });
}

/** The name of a user, team, workspace, …, for `parseName`. */
export const GivenName = judgedText({ minLength: 1, maxLength: NAME_CHARACTERS_MAX });

/** Ids and versions are positive integers that JSON numbers hold exactly. */
export const ID_LIMITS = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
export const Id = Type.Integer(ID_LIMITS);
/** RFC 3339, UTC. The description names the format; the validator knows none. */
export const Time = Type.String({ description: "RFC 3339, UTC", [JUDGED]: { format: "date-time" } });
export const Empty = Type.Void();

export const IdParams = closed({ id: Id });

/** A query parameter that is on or off. */
export const Flag = Type.Optional(oneOf(["0", "1", "false", "true"]));

export function isOn(flag: Static<typeof Flag> | undefined): boolean {
  return flag === "1" || flag === "true";
}

export const LIST_DEFAULT = 100;
export const LIST_MAX = 500;

/** Growing lists are paged from the newest: newest page first, each page in ascending order. */
export const PageQuery = closed({
  before: Type.Optional(Id),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_MAX, default: LIST_DEFAULT })),
});
export type PageQuery = Static<typeof PageQuery>;
