// How fresh the documents of a space are, for every surface.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";

/** The rest is left out: what is important is little. */
export const IMPORTANT_MAX = 500;

/** `unknown`: a problem hides the answer. */
const freshnessStates = ["stale", "unknown", "fresh"] as const;
const importances = ["high", "normal", "low"] as const;
const fieldNames = ["last-validated", "stale-after", "owner", "importance"] as const;
export type FieldName = (typeof fieldNames)[number];

/** Of the whole front matter, then of the value of a field. */
const problemCodes = [
  "no_end",
  "too_complex",
  "not_yaml",
  "doubled_key",
  "no_fields",
  "bad_value",
  "in_future",
] as const;

export const FreshnessProblem = closed({
  field: nullable(oneOf(fieldNames)),
  code: oneOf(problemCodes),
  value: nullable(Type.String({ description: "as written; null for a problem of the whole front matter" })),
});
export type FreshnessProblem = Static<typeof FreshnessProblem>;

export const Freshness = closed({
  path: Type.String(),
  state: oneOf(freshnessStates),
  stale_after: nullable(Type.String({ description: "as declared: `30d`, `12w`, `6m`, `1y`; null: never" })),
  last_validated: nullable(Type.String({ description: "the date, as declared" })),
  written: Type.String({ description: "RFC 3339, UTC; of this version; counts without last_validated" }),
  due: nullable(Type.String({ description: "RFC 3339, UTC; stale from then on" })),
  owner: nullable(Type.String()),
  importance: nullable(oneOf(importances)),
  problems: Type.Array(FreshnessProblem),
});
export type Freshness = Static<typeof Freshness>;

export const FreshnessAnswer = closed({
  /** The time that the documents were compared with. */
  now: Time,
  /** A text for an AI tool begins with these. */
  important: Type.Array(Type.String(), {
    description: `documents with \`importance: high\`, stale or not, sorted by path; at most ${IMPORTANT_MAX}`,
  }),
  documents: Type.Unsafe<readonly Freshness[]>(Type.Array(Freshness)),
});
export type FreshnessAnswer = Static<typeof FreshnessAnswer>;
