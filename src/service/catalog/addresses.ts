// Refuses addresses that lead back to our own listener: a request sent there would arrive from loopback, as the admin's.
// Checked when an address is saved and again at every use, since a name can come to mean another machine.
// A name that moves between the check and the connection still meets the request guard, which refuses a foreign Host.

import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { isThisMachine } from "../../kit/addresses.ts";
import { LATE, within } from "../../kit/deadline.ts";
import { AppError } from "../../kit/error.ts";

const RESOLVE_DEADLINE_MS = 3000;
const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/** Known once the socket is bound; undefined before, when nothing can lead there. */
export type OwnListener = () => { readonly host: string; readonly port: number } | undefined;

/** All addresses of a host name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

export async function systemResolve(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map((found) => found.address);
}

/**
 * Raises `refused` when `url` (absolute, http or https) leads to our own port on this machine. The system's resolver is asked only for
 * a name with our port. A name that can't be resolved in time passes: nothing answers there, or the next use checks it again.
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
  throw new AppError(
    "refused",
    `${target.origin} is this server itself: the address must lead to another one`,
  );
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? HTTPS_PORT : HTTP_PORT;
}

/** `localhost` and names below it are loopback without asking anybody (RFC 6761, 6.3). */
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
