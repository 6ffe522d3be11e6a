// Decides where a request to a provider goes. A name without TLS is replaced by an address that was checked, so that a name that leads elsewhere by
// the time of the connection has no effect.

import { LATE, within } from "../../kit/concurrency/deadline.ts";
import type { Environment } from "../../kit/environment.ts";
import { portOf } from "../../kit/network/url-port.ts";
import { checkedAddresses, type OwnListener, type Resolve } from "./addresses.ts";

const CONNECT_DEADLINE_MS = 3_000;
/** Of one name. */
const ADDRESSES_TRIED_MAX = 8;

export interface Destination {
  readonly url: string;
  /** The host of the URL, if an address replaced its name. */
  readonly headers: { readonly host?: string };
}

interface Surroundings {
  readonly ownListener: OwnListener;
  readonly resolve: Resolve;
  /** A proxy resolves names itself, so they stay in the URL. */
  readonly hasProxy: boolean;
}

/** Reports whether `fetch` sends requests without TLS to a proxy. */
export function hasHttpProxy(environment: Environment): boolean {
  return ["http_proxy", "HTTP_PROXY"].some((name) => (environment[name] ?? "") !== "");
}

/** Call it before every request. Raises as `refuseForbiddenAddress`. Undefined: the name has no address. */
export async function destinationOf(
  /** Begins with its origin, as stored addresses do. */
  url: string,
  { ownListener, resolve, hasProxy }: Surroundings,
): Promise<Destination | undefined> {
  const checked = await checkedAddresses(url, ownListener, resolve);
  const target = new URL(url);
  if (checked.kind !== "resolved" || target.protocol !== "http:" || hasProxy) return { url, headers: {} };
  if (checked.addresses.length === 0) return undefined;
  const { host, origin } = target;
  const address = await answering(checked.addresses, portOf(target));
  target.hostname = address.includes(":") ? `[${address}]` : address;
  return { url: target.origin + url.slice(origin.length), headers: { host } };
}

/** Returns the first address that accepts a connection; if none does, the first of all, whose failure the request then reports. */
async function answering(addresses: readonly string[], port: number): Promise<string> {
  if (addresses.length === 1) return addresses[0]!;
  const tried = addresses.slice(0, ADDRESSES_TRIED_MAX).map((address) => accepting(address, port));
  const found = await within(
    CONNECT_DEADLINE_MS,
    Promise.any(tried).catch(() => addresses[0]!),
  );
  return found === LATE ? addresses[0]! : found;
}

async function accepting(address: string, port: number): Promise<string> {
  const socket = await Bun.connect({ hostname: address, port, socket: { data: () => {} } });
  socket.end();
  return address;
}
