// The arguments of the MCP server's tools, and the limits of their answers.

import { Type, type Static } from "@sinclair/typebox";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import { closed, nullable } from "../../kit/schema.ts";
import {
  GLOB_CHARACTERS_MAX,
  LINES_DEFAULT,
  LINES_MAX,
  QUERY_CHARACTERS_MAX,
  RESULTS_DEFAULT,
} from "../search/schema.ts";

/** A model reads about a quarter as many tokens. */
export const READ_CHARACTERS_DEFAULT = 30_000;
const READ_CHARACTERS_MAX = 100_000;
/** Of an answer with many parts, whatever their number. */
export const ANSWER_CHARACTERS_MAX = 100_000;
export const LISTED_DEFAULT = 200;
const LISTED_MAX = 1_000;
/** Documents of a search, each with some lines. */
const FOUND_MAX = 200;
export const MAPPED_DEFAULT = 50;
/** Links in each direction. */
export const NEIGHBOURS_MAX = 200;
const PUT_CHARACTERS_MAX = 1024 * 1024;
/** One message of the protocol: a full `put` whose every character is escaped. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;

const Path = Type.String({
  minLength: 1,
  maxLength: PATH_BYTES_MAX,
  description: "path of the document in the space",
});
const Version = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const StatusInput = closed({});

export const ListInput = closed({
  prefix: Type.Optional(
    Type.String({ maxLength: PATH_BYTES_MAX, description: "only documents below this directory" }),
  ),
  offset: Type.Optional(
    Type.Integer({ ...Offset, description: "number of documents to skip, to continue a list (default: 0)" }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LISTED_MAX,
      description: `the most documents to list (default: ${LISTED_DEFAULT})`,
    }),
  ),
});

export const ReadInput = closed({
  path: Path,
  version: Type.Optional(
    Type.Integer({ ...Version, description: "an earlier version (default: the document as it is now)" }),
  ),
  line: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "the line to begin with, from 1",
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      ...Offset,
      description: "number of characters to skip, to continue a read; not together with line",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: READ_CHARACTERS_MAX,
      description: `the most characters to return (default: ${READ_CHARACTERS_DEFAULT})`,
    }),
  ),
});
export type ReadInput = Static<typeof ReadInput>;

export const SearchInput = closed({
  query: Type.String({ minLength: 1, maxLength: QUERY_CHARACTERS_MAX, description: "what to search for" }),
  regex: Type.Optional(Type.Boolean({ description: "the query is a regular expression (RE2)" })),
  ignore_case: Type.Optional(
    Type.Boolean({ description: "match a regular expression in any case; words always do" }),
  ),
  path: Type.Optional(
    Type.String({
      maxLength: GLOB_CHARACTERS_MAX,
      description: "only below this path, or matching * (one segment) and ** (any depth)",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: FOUND_MAX,
      description: `the most documents to show (default: ${RESULTS_DEFAULT})`,
    }),
  ),
  lines: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LINES_MAX,
      description: `the most lines to show of each document (default: ${LINES_DEFAULT})`,
    }),
  ),
});

export const NeighboursInput = closed({ path: Path });

export const MapInput = closed({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LISTED_MAX,
      description: `the most documents to show (default: ${MAPPED_DEFAULT})`,
    }),
  ),
});

export const PutInput = closed({
  path: Path,
  content: Type.String({ maxLength: PUT_CHARACTERS_MAX, description: "the whole new content" }),
  expected_version: nullable(
    Type.Integer({
      ...Version,
      description:
        "the version that the new content is based on, as read returned it; null: the document is new",
    }),
  ),
});
