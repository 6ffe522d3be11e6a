// The part `backup` of a configuration file, the same in both programs.

import { isAbsolute } from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import { AppError } from "../error.ts";
import { BucketConfigFile, bucketConfigOf, type BucketConfig } from "../object-storage/config.ts";
import { closed } from "../schema.ts";

const HOURS_MAX = 8_760;
const KEEP_MAX = 10_000;
const DEFAULT_KEEP = 7;

export const BackupConfigFile = closed({
  directory: Type.Optional(Type.String()),
  every_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: HOURS_MAX,
      description: "hours between scheduled backups; 0: none",
    }),
  ),
  keep: Type.Optional(
    Type.Integer({ minimum: 0, maximum: KEEP_MAX, description: "scheduled backups to keep; 0: all" }),
  ),
  copy_to: Type.Optional(BucketConfigFile),
});

export interface BackupConfig {
  /** Absolute; empty: none is set. */
  readonly directory: string;
  /** 0: no scheduled backups. */
  readonly everyHours: number;
  /** 0: all. */
  readonly keep: number;
  /** The bucket that scheduled backups are copied to; undefined: none. */
  readonly copyTo: BucketConfig | undefined;
}

/** `path`: the configuration file, for the message. Raises `invalid`. */
export function backupConfigOf(
  path: string,
  {
    directory = "",
    every_hours: everyHours = 0,
    keep = DEFAULT_KEEP,
    copy_to,
  }: Static<typeof BackupConfigFile> = {},
): BackupConfig {
  if (directory !== "" && !isAbsolute(directory))
    throw new AppError("invalid", `config ${path}: backup.directory: expected an absolute path`);
  if (everyHours > 0 && directory === "")
    throw new AppError(
      "invalid",
      `config ${path}: backup.every_hours: also set backup.directory, where the backups go`,
    );
  const copyTo = bucketConfigOf(`config ${path}: backup.copy_to`, copy_to);
  if (copyTo && everyHours === 0)
    throw new AppError(
      "invalid",
      `config ${path}: backup.copy_to: only scheduled backups are copied; also set backup.every_hours`,
    );
  return { directory, everyHours, keep, copyTo };
}
