// The manifest of a backup (`manifest.json`, the last file in the archive), and the state of a backup job in the API.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { Head } from "../versioned-store/schema.ts";

/** Increases when the meaning of an archive's content changes. */
export const BACKUP_FORMAT = 1;
export const MANIFEST_NAME = "manifest.json";
export const MANIFEST_BYTES_MAX = 16 * 1024 * 1024;
/** Longer than any system's path limit. */
const BACKUP_PATH_CHARACTERS_MAX = 4_096;

const Count = Type.Integer({ minimum: 0 });
const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256, hex" });

export const Member = closed({ name: Type.String(), size: Count, sha256: Sha256 });
export type Member = Static<typeof Member>;

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

const backupStates = ["running", "done", "failed"] as const;

export const Backup = closed({
  id: Id,
  state: oneOf(backupStates),
  file: Type.String(),
  /** Bytes to read. */
  bytes_done: Count,
  bytes_total: Count,
  /** Set when done. `size` and `sha256` describe the archive; `created_at` is the moment that it shows. */
  result: nullable(
    closed({
      size: Count,
      sha256: Sha256,
      created_at: Time,
      spaces: Type.Array(SpaceInBackup),
      audit: AuditInBackup,
    }),
  ),
  /** Set when failed: the API error. */
  error: nullable(closed({ code: Type.String(), message: Type.String() })),
});
export type Backup = Static<typeof Backup>;
