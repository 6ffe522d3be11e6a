// What the link graph of a space tells, for every surface.

import { Type, type Static } from "@sinclair/typebox";
import { closed, judgedText, nullable, oneOf } from "../../kit/schema.ts";
import { PATH_BYTES_MAX } from "../../kit/paths.ts";
import { Head } from "../versioned-store/schema.ts";

const graphParts = ["links", "broken", "orphans", "ranks"] as const;

export const GraphQuery = closed({
  path: Type.Optional(judgedText({ maxLength: PATH_BYTES_MAX })),
  only: Type.Optional(oneOf(graphParts)),
});
export type GraphQuery = Static<typeof GraphQuery>;

export const GraphTotals = closed({
  documents: Type.Integer(),
  links: Type.Integer({ description: "links to files of the space, and broken ones" }),
  broken: Type.Integer({ description: "links without a file" }),
  orphans: Type.Integer({ description: "documents that no other document links to" }),
});
export type GraphTotals = Static<typeof GraphTotals>;

export const GraphLink = closed({
  from: Type.String(),
  line: Type.Integer({ minimum: 1 }),
  kind: oneOf(["wiki", "markdown", "path"] as const),
  target: Type.String({ description: "as written, without alias and anchor" }),
  to: nullable(Type.String({ description: "the file that it means; null: broken" })),
});
export type GraphLink = Static<typeof GraphLink>;

export const RankedDocument = closed({
  path: Type.String(),
  rank: Type.Number({ description: "PageRank; the ranks of a space add up to 1" }),
});
export type RankedDocument = Static<typeof RankedDocument>;

/** One of the lists, or the totals; which one depends on the query. */
export const GraphAnswer = closed({
  head: Head,
  /** The document that was asked for: `links` are those in it and those to it. */
  path: Type.Optional(Type.String()),
  totals: Type.Optional(GraphTotals),
  links: Type.Optional(Type.Array(GraphLink)),
  orphans: Type.Optional(Type.Array(Type.String())),
  ranks: Type.Optional(Type.Array(RankedDocument)),
});
export type GraphAnswer = Static<typeof GraphAnswer>;
