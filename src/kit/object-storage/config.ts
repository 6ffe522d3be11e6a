// The keys that name a bucket in a configuration file, the same wherever one is used.

import { Type, type Static } from "@sinclair/typebox";
import { AppError } from "../error.ts";
import { closed } from "../schema.ts";

/** Amazon's first region; most other storages take any. */
const DEFAULT_REGION = "us-east-1";
const PREFIX = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;
const DOTS = /(^|\/)\.{1,2}(\/|$)/;
/** The environment variables with the credentials; the last one only for temporary credentials. Other programs use these names, too. */
export const STORAGE_VARIABLES = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;

export const BUCKET_KEYS = {
  bucket: Type.Optional(Type.String()),
  endpoint: Type.Optional(Type.String()),
  region: Type.Optional(Type.String({ minLength: 1 })),
  prefix: Type.Optional(Type.String()),
};
export const BucketConfigFile = closed(BUCKET_KEYS);

export interface BucketConfig {
  readonly bucket: string;
  /** The URL of the storage; empty: Amazon S3. */
  readonly endpoint: string;
  readonly region: string;
  /** The folder in the bucket, without a slash at its ends; empty: the whole bucket. */
  readonly prefix: string;
}

/** `where` begins the messages: the file and the key of the block. Undefined: no bucket is set. Raises `invalid`. */
export function bucketConfigOf(
  where: string,
  { bucket = "", endpoint = "", region = DEFAULT_REGION, prefix = "" }: Static<typeof BucketConfigFile> = {},
): BucketConfig | undefined {
  if (bucket === "") return undefined;
  if (endpoint !== "" && !isAddress(endpoint))
    throw new AppError(
      "invalid",
      `${where}.endpoint: expected the http or https URL of an object storage, without a path`,
    );
  if (prefix !== "" && (!PREFIX.test(prefix) || DOTS.test(prefix)))
    throw new AppError(
      "invalid",
      `${where}.prefix: expected names of letters, digits, dots, hyphens and underscores, separated by /`,
    );
  return { bucket, endpoint, region, prefix };
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username } = new URL(text);
  return ["http:", "https:"].includes(protocol) && pathname === "/" && search + hash + username === "";
}
