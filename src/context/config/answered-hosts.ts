// The names by which a listener of the server answers.

import { isLoopbackAddress } from "../../kit/http/guard.ts";
import { reachableHost } from "../../kit/http/serve.ts";
import type { ServerConfig } from "./schema.ts";

/**
 * Returns `listen.allowed_hosts`, and the name by which commands on this machine reach a listener at `host`: without it they would take the server
 * for stopped. Empty: any name. A loopback listener answers its own names anyway.
 */
export function answeredHosts({ allowedHosts }: ServerConfig, host: string): readonly string[] {
  if (allowedHosts.length === 0 || isLoopbackAddress(host)) return allowedHosts;
  const name = reachableHost(host);
  return [...allowedHosts, name.includes(":") ? `[${name}]` : name];
}
