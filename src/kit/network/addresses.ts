// Decides which addresses outgoing requests may use: public unicast only. Ranges that lead to this machine, to its network or nowhere are
// refused in every notation, including IPv4 inside IPv6.
// Ranges: IANA special-purpose address registries (RFC 6890 and its updates).

import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Cloud metadata addresses: they return credentials to any local caller, so no setting allows them. */
const METADATA_ADDRESSES = new Set([
  // Nearly all clouds; in IPv6: Amazon, Google, Oracle, OpenStack.
  "169.254.169.254",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:c1::a9fe:a9fe",
  "fe80::a9fe:a9fe",
  // Amazon: tasks and pods.
  "169.254.170.2",
  "169.254.170.23",
  "fd00:ec2::23",
  // Alibaba, Azure, Oracle, Scaleway, Tencent.
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "169.254.42.42",
  "fd00:42::42",
  "169.254.0.23",
]);

/** Names of those addresses, also for a machine where they do not resolve. */
const METADATA_NAMES = new Set(["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"]);

const IPV6_GLOBAL = ipaddr.parseCIDR("2000::/3");
/** Not known to the library: documentation (RFC 9637). */
const IPV6_ALSO_REFUSED = [ipaddr.parseCIDR("3fff::/20")];
/** Special-purpose blocks that the library classifies as ordinary unicast: 6to4 relays, IANA protocol assignments. */
const IPV4_ALSO_REFUSED = [
  ipaddr.parseCIDR("192.88.99.0/24"),
  ipaddr.parseCIDR("192.0.0.0/24"),
  ipaddr.parseCIDR("0.0.0.0/8"),
];

/** Returns why requests to this address are refused, in a few words; undefined if they are allowed. */
export function addressProblem(address: string): string | undefined {
  const bare = address.replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return "not an address";
  if (isMetadataAddress(bare)) return "a cloud metadata address";
  const parsed = ipaddr.process(bare);
  const range = parsed.range();
  if (range !== "unicast") return words(range);
  const special = parsed.kind() === "ipv4" ? IPV4_ALSO_REFUSED : IPV6_ALSO_REFUSED;
  if (special.some((block) => inBlock(parsed, block))) return "reserved";
  return parsed.kind() === "ipv6" && !inBlock(parsed, IPV6_GLOBAL) ? "reserved" : undefined;
}

export function isMetadataAddress(address: string): boolean {
  const plain = plainAddress(address);
  return plain !== undefined && METADATA_ADDRESSES.has(plain.toString());
}

export function isMetadataName(hostname: string): boolean {
  return METADATA_NAMES.has(hostname.toLowerCase().replace(/\.$/, ""));
}

/** Reports whether the address belongs to this machine: loopback, unspecified, or one of its interfaces, in any notation. */
export function isThisMachine(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  const range = plain.range();
  return range === "loopback" || range === "unspecified" || interfaceAddresses().has(plain.toString());
}

/** The addresses at which other machines may reach this one: those of its interfaces, without loopback and link-local ones. */
export function reachableAddresses(): string[] {
  const all = [...interfaceAddresses()].filter((address) => address !== undefined);
  return all.filter((address) => !["loopback", "linkLocal"].includes(ipaddr.parse(address).range())).sort();
}

/** Read at each check: interfaces come and go. */
function interfaceAddresses(): Set<string | undefined> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map((own) => plainAddress(own.address)?.toString()));
}

/** Returns the canonical form: without a zone, and IPv4 extracted from IPv6. Undefined if the text is not an address. */
function plainAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = address.replace(/%.*$/, "");
  return ipaddr.isValid(bare) ? unwrapped(ipaddr.process(bare)) : undefined;
}

/** IPv4 in the last four bytes: deprecated compatible form (RFC 4291), SIIT (RFC 2765), NAT64 (RFC 6052), local NAT64 (RFC 8215). */
const IPV4_AT_THE_END = [
  ipaddr.parseCIDR("::/96"),
  ipaddr.parseCIDR("::ffff:0:0:0/96"),
  ipaddr.parseCIDR("64:ff9b::/96"),
  ipaddr.parseCIDR("64:ff9b:1::/48"),
];

/** Returns the IPv4 address embedded in an IPv6 one; in 6to4 (RFC 3056) it follows the prefix. */
function unwrapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const range = address.range();
  if (range === "loopback" || range === "unspecified") return address;
  if (range === "6to4") return new ipaddr.IPv4(address.toByteArray().slice(2, 6));
  const isWrapped = IPV4_AT_THE_END.some((block) => inBlock(address, block));
  return isWrapped ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

/** Names that by definition mean this machine or the network around it (RFC 6761, RFC 6762, ICANN's `.internal`). */
export function nameProblem(hostname: string): string | undefined {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  const last = name.slice(name.lastIndexOf(".") + 1);
  return ["localhost", "local", "internal"].includes(last)
    ? "a name of this machine or its own network"
    : undefined;
}

/** Returns the address in a URL's host, without brackets; undefined if the host is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** The 4 or 16 bytes of an address; undefined if the host is a name. */
export function addressBytes(host: string): readonly number[] | undefined {
  const address = literalAddress(host);
  return address === undefined ? undefined : ipaddr.parse(address).toByteArray();
}

type Block = ReturnType<typeof ipaddr.parseCIDR>;

function inBlock(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** `carrierGradeNat` → `carrier grade nat`. */
function words(range: string): string {
  return range.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
