// Refuses addresses of our own listener: a request sent there would arrive from loopback, with the admin's rights.
// An address is checked when it is saved and at every use, because a name can be pointed at another machine.
// If a name changes between the check and the connection, the request guard still refuses the foreign Host.

import ipaddr from "ipaddr.js";
import { isThisMachine } from "../../kit/network/addresses.ts";
import { LATE, within } from "../../kit/concurrency/deadline.ts";
import { AppError } from "../../kit/error.ts";
import { systemResolve } from "../../kit/network/outbound.ts";

const RESOLVE_DEADLINE_MS = 3000;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** Returns undefined until the socket is bound. */
export type OwnListener = () => { readonly host: string; readonly port: number } | undefined;

/** Resolves a host name to all of its addresses. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Raises `refused` when `url` (absolute, http or https) leads to our own port on this machine. Resolves a name only if the port is ours. A
 * name that cannot be resolved in time passes: either nothing answers there, or the next use checks it again.
 */
export async function refuseOwnListener(
  url: string,
  ownListener: OwnListener,
  resolve: Resolve = systemResolve,
  deadlineMs: number = RESOLVE_DEADLINE_MS,
): Promise<void> {
  const target = new URL(url);
  if (portOf(target) !== ownListener()?.port) return;
  const addresses = await addressesOf(target.hostname, resolve, deadlineMs);
  if (!addresses.some(isThisMachine)) return;
  throw new AppError("refused", `${target.origin} is this server itself; use the address of another server`);
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? HTTPS_PORT : HTTP_PORT;
}

/** `localhost` and its subdomains are loopback without a lookup (RFC 6761, 6.3). */
async function addressesOf(hostname: string, resolve: Resolve, deadlineMs: number): Promise<string[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(literal)) return [literal];
  if (/(?:^|\.)localhost\.?$/.test(hostname)) return ["127.0.0.1"];
  try {
    const addresses = await within(deadlineMs, resolve(hostname));
    return addresses === LATE ? [] : addresses;
  } catch {
    return [];
  }
}
