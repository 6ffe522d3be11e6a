// The object storage of a server with several nodes.

import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { ObjectStorage } from "../../kit/object-storage/object-storage.ts";
import { s3Storage } from "../../kit/object-storage/s3.ts";
import type { ReplicationConfig } from "./schema.ts";

/** The names that other programs use, too. */
const KEY_ID = "AWS_ACCESS_KEY_ID";
const SECRET = "AWS_SECRET_ACCESS_KEY";
const SESSION = "AWS_SESSION_TOKEN";

/** Raises `refused` without credentials, `invalid` for settings that cannot work. */
export function bucketOf(
  { endpoint, bucket, region, prefix }: ReplicationConfig,
  environment: Environment,
): ObjectStorage {
  const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = [KEY_ID, SECRET, SESSION].map((name) =>
    environment[name]?.trim(),
  );
  if (accessKeyId === "" || secretAccessKey === "")
    throw new AppError(
      "refused",
      `replication: the object storage needs credentials; set ${KEY_ID} and ${SECRET} where the server starts`,
    );
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== "" && { sessionToken }) };
  const folder = prefix === "" ? "" : `${prefix}/`;
  return s3Storage({ ...(endpoint !== "" && { endpoint }), bucket, region, prefix: folder, credentials });
}
