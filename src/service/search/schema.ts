// A search over everything that the caller may see, its answer, and their limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { entryKinds } from "../conversation/schema.ts";

/** In the order of their numbers in the index. */
export const searchKinds = ["entry", "file", "instruction", "gear", "agent", "workspace"] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Of a longer query, the start is searched for. */
export const QUERY_CHARACTERS_READ = 256;
export const WORDS_READ = 8;
export const RESULTS_PER_KIND_DEFAULT = 8;
const RESULTS_PER_KIND_MAX = 50;
/** A text is indexed in pieces, each of which takes about a millisecond. The rest of a longer text is not found. */
export const PIECES_MAX = 64;
export const PIECE_CHARACTERS = 16_384;
/** Of a larger file, only the name is found. */
export const FILE_TEXT_BYTES_MAX = 256 * 1024;
/** Of a workspace with more files, the rest is not found. */
export const FILES_PER_WORKSPACE_MAX = 10_000;

export const SearchParams = closed({
  q: Type.String(),
  kind: Type.Optional(oneOf(searchKinds)),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: RESULTS_PER_KIND_MAX,
      default: RESULTS_PER_KIND_DEFAULT,
      description: "results of each kind",
    }),
  ),
});
export type SearchParams = Static<typeof SearchParams>;

export const SearchRange = closed({ start: Type.Integer(), end: Type.Integer() });
export type SearchRange = Static<typeof SearchRange>;

export const MarkedText = closed({
  text: Type.String(),
  ranges: Type.Array(SearchRange, { description: "the matches within `text`, in UTF-16 units" }),
});
export type MarkedText = Static<typeof MarkedText>;

export const FoundEntry = closed({
  kind: oneOf(entryKinds),
  turn_id: Id,
  agent_id: Id,
  agent: Type.String(),
  /** Its person, for a message; null for what an agent said. */
  user: nullable(Type.String()),
  tool: nullable(Type.String()),
  /** No longer replayed to the model. */
  forgotten: Type.Boolean(),
  /** On another branch of the conversation. */
  aside: Type.Boolean(),
});
export type FoundEntry = Static<typeof FoundEntry>;

export const SearchResult = closed({
  kind: oneOf(searchKinds),
  /** Of the entry, gear, …; null for a file. */
  id: nullable(Id),
  workspace_id: nullable(Id),
  /** The name of the workspace. */
  workspace: nullable(Type.String()),
  /** A name; for an entry, the agent or person who said it; for a file, its path. */
  title: MarkedText,
  /** The part of the text around its matches; null if only the name matches and there is no text. */
  snippet: nullable(MarkedText),
  entry: nullable(FoundEntry),
  /** When it was said or changed; null where that is not recorded. */
  time: nullable(Time),
});
export type SearchResult = Static<typeof SearchResult>;

export const SearchGroup = closed({
  kind: oneOf(searchKinds),
  results: Type.Array(SearchResult, { description: "best first" }),
  /** There are more results of this kind. */
  more: Type.Boolean(),
});
export type SearchGroup = Static<typeof SearchGroup>;

export const SearchAnswer = closed({
  groups: Type.Array(SearchGroup, { description: "the group with the best result first" }),
  /** Texts that are not indexed yet, and so are not found; 0 when the index is complete. */
  indexing: Type.Integer({ minimum: 0 }),
});
export type SearchAnswer = Static<typeof SearchAnswer>;
