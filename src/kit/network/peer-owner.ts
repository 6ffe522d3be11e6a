// Finds which user of this machine is at the other end of a loopback connection. Only Linux tells; elsewhere the answer is undefined.

import { readFileSync } from "node:fs";
import { loopbackSocket } from "./socket-query.ts";

/** The columns of a row of `/proc/net/tcp` (proc_net_tcp in the kernel's documentation). */
const LOCAL = 1;
const REMOTE = 2;
const OWNER = 7;
const INODE = 9;
/** 127.0.0.1, ::1 and ::ffff:127.0.0.1 as the kernel writes them on machines with the usual byte order. */
const LOOPBACK = new Set([
  "0100007F",
  "00000000000000000000000001000000",
  "0000000000000000FFFF00000100007F",
]);

/** The ID of the user; `gone`: the program closed its end, so nobody owns it; undefined: the system does not tell. */
export type PeerOwner = number | "gone" | undefined;

interface ConnectionEnds {
  /** The address of the other end. */
  readonly address: string;
  /** The port of the other end. */
  readonly peer: number;
  /** Our port. */
  readonly own: number;
}

/** The table is read in pieces, and a row is missed if others come or go meanwhile. */
const READS_MAX = 3;

/** The kernel has answered a query, so it answers all of them. */
let answersQueries = false;

export function peerOwner({ address, peer, own }: ConnectionEnds): PeerOwner {
  const found = loopbackSocket(address === "::1" ? 6 : 4, peer, own);
  answersQueries ||= found !== undefined;
  if (answersQueries) return found?.isOpen ? found.user : "gone";
  for (let read = 0; read < READS_MAX; read += 1) {
    const tables = [tableOf("tcp"), tableOf("tcp6")];
    if (tables.every((table) => table === "")) return undefined;
    const owner = ownerIn(tables.join(""), { peer, own });
    if (owner !== undefined) return owner;
  }
  return "gone";
}

function tableOf(name: "tcp" | "tcp6"): string {
  try {
    return readFileSync(`/proc/net/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** `table`: the text of `/proc/net/tcp` or `/proc/net/tcp6`. */
export function ownerIn(table: string, { peer, own }: Omit<ConnectionEnds, "address">): PeerOwner {
  const wanted = portText(peer);
  for (const row of table.split("\n")) {
    // Nearly all rows are others.
    if (!row.includes(wanted)) continue;
    const columns = row.trim().split(/\s+/);
    const [address, port] = (columns[LOCAL] ?? "").split(":");
    if (`:${port}` !== wanted || !LOOPBACK.has(address ?? "")) continue;
    if (columns[REMOTE]?.endsWith(portText(own)) !== true) continue;
    return columns[INODE] === "0" ? "gone" : Number(columns[OWNER]);
  }
  return undefined;
}

function portText(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}
