// Opens the bucket that a configuration file names, with the credentials from the environment.

import type { Environment } from "../environment.ts";
import { AppError } from "../error.ts";
import { STORAGE_VARIABLES, type BucketConfig } from "./config.ts";
import type { ObjectStorage } from "./object-storage.ts";
import { s3Storage } from "./s3.ts";

/** `key`: of the block, for the message. Raises `refused` without credentials, `invalid` for settings that cannot work. */
export function bucketOf(
  key: string,
  { endpoint, bucket, region, prefix }: BucketConfig,
  environment: Environment,
): ObjectStorage {
  const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = STORAGE_VARIABLES.map((name) =>
    environment[name]?.trim(),
  );
  if (accessKeyId === "" || secretAccessKey === "")
    throw new AppError(
      "refused",
      `${key}: the object storage needs credentials; set ${STORAGE_VARIABLES[0]} and ${STORAGE_VARIABLES[1]} where the program starts`,
    );
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
  const folder = prefix === "" ? "" : `${prefix}/`;
  return s3Storage({ ...(endpoint !== "" && { endpoint }), bucket, region, prefix: folder, credentials });
}
