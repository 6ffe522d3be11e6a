// Checks whether a program can listen at an address, by binding it for a moment; no other check is reliable.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { systemCode } from "../error.ts";

/** Returns undefined if the address is free, otherwise the system's code: EADDRINUSE, EADDRNOTAVAIL, EACCES, ENOTFOUND, … */
export function portProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(systemCode(error) ?? "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

// Below the ranges from which Linux (32768–60999), macOS and Windows (49152–65535) take the ports of outgoing connections.
const KEPT_PORTS = { from: 20_000, below: 32_000 };
const TRIES = 100;

/**
 * Returns a port that is free at this address now and that no outgoing connection takes later, so that it can be kept in a
 * configuration. Raises the system's code as an error's `code` if nothing can listen there.
 */
export async function freePort(host: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(KEPT_PORTS.from, KEPT_PORTS.below);
    const code = await portProblem(host, port);
    if (code === undefined) return port;
    if (code !== "EADDRINUSE" || tries === TRIES)
      throw Object.assign(new Error(`cannot listen: ${code}`), { code });
  }
}
