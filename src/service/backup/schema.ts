// The API of backups: what there is, and the state of one.

import { Type, type Static } from "@sinclair/typebox";
import { backupWith, Count, Sha256 } from "../../kit/backup/schema.ts";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";

/** Increases when the meaning of an archive's content changes. */
export const BACKUP_FORMAT = 1;

export const Backup = backupWith(
  closed({
    /** Of the archive. */
    size: Count,
    sha256: Sha256,
    /** The moment that it shows. */
    created_at: Time,
    /** Files of workspaces and attachments. */
    files: Count,
    /** Files that were deleted before they were copied. */
    missed: Count,
    audit: closed({ entries: Count, head: Type.String() }),
    /** `files`: of its folder. Null: memory is not in a folder, is left out, or could not be read. */
    memory: nullable(closed({ space: Type.String(), head: Type.String(), files: Count, missed: Count })),
    memory_problem: nullable(Type.String({ description: "why memory in a folder could not be read" })),
  }),
);
export type Backup = Static<typeof Backup>;

/** Backups include a `folder`. A `server` has backups of its own. `left_out`: by `backup.memory`. */
const memoryKinds = ["folder", "server", "none", "left_out"] as const;

/** `last`: the one that was started last, since the service started. */
export const BackupsOverview = closed({
  directory: Type.String({ description: "empty: the operator set none, so there are no backups" }),
  memory: oneOf(memoryKinds),
  every_hours: Type.Integer({ minimum: 0, description: "hours between scheduled backups; 0: none" }),
  keep: Type.Integer({ minimum: 0, description: "scheduled backups that are kept; 0: all" }),
  next_at: nullable(Time),
  last_at: nullable(Type.String({ description: "the newest scheduled backup" })),
  failure: nullable(Type.String({ description: "why the last scheduled backup failed" })),
  copies: nullable(
    closed({
      bucket: Type.String(),
      last_at: nullable(
        Type.String({ description: "the newest scheduled backup in the bucket, as far as known" }),
      ),
      failure: nullable(Type.String({ description: "why the last attempt to copy failed" })),
    }),
  ),
  last: nullable(Backup),
  archives: Type.Array(closed({ file: Type.String(), bytes: Count, written_at: Time }), {
    description: "the newest hundred, newest first",
  }),
  problem: nullable(Type.String({ description: "why the directory cannot be read" })),
});
export type BackupsOverview = Static<typeof BackupsOverview>;
