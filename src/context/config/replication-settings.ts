// The part `replication` of `server.yaml`: the bucket through which the nodes of one server share all data, and the name of this node.

import { AppError } from "../../kit/error.ts";
import { DEFAULT_REGION, type ConfigFile, type ReplicationConfig } from "./schema.ts";

const NODE = /^[a-z0-9][a-z0-9-]{0,62}$/;
const PREFIX = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;

/** `path`: the configuration file, for the message. Undefined: without a bucket, the server has one node. Raises `invalid`. */
export function replicationOf(
  path: string,
  file: ConfigFile["replication"],
  { hasAcme }: { readonly hasAcme: boolean },
): ReplicationConfig | undefined {
  const { node = "", bucket = "", endpoint = "", region = DEFAULT_REGION, prefix = "" } = file ?? {};
  if (bucket === "") return undefined;
  const refuse = (key: string, problem: string) =>
    new AppError("invalid", `config ${path}: replication${key}: ${problem}`);
  if (!NODE.test(node))
    throw refuse(
      ".node",
      "expected at most 63 lower-case letters, digits and hyphens, not beginning with one",
    );
  if (endpoint !== "" && !isAddress(endpoint))
    throw refuse(".endpoint", "expected the http or https URL of an object storage, without a path");
  if (prefix !== "" && (!PREFIX.test(prefix) || /(^|\/)\.{1,2}(\/|$)/.test(prefix)))
    throw refuse(
      ".prefix",
      "expected names of letters, digits, dots, hyphens and underscores, separated by /",
    );
  if (hasAcme)
    throw refuse(
      "",
      "cannot be used with tls.acme, because only one node answers the authority; let the proxy have the certificate, or use tls.cert_file and tls.key_file",
    );
  return { node, bucket, endpoint, region, prefix };
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username } = new URL(text);
  return ["http:", "https:"].includes(protocol) && pathname === "/" && search + hash + username === "";
}
