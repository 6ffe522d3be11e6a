// Checks whether a program can listen at an address, by binding it for a moment; no other check is reliable.

import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { systemCode } from "../error.ts";
import { EVERY_ADDRESS, EVERY_IPV4_ADDRESS, isPlainAddress, listenProblem } from "./hosts.ts";

/** Returns undefined if the address is free, otherwise the system's code: EADDRINUSE, EADDRNOTAVAIL, EACCES, ENOTFOUND, … */
export async function portProblem(host: string, port: number): Promise<string | undefined> {
  const problem = await bindProblem(host, port);
  // A server on all addresses falls back in the same way (`bind` in serve.ts).
  return host === EVERY_ADDRESS && problem === "EAFNOSUPPORT"
    ? bindProblem(EVERY_IPV4_ADDRESS, port)
    : problem;
}

function bindProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(systemCode(error) ?? "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/**
 * Returns why nothing can listen at this address on this machine, whatever the port, in a few words that name the address's kind; otherwise undefined.
 */
export async function addressProblem(text: string): Promise<string | undefined> {
  const wrong = listenProblem(text);
  if (wrong !== undefined) return wrong;
  const code = await portProblem(text, 0);
  return code === undefined ? undefined : unboundAddress(text, code);
}

/** Describes an address at which the system does not let a program listen, by this code. */
export function unboundAddress(text: string, code: string): string {
  if (!isPlainAddress(text) && NAME_CODES.has(code)) return "a name without a known address";
  if (["EADDRNOTAVAIL", "EINVAL"].includes(code)) return "not an address of this machine";
  return `an address where this program cannot listen (${code})`;
}

/** The runtime gives some failed look-ups no code. */
const NAME_CODES = new Set(["ENOTFOUND", "EAI_AGAIN", "unknown"]);

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
