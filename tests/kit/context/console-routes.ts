// Every page and form of a server's console for people who are signed in, as its areas declare them.

import { ConsoleCookies } from "../../../src/context/console/door.ts";
import type { Parts } from "../../../src/context/parts.ts";
import { serverAreas } from "../../../src/context/server-console.ts";

interface DeclaredRoute {
  readonly method: "GET" | "POST";
  /** `:name` is one segment, `*` the rest. */
  readonly path: string;
  /** `GET /console/users/:user` */
  readonly name: string;
}

/** Matches the addresses of a declared path. */
export function addressesOf(path: string): RegExp {
  const segments = path.split("/").map((one) => (one.startsWith(":") ? "[^/]+" : RegExp.escape(one)));
  return new RegExp(`^${segments.join("/").replace(/\\\*$/, ".+")}(?:[?]|$)`);
}

/** The areas only keep what they are given, so a page is enough to build them. */
const parts = { config: { trustedProxies: [], listen: {} }, spaces: {} } as unknown as Parts;

export const CONSOLE_ROUTES: readonly DeclaredRoute[] = serverAreas(
  parts,
  new ConsoleCookies(() => 0, { includes: () => false }),
)
  .flatMap(({ routes }) => routes)
  .filter((route) => "answer" in route)
  .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }));
