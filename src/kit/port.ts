// Whether a program could listen at an address: tried for a moment, which is the only proof there is, and let go again.

import { createServer } from "node:net";
import { systemCode } from "./error.ts";

/** Undefined: free. Else what the system said, as its code: EADDRINUSE, EADDRNOTAVAIL, EACCES, ENOTFOUND, … */
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
