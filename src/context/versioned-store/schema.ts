// The records of a space's files that every surface shows, and their limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";

/** The hard limit, whatever the quotas: a file is held in memory while it is written. */
export const FILE_BYTES_CEILING = 64 * 1024 * 1024;
/** The most operations in a batch. A batch is one transaction, which blocks everyone else for up to about 40 ms; send more files as several. */
export const BATCH_OPERATIONS_MAX = 1_000;
export const SNAPSHOT_NAME_CHARACTERS_MAX = 100;
export const MESSAGE_CHARACTERS_MAX = 200;

/** Path segments that are never documents, in any letter case: our own directories and the leftovers of tools. */
export const RESERVED_NAMES = [".cairn", ".sync", ".git", ".hg", ".svn", ".DS_Store"] as const;

/** `<epoch>.<seq>`. A different epoch means a different history. */
export const Head = Type.String({
  description: "`<epoch>.<seq>`",
  pattern: "^[0-9a-f]{12}\\.(0|[1-9][0-9]*)$",
});

/**
 * `live`: as recorded. `deleted`: has versions but none is live. States of the working tree: `modified` differs from the live version, `missing`
 * has no file, `untracked` has no version, `refused` cannot become one.
 */
const fileStates = ["live", "deleted", "modified", "missing", "untracked", "refused"] as const;
export type FileState = (typeof fileStates)[number];

/** The reasons why a file of the working tree cannot become a version. */
const refusalCodes = [
  "reserved_name",
  "bad_name",
  "bad_encoding",
  "symlink",
  "not_a_file",
  "clash",
  "too_large",
  "secret_found",
  "quota_exceeded",
  "forbidden",
  "unreadable",
] as const;
export type RefusalCode = (typeof refusalCodes)[number];
export const Refusal = closed({ code: oneOf(refusalCodes), reason: Type.String() });
export type Refusal = Static<typeof Refusal>;

export const Version = Type.Integer({ minimum: 1 });

export const FileRecord = closed({
  path: Type.String(),
  /** The live version, or the last one of a deleted file; null: untracked. */
  version: nullable(Version),
  size: Type.Integer({ description: "bytes" }),
  hash: Type.String({ description: "SHA-256, hex" }),
  updated_at: Time,
  author: Type.String(),
  state: oneOf(fileStates),
  /** Why the entry at this path in the working tree cannot be a document. */
  refused: Type.Optional(Refusal),
});
export type FileRecord = Static<typeof FileRecord>;

export const VersionRecord = closed({
  version: Version,
  created_at: Time,
  author: Type.String(),
  message: Type.Optional(Type.String({ description: "what the author said about it" })),
  size: Type.Integer(),
  hash: Type.String(),
  /** The file was deleted while this version was live, and the version has not been live since. */
  deleted: Type.Boolean(),
  /** The content was removed permanently on request. */
  destroyed: Type.Boolean(),
  /** The content was removed by retention. */
  pruned: Type.Boolean(),
});
export type VersionRecord = Static<typeof VersionRecord>;

export const FileHistory = closed({
  path: Type.String(),
  /** False: the file is in the working tree but has no version yet. */
  tracked: Type.Boolean(),
  current: nullable(Version),
  /** Newest first. */
  versions: Type.Array(VersionRecord),
});
export type FileHistory = Static<typeof FileHistory>;

const changeOps = ["write", "delete", "undelete", "destroy"] as const;
export type ChangeOp = (typeof changeOps)[number];

/** The net change of one path since a head: its current state. */
export const NetChange = closed({
  path: Type.String(),
  change: oneOf(["written", "deleted"] as const),
  version: nullable(Version),
  size: Type.Integer(),
  hash: Type.String(),
  updated_at: Time,
  author: Type.String(),
});
export type NetChange = Static<typeof NetChange>;

export const Totals = closed({
  files: Type.Integer({ description: "live files" }),
  bytes: Type.Integer({ description: "bytes of the live versions" }),
  versions: Type.Integer({ description: "versions with content" }),
});
export type Totals = Static<typeof Totals>;

export const Snapshot = closed({
  id: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  head: Head,
  author: Type.String(),
  created_at: Time,
});
export type Snapshot = Static<typeof Snapshot>;

/** The storage engines; engines.ts describes each. */
export const ENGINE_NAMES = ["sqlite"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
