// The data of a space's link graph, for every surface.

import { Type, type Static } from "@sinclair/typebox";
import { closed, judgedText, nullable, oneOf } from "../../kit/schema.ts";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import { Head } from "../versioned-store/schema.ts";

const graphParts = ["links", "broken", "orphans", "ranks", "core"] as const;

/** A picture with more can no longer be read. */
export const CORE_DOCUMENTS_MAX = 200;
export const CORE_EDGES_MAX = 1_000;

export const GraphQuery = closed({
  path: Type.Optional(judgedText({ maxLength: PATH_BYTES_MAX })),
  only: Type.Optional(oneOf(graphParts)),
  /** Of a list. */
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
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

export const CoreDocument = closed({
  path: Type.String(),
  linked: Type.Integer({ description: "links to it from other files" }),
  links: Type.Integer({ description: "links in it to other files of the space" }),
  broken: Type.Integer({ description: "links in it without a file" }),
});
export type CoreDocument = Static<typeof CoreDocument>;

export const GraphCore = closed({
  documents: Type.Array(CoreDocument, { description: "the most linked first, ties by path" }),
  edges: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: `pairs of documents that are linked, in either direction, as places in \`documents\`; at most ${CORE_EDGES_MAX}`,
  }),
  left_out: Type.Integer({ description: "documents of the space that are not among them" }),
});
export type GraphCore = Static<typeof GraphCore>;

/** One of the lists, the core, or the totals; which one depends on the query. */
export const GraphAnswer = closed({
  head: Head,
  /** The document that was asked for: `links` are those in it and those to it. */
  path: Type.Optional(Type.String()),
  totals: Type.Optional(GraphTotals),
  links: Type.Optional(Type.Array(GraphLink)),
  orphans: Type.Optional(Type.Array(Type.String())),
  ranks: Type.Optional(Type.Array(RankedDocument)),
  core: Type.Optional(GraphCore),
});
export type GraphAnswer = Static<typeof GraphAnswer>;
