// The compiled `cairn` as a context server that speaks TLS.

import { configure } from "./context-server.ts";
import { runContext, type RunningContext } from "./running-context.ts";

/** With a certificate of the command itself. */
export async function withTls(...hosts: string[]): Promise<RunningContext> {
  const server = await runContext();
  await server.data("server", "tls", "gen", ...hosts.flatMap((host) => ["--host", host]));
  await server.end("SIGTERM");
  configure(server.directory, { tls: { enabled: true } });
  await server.start();
  return server;
}
