// Finds which users of this machine take connections to an address of it, so that no secret goes to the program of another user. Only Linux tells.

import { listeningSocket, LOOPBACK } from "./socket-query.ts";

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * Returns the IDs of the users whose programs listen there. Empty: nobody does, the system does not tell, or the host is an IPv6 address other than
 * ::1. `host`: as in a URL.
 */
export function listenersAt(host: string, port: number): number[] {
  const found = [
    ...(host === "localhost" ? [listeningSocket(4, LOOPBACK[4], port)] : []),
    ...(host === "localhost" || host === "[::1]" ? [listeningSocket(6, LOOPBACK[6], port)] : []),
    ...(IPV4.test(host) ? [listeningSocket(4, host.split(".").map(Number), port)] : []),
  ];
  return found.flatMap((socket) => (socket ? [socket.user] : []));
}
