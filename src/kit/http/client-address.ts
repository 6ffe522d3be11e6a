// Determines the client address of a request. X-Forwarded-For is trusted only from a proxy named in the configuration, and is read from the
// right: each trusted proxy vouches only for the hop before it. An address never identifies a user.

import ipaddr from "ipaddr.js";
import { AppError } from "../error.ts";
import { isPlainAddress } from "../network/hosts.ts";
import type { Exchange } from "./exchange.ts";

type Block = ReturnType<typeof ipaddr.parseCIDR>;
/** No installation has more proxies than this. */
const HOPS_MAX = 32;
const IPV6_NETWORK_PARTS = 4;

/** The addresses and blocks listed in the configuration. */
export class AddressList {
  readonly #blocks: readonly Block[];

  /** `key` is the configuration key, for the error. Raises `invalid`. */
  constructor(key: string, texts: readonly string[]) {
    this.#blocks = texts.map((text) => parseBlock(text, key));
  }

  includes(text: string): boolean {
    const address = plainAddress(text);
    if (address === undefined) return false;
    const parsed = ipaddr.process(address);
    return this.#blocks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }
}

export class ClientAddresses {
  readonly #trusted: AddressList;
  readonly #trustsSome: boolean;
  /** Caches the last peer, because the next request usually comes from it, and parsing an address is the most expensive part. */
  #last: { readonly peer: string; readonly address: string | undefined } = { peer: "", address: undefined };

  /** `key` is the configuration key, for the error. Raises `invalid` unless each entry is an address or a block. */
  constructor(key: string, trusted: readonly string[]) {
    this.#trusted = new AddressList(key, trusted);
    this.#trustsSome = trusted.length > 0;
  }

  /** Empty without a peer: a request inside this process. */
  of(exchange: Pick<Exchange, "peer" | "headers">): string {
    const text = exchange.peer() ?? "";
    if (text !== this.#last.peer) this.#last = { peer: text, address: plainAddress(text) };
    let { address } = this.#last;
    if (address === undefined) return text;
    const forwarded = !this.#trustsSome ? undefined : exchange.headers["x-forwarded-for"];
    if (forwarded === undefined) return address;
    const hops = forwarded.split(",").slice(-HOPS_MAX);
    while (hops.length > 0 && this.#trusted.includes(address)) {
      const next = plainAddress(withoutPort(hops.pop()!.trim()));
      // No trusted proxy writes an unreadable entry: the proxy that forwarded it is the last known hop.
      if (next === undefined) break;
      address = next;
    }
    return address;
  }
}

/** Returns the key for counting: the IPv4 address, or the /64 network of an IPv6 address, because one host can use all of it. */
export function countedTogether(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, IPV6_NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

function parseBlock(text: string, key: string): Block {
  try {
    // Only the unambiguous notation: parsers disagree about `10.1` and `010.0.0.1`.
    if (!isPlainAddress(text.replace(/\/[0-9]{1,3}$/, ""))) throw new Error("not plain");
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch {
    throw new AppError("invalid", `${key}: "${text}" is neither an address nor a block such as 10.0.0.0/8`);
  }
}

/** Returns the canonical spelling, with mapped IPv6 as IPv4; undefined if it is not an address. */
function plainAddress(text: string): string | undefined {
  const bare = text.replace(/%.*$/, "");
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare).toString();
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return bracketed[1]!;
  return /^[^:]+:\d{1,5}$/.test(text) ? text.slice(0, text.indexOf(":")) : text;
}
