// Checks whether a program can listen at an address, by binding it for a moment; no other check is reliable.

import { createServer } from "node:net";
import { systemCode } from "./error.ts";

/** Returns undefined if the address is free, otherwise the system's code: EADDRINUSE, EADDRNOTAVAIL, EACCES, ENOTFOUND, … */
export function portProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(systemCode(error) ?? "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Returns a port that is free at this address now. Raises the system's error if nothing can listen there. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host, port: 0, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
