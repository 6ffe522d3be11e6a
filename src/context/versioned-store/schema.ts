// Files of a space as every surface shows them, what can be asked of them, and their limits.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";

/** Whatever quotas say: a file is held in memory while it is written. */
export const FILE_BYTES_CEILING = 64 * 1024 * 1024;
/** Operations of one batch: it is one transaction, which keeps everybody waiting for some 40 ms. More files are sent as several batches. */
export const BATCH_OPERATIONS_MAX = 1_000;
export const SNAPSHOT_NAME_CHARACTERS_MAX = 100;
export const AUTHOR_CHARACTERS_MAX = 200;

/** Segments that are never documents, in any case: ours, and what tools leave behind. */
export const RESERVED_NAMES = [".cairn", ".sync", ".git", ".DS_Store"] as const;

/** `<epoch>.<seq>`: another epoch is another history. */
export const Head = Type.String({
  description: "`<epoch>.<seq>`",
  pattern: "^[0-9a-f]{12}\\.(0|[1-9][0-9]*)$",
});

/**
 * `live`: as written. `deleted`: kept, not live. Of the working tree: `modified` differs from its live version, `missing` is not
 * there, `untracked` has no version, `refused` cannot get one.
 */
export const fileStates = ["live", "deleted", "modified", "missing", "untracked", "refused"] as const;
export type FileState = (typeof fileStates)[number];

/** Why something in the working tree cannot become a version. */
export const refusalCodes = [
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
  /** Live version; of a deleted file the last one that was; null: untracked. */
  version: nullable(Version),
  size: Type.Integer({ description: "bytes" }),
  hash: Type.String({ description: "SHA-256, hex" }),
  updated_at: Time,
  author: Type.String(),
  state: oneOf(fileStates),
  /** What is in its place in the working tree and cannot be a document. */
  refused: Type.Optional(Refusal),
});
export type FileRecord = Static<typeof FileRecord>;

export const VersionRecord = closed({
  version: Version,
  created_at: Time,
  author: Type.String(),
  size: Type.Integer(),
  hash: Type.String(),
  /** The file was deleted while this was its live version, and it has not been live since. */
  deleted: Type.Boolean(),
  /** Content removed for good, on purpose. */
  destroyed: Type.Boolean(),
  /** Content removed by retention. */
  pruned: Type.Boolean(),
});
export type VersionRecord = Static<typeof VersionRecord>;

export const FileHistory = closed({
  path: Type.String(),
  /** False: it is in the working tree and has no version yet. */
  tracked: Type.Boolean(),
  current: nullable(Version),
  /** Newest first. */
  versions: Type.Array(VersionRecord),
});
export type FileHistory = Static<typeof FileHistory>;

export const changeOps = ["write", "delete", "undelete", "destroy"] as const;
export type ChangeOp = (typeof changeOps)[number];

/** What became of one path since a head: what it is now. */
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
  files: Type.Integer({ description: "live ones" }),
  bytes: Type.Integer({ description: "of the live versions" }),
  versions: Type.Integer({ description: "that are kept" }),
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

/** What spaces can be stored with; engines.ts says more of each. */
export const ENGINE_NAMES = ["sqlite"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];
