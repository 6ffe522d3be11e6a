// The part `replication` of `server.yaml`: the bucket through which the nodes of one server share all data, and the name of this node.

import { AppError } from "../../kit/error.ts";
import { bucketConfigOf } from "../../kit/object-storage/config.ts";
import type { ConfigFile, ReplicationConfig } from "./schema.ts";

const NODE = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** `path`: the configuration file, for the message. Undefined: without a bucket, the server has one node. Raises `invalid`. */
export function replicationOf(
  path: string,
  { node = "", ...keys }: NonNullable<ConfigFile["replication"]> = {},
  { hasAcme }: { readonly hasAcme: boolean },
): ReplicationConfig | undefined {
  const where = `config ${path}: replication`;
  const bucket = bucketConfigOf(where, keys);
  // Otherwise a node whose bucket was forgotten would run alone.
  if (bucket === undefined && node !== "")
    throw new AppError(
      "invalid",
      `${where}.bucket: missing; name the bucket that the nodes share, or remove replication to run one node`,
    );
  if (bucket === undefined) return undefined;
  if (!NODE.test(node))
    throw new AppError(
      "invalid",
      `${where}.node: expected at most 63 lower-case letters, digits and hyphens, not beginning with a hyphen`,
    );
  if (hasAcme)
    throw new AppError(
      "invalid",
      `${where}: cannot be used with tls.acme, because only one node answers the authority; let the proxy have the certificate, or use tls.cert_file and tls.key_file`,
    );
  return { node, ...bucket };
}
