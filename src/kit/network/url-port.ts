// The port of a URL. A file of its own, without imports: every command loads it.

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Of an address with http or https. */
export function portOf({ port, protocol }: URL): number {
  return port === "" ? DEFAULT_PORTS[protocol]! : Number(port);
}
