// A search of the files of a space, its answer, and their limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, judgedText, nullable, Flag } from "../../kit/schema.ts";

export const QUERY_CHARACTERS_MAX = 1_000;
export const GLOB_CHARACTERS_MAX = 1_000;
/** Words and phrases of a query. */
export const TERMS_MAX = 32;
export const RESULTS_DEFAULT = 20;
export const RESULTS_MAX = 1_000;
export const LINES_DEFAULT = 3;
export const LINES_MAX = 20;
/** Of all files together: with a large `limit`, each file shows fewer. */
export const LINES_TOTAL_MAX = 2_000;

export const SearchParams = closed({
  q: judgedText({ minLength: 1, maxLength: QUERY_CHARACTERS_MAX }),
  regex: Flag,
  ignore_case: Flag,
  path: Type.Optional(judgedText({ maxLength: GLOB_CHARACTERS_MAX })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: RESULTS_MAX, default: RESULTS_DEFAULT, description: "files" }),
  ),
  lines: Type.Optional(
    Type.Integer({ minimum: 0, maximum: LINES_MAX, default: LINES_DEFAULT, description: "lines per file" }),
  ),
});

export const SearchLine = closed({
  line: Type.Integer({ minimum: 1 }),
  text: Type.String({ description: "the line, or the part of a long one around its first match" }),
  ranges: Type.Array(closed({ start: Type.Integer(), end: Type.Integer() }), {
    description: "the matches within `text`, in UTF-16 units",
  }),
});
export type SearchLine = Static<typeof SearchLine>;

export const SearchResult = closed({
  path: Type.String(),
  score: nullable(Type.Number({ description: "BM25, higher is better; null for a regular expression" })),
  lines: Type.Array(SearchLine, { description: "the best matching lines, in their order" }),
  more_lines: Type.Boolean({ description: "more lines of this file match" }),
});
export type SearchResult = Static<typeof SearchResult>;

export const SearchAnswer = closed({
  /** Words: best first. Regular expressions: by path. */
  results: Type.Array(SearchResult),
  more: Type.Boolean({ description: "more files match; raise `limit`, or narrow the search" }),
});
export type SearchAnswer = Static<typeof SearchAnswer>;

/** As every surface asks. */
export interface SearchQuery {
  /** Words, "phrases" and prefixes (`word*`), all of which a file must contain; or a regular expression. */
  readonly text: string;
  readonly regex?: boolean | undefined;
  /** Of a regular expression; words match in any case. */
  readonly ignoreCase?: boolean | undefined;
  /** A path, or a pattern with `*` and `**`; includes everything below it. */
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  /** The most lines to show of each file. */
  readonly lines?: number | undefined;
}
