// Files of a workspace as the API shows them, and their limits.

import { Type, type Static } from "@sinclair/typebox";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import { closed, judgedText, nullable, oneOf, Time } from "../../kit/schema.ts";

/** A larger file is read-only, and only this much of it is shown. Not configurable. */
export const FILE_BYTES_MAX = 2 * 1024 * 1024;
/** Limit of one file_read. */
export const READ_PART_BYTES_MAX = 64 * 1024;
/** Limit of one file_list. */
export const TOOL_LIST_ENTRIES_MAX = 500;

/** A save's temporary file lies next to its target and is named after it, so that the next save replaces a leftover. */
export const TEMPORARY_PREFIX = ".cairn-save-";

/** Reports whether a name is reserved for temporary files, on any disk. */
export function isTemporary(name: string): boolean {
  return name.toLowerCase().startsWith(TEMPORARY_PREFIX);
}

const fileKinds = ["directory", "file", "other"] as const;

export const FileEntry = closed({
  name: Type.String(),
  path: Type.String({ description: "relative to the workspace's directory" }),
  kind: oneOf(fileKinds),
  size: nullable(Type.Integer({ description: "bytes; null unless it is a file" })),
  modified_at: Time,
});
export type FileEntry = Static<typeof FileEntry>;

export const FileContent = closed({
  path: Type.String(),
  content: Type.String(),
  version: Type.String({
    description: "hash of the content; for a read-only file, of its head, size and modification time",
  }),
  size: Type.Integer({ description: "bytes of the whole file" }),
  read_only: Type.Boolean({ description: "larger than 2 MiB: `content` is only its head" }),
});
export type FileContent = Static<typeof FileContent>;

export const SavedFile = closed({
  path: Type.String(),
  version: Type.String(),
  size: Type.Integer(),
  read_only: Type.Literal(false),
});
export type SavedFile = Static<typeof SavedFile>;

export const DirectoryQuery = closed({ path: Type.Optional(judgedText({ maxLength: PATH_BYTES_MAX })) });
export const FileQuery = closed({ path: judgedText({ minLength: 1, maxLength: PATH_BYTES_MAX }) });

export const FIND_CHARACTERS_MAX = 200;
export const FIND_FILES_DEFAULT = 50;
const FIND_FILES_MAX = 200;
/** Of each file. */
export const FIND_LINES_MAX = 5;

export const FindQuery = closed({
  q: judgedText({ minLength: 1, maxLength: FIND_CHARACTERS_MAX }),
  case: Type.Optional(oneOf(["1", "0"])),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: FIND_FILES_MAX, default: FIND_FILES_DEFAULT, description: "files" }),
  ),
});
export type FindQuery = Static<typeof FindQuery>;

export const FoundLine = closed({
  line: Type.Integer({ minimum: 1 }),
  text: Type.String({ description: "the line, or the part of a long one around its first match" }),
  ranges: Type.Array(closed({ start: Type.Integer(), end: Type.Integer() }), {
    description: "the matches within `text`, in UTF-16 units",
  }),
});
export type FoundLine = Static<typeof FoundLine>;

export const FoundFile = closed({
  path: Type.String(),
  lines: Type.Array(FoundLine),
  /** More lines of this file match. */
  more_lines: Type.Boolean(),
});
export type FoundFile = Static<typeof FoundFile>;

export const FoundInFiles = closed({
  results: Type.Array(FoundFile),
  /** The limit that ended the work before every file was read; null: all were. */
  ended_by: nullable(oneOf(["results", "files", "bytes", "time"])),
});
export type FoundInFiles = Static<typeof FoundInFiles>;
