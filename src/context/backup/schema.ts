// The manifest of a backup (`manifest.json`, the last file in the archive), and the state of a backup job in the API.

import { Type, type Static } from "@sinclair/typebox";
import { backupWith, Count, Member, Sha256 } from "../../kit/backup/schema.ts";
import { closed, Time } from "../../kit/schema.ts";
import { Head } from "../versioned-store/schema.ts";

/** Increases when the meaning of an archive's content changes. */
export const BACKUP_FORMAT = 1;
export const MANIFEST_NAME = "manifest.json";
export const MANIFEST_BYTES_MAX = 16 * 1024 * 1024;
/** Longer than any system's path limit. */
const BACKUP_PATH_CHARACTERS_MAX = 4_096;

export const SpaceInBackup = closed({
  name: Type.String(),
  head: Head,
  /** Live files, their bytes, and all versions with content. */
  files: Count,
  bytes: Count,
  versions: Count,
  /** Unrecorded manual edits in the folder, which are not in the backup. */
  left_out: closed({ modified: Count, untracked: Count }),
});
export type SpaceInBackup = Static<typeof SpaceInBackup>;

/** `head`: the hash of the last record. */
export const AuditInBackup = closed({ entries: Count, head: Sha256 });

export const Manifest = closed({
  format: Type.Literal(BACKUP_FORMAT),
  cairn_version: Type.String(),
  created_at: Time,
  members: Type.Array(Member),
  spaces: Type.Array(SpaceInBackup),
  audit: AuditInBackup,
  /** SHA-256 over the canonical JSON of the other members. Detects mistakes and damage; not a signature. */
  hash: Sha256,
});
export type Manifest = Static<typeof Manifest>;

export const CreateBackup = closed({
  path: Type.String({
    minLength: 1,
    maxLength: BACKUP_PATH_CHARACTERS_MAX,
    description: "absolute path of a directory, or of a file that does not exist",
  }),
});

/** `size` and `sha256` describe the archive; `created_at` is the moment that it shows. */
export const Backup = backupWith(
  closed({
    size: Count,
    sha256: Sha256,
    created_at: Time,
    spaces: Type.Array(SpaceInBackup),
    audit: AuditInBackup,
  }),
);
export type Backup = Static<typeof Backup>;
