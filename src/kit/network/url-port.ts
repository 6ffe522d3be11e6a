// The port of a URL. In a file of its own, since it needs nothing, and each command asks it.

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Of an address with http or https. */
export function portOf({ port, protocol }: URL): number {
  return port === "" ? DEFAULT_PORTS[protocol]! : Number(port);
}
