// What a backup says of itself (`manifest.json`, the last file in the archive), and a backup that is being made, as the API shows it.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { Head } from "../versioned-store/schema.ts";

/** Ascends when what is in an archive changes its meaning. */
export const BACKUP_FORMAT = 1;
export const MANIFEST_NAME = "manifest.json";
export const MANIFEST_BYTES_MAX = 16 * 1024 * 1024;
/** Of a path on the server, more than any system takes. */
export const BACKUP_PATH_CHARACTERS_MAX = 4_096;

const Count = Type.Integer({ minimum: 0 });
const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256, hex" });

export const Member = closed({ name: Type.String(), size: Count, sha256: Sha256 });
export type Member = Static<typeof Member>;

export const SpaceInBackup = closed({
  name: Type.String(),
  head: Head,
  /** Live files, their bytes, and all versions that have their content. */
  files: Count,
  bytes: Count,
  versions: Count,
  /** In the folder, edited by hand and never recorded: these edits are not in the backup. */
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
  /** SHA-256 over the canonical JSON of all of the above. Finds slips and damage; it is no signature. */
  hash: Sha256,
});
export type Manifest = Static<typeof Manifest>;

export const CreateBackup = closed({
  path: Type.String({
    minLength: 1,
    maxLength: BACKUP_PATH_CHARACTERS_MAX,
    description: "absolute: a directory, or the name of a file that does not exist",
  }),
});
export type CreateBackup = Static<typeof CreateBackup>;

export const backupStates = ["running", "done", "failed"] as const;

export const Backup = closed({
  id: Id,
  state: oneOf(backupStates),
  file: Type.String(),
  /** Of what is to be read. */
  bytes_done: Count,
  bytes_total: Count,
  /** When it is done. `size`, `sha256`: of the archive. `created_at`: the moment that it shows. */
  result: nullable(
    closed({
      size: Count,
      sha256: Sha256,
      created_at: Time,
      spaces: Type.Array(SpaceInBackup),
      audit: AuditInBackup,
    }),
  ),
  /** When it failed: an error as the API words it. */
  error: nullable(closed({ code: Type.String(), message: Type.String() })),
});
export type Backup = Static<typeof Backup>;
