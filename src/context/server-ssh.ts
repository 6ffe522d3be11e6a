// Builds the terminal interface over SSH from the parts of a server, and opens it.

import type { Log } from "../kit/log.ts";
import { Browsing } from "./browsing/browsing.ts";
import type { ServerConfig } from "./config/schema.ts";
import { servedSpaces } from "./console/served-spaces.ts";
import type { Parts } from "./parts.ts";
import { SSH_LIMITS, type SshLimits } from "./ssh/limits.ts";
import { SshServer } from "./ssh/server.ts";

/** Raises what the host key and the bind raise. */
export async function serveSsh(
  parts: Parts,
  config: ServerConfig,
  log: Log,
  limits: Partial<SshLimits> = {},
): Promise<SshServer> {
  const browsing = new Browsing(parts.spaces);
  const source = servedSpaces({ ...parts, browsing });
  const server = new SshServer({ ...parts, config, log, browsing, source }, { ...SSH_LIMITS, ...limits });
  const port = await server.listen();
  log.info("terminal interface over SSH", {
    address: config.ssh.host,
    port,
    fingerprint: server.fingerprint,
    keys: config.ssh.keys.length,
  });
  return server;
}
