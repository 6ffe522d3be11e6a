// Which addresses requests to the outside may go to: public unicast ones only. Everything that leads back to this machine, into the
// network around it, or nowhere is refused by range, in every notation (IPv4 inside IPv6 included).
// Ranges: IANA special-purpose address registries (RFC 6890 and its updates).

import ipaddr from "ipaddr.js";

/** Hand out credentials to whoever asks from the inside of a cloud; refused whatever an opt-out says. */
const METADATA_ADDRESSES = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
]);

const IPV6_GLOBAL = ipaddr.parseCIDR("2000::/3");
/** Not known to the library: documentation (RFC 9637). */
const IPV6_ALSO_REFUSED = [ipaddr.parseCIDR("3fff::/20")];
/** Special uses inside ranges that the library takes for ordinary ones: 6to4 relays, IANA protocol assignments. */
const IPV4_ALSO_REFUSED = [
  ipaddr.parseCIDR("192.88.99.0/24"),
  ipaddr.parseCIDR("192.0.0.0/24"),
  ipaddr.parseCIDR("0.0.0.0/8"),
];

/** Why no request may go to this address, in a few words; undefined when it may. */
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
  const bare = address.replace(/%.*$/, "");
  return ipaddr.isValid(bare) && METADATA_ADDRESSES.has(unwrapped(ipaddr.process(bare)).toString());
}

/** The IPv4 address inside a NAT64 (RFC 6052) or 6to4 (RFC 3056) one. */
function unwrapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const range = address.range();
  if (range === "rfc6052") return new ipaddr.IPv4(address.toByteArray().slice(12));
  if (range === "6to4") return new ipaddr.IPv4(address.toByteArray().slice(2, 6));
  return address;
}

/** Names that by definition mean this machine or the network around it (RFC 6761, RFC 6762, ICANN's `.internal`). */
export function nameProblem(hostname: string): string | undefined {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  const last = name.slice(name.lastIndexOf(".") + 1);
  return ["localhost", "local", "internal"].includes(last)
    ? "a name of this machine or its own network"
    : undefined;
}

/** The address that a URL's host is, without brackets; undefined when it is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(bare) ? bare : undefined;
}

type Block = ReturnType<typeof ipaddr.parseCIDR>;

function inBlock(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Block): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}

/** `carrierGradeNat` → `carrier grade nat`. */
function words(range: string): string {
  return range.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
