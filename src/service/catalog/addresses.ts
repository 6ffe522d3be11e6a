// Refuses addresses of our own listener (a request sent there would arrive from loopback, with the admin's rights) and of cloud metadata services
// (they return credentials to any local caller). Everything else is allowed, also in private networks: model servers run there.
// An address is checked when it is saved and at every use (destination.ts), because a name can be pointed at another machine.

import {
  isMetadataAddress,
  isMetadataName,
  isThisMachine,
  literalAddress,
} from "../../kit/network/addresses.ts";
import { LATE, within } from "../../kit/concurrency/deadline.ts";
import { AppError } from "../../kit/error.ts";
import { portOf } from "../../kit/network/url-port.ts";
import { systemResolve } from "../../kit/network/outbound.ts";

const RESOLVE_DEADLINE_MS = 3000;

/** Returns undefined until the socket is bound. */
export type OwnListener = () => { readonly host: string; readonly port: number } | undefined;

/** Resolves a hostname to all of its addresses. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Raises `refused` when `url` (absolute, http or https) leads to our own port on this machine or to a cloud metadata service. A name that cannot be
 * resolved in time passes: nothing is sent, and every use checks it again.
 */
export async function refuseForbiddenAddress(
  url: string,
  ownListener: OwnListener,
  resolve: Resolve = systemResolve,
  deadlineMs: number = RESOLVE_DEADLINE_MS,
): Promise<void> {
  await checkedAddresses(url, ownListener, resolve, deadlineMs);
}

/** `fixed`: the host is an address, or a name that only this machine gives a meaning. `any`: every address will do. */
type Checked =
  { readonly kind: "fixed" | "any" } | { readonly kind: "resolved"; readonly addresses: string[] };

/**
 * Raises as `refuseForbiddenAddress`. Resolves a name only if the port is ours or the scheme is http: no metadata service proves a name over TLS.
 * Without addresses: the name could not be resolved in time.
 */
export async function checkedAddresses(
  url: string,
  ownListener: OwnListener,
  resolve: Resolve,
  deadlineMs: number = RESOLVE_DEADLINE_MS,
): Promise<Checked> {
  const target = new URL(url);
  const isOwnPort = portOf(target) === ownListener()?.port;
  const known = knownAddresses(target.hostname);
  const needsLookup = known === undefined && (isOwnPort || target.protocol === "http:");
  const resolved = needsLookup ? await addressesOf(target.hostname, resolve, deadlineMs) : [];
  const addresses = known ?? resolved;
  if (isMetadataName(target.hostname) || addresses.some(isMetadataAddress))
    throw new AppError(
      "refused",
      `${target.origin} is a cloud metadata service, which returns credentials of this machine; use the address of a model server`,
    );
  if (isOwnPort && addresses.some(isThisMachine))
    throw new AppError(
      "refused",
      `${target.origin} is this server itself; use the address of another server`,
    );
  if (known) return { kind: "fixed" };
  return needsLookup ? { kind: "resolved", addresses: resolved } : { kind: "any" };
}

/** `localhost` and its subdomains are loopback without a lookup (RFC 6761, 6.3). */
function knownAddresses(hostname: string): string[] | undefined {
  const literal = literalAddress(hostname);
  if (literal !== undefined) return [literal];
  return /(?:^|\.)localhost\.?$/.test(hostname) ? ["127.0.0.1"] : undefined;
}

async function addressesOf(hostname: string, resolve: Resolve, deadlineMs: number): Promise<string[]> {
  try {
    const addresses = await within(deadlineMs, resolve(hostname));
    return addresses === LATE ? [] : addresses;
  } catch {
    return [];
  }
}
