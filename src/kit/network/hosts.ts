// Validates hosts in the configuration: an address in its plain notation, or a name. Pure; it does not resolve names. A name that no
// system could resolve is refused here, and any other fails when it is used.

import ipaddr from "ipaddr.js";

/** RFC 1035; without the dot at the end. */
const NAME_CHARACTERS_MAX = 253;
/** The standard forbids underscores in hostnames, but many names contain them. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
/** Matches partial addresses: resolvers read `1.2.3`, `0x7f.1` and `010.0.0.1` as addresses, each in its own way. */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/i;
const ZONE = /%[a-z0-9._-]{1,32}$/i;
export const PORT_MAX = 65_535;
/** Listening there means on all addresses of the machine, those of IPv4 as well. */
export const EVERY_ADDRESS = "::";
export const EVERY_IPV4_ADDRESS = "0.0.0.0";

/** Four decimal numbers, or IPv6 without brackets: the forms that mean the same everywhere. */
export function isPlainAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.IPv6.isValid(text));
}

/** Returns why nothing can listen there, in a few words; otherwise undefined. Accepts a zone after an IPv6 address (`fe80::1%eth0`). */
export function listenProblem(text: string): string | undefined {
  const address = text.includes(":") ? text.replace(ZONE, "") : text;
  if (!isPlainAddress(address)) return nameProblem(text);
  const range = ipaddr.parse(address).range();
  return range === "multicast" || range === "broadcast"
    ? `a ${range} address, where nothing can listen`
    : undefined;
}

/** Parses a Host header: an address (IPv6 in brackets) or a name, with an optional port. */
export function hostProblem(text: string): string | undefined {
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]*))?$/.exec(text);
  if (!parts) return "neither an address nor a hostname (put IPv6 addresses in brackets)";
  const [, host = "", port] = parts;
  if (port !== undefined && (!/^[1-9][0-9]{0,4}$/.test(port) || Number(port) > PORT_MAX))
    return `its port is not a number from 1 to ${PORT_MAX}`;
  if (host.startsWith("["))
    return ipaddr.IPv6.isValid(host.slice(1, -1)) ? undefined : "not an IPv6 address in brackets";
  return isPlainAddress(host) ? undefined : nameProblem(host);
}

function nameProblem(text: string): string | undefined {
  const labels = text.split(".");
  if (text.length > NAME_CHARACTERS_MAX || !labels.every((label) => LABEL.test(label)))
    return "neither an address nor a hostname";
  return NUMBER.test(labels.at(-1)!)
    ? "not an address: expected four numbers from 0 to 255, or an IPv6 address"
    : undefined;
}

/** Returns `host:port`, with an IPv6 address in brackets. */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
