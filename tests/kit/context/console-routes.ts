// Every page and form of a server's console and of `cairn ui`, as their areas declare them.

import type { Area } from "../../../src/context/console/area.ts";
import { ConsoleCookies } from "../../../src/context/console/door.ts";
import { uiAreas } from "../../../src/context/local-console.ts";
import type { Parts } from "../../../src/context/parts.ts";
import { serverAreas } from "../../../src/context/server-console.ts";

interface DeclaredRoute {
  readonly method: "GET" | "POST";
  /** `:name` is one segment, `*` the rest. */
  readonly path: string;
  /** `GET /console/users/:user` */
  readonly name: string;
  /** For everyone. */
  readonly isOpen: boolean;
}

/** Matches the addresses of a declared path. */
export function addressesOf(path: string): RegExp {
  const segments = path.split("/").map((one) => (one.startsWith(":") ? "[^/]+" : RegExp.escape(one)));
  return new RegExp(`^${segments.join("/").replace(/\\\*$/, ".+")}(?:[?]|$)`);
}

function declared(areas: readonly Area[]) {
  return areas
    .flatMap(({ routes }) => routes)
    .map((route) => ({
      method: route.method,
      path: route.path,
      name: `${route.method} ${route.path}`,
      isOpen: "open" in route,
    }));
}

/** The areas only keep what they are given, so a page is enough to build them. */
const parts = { config: { trustedProxies: [], listen: {} }, spaces: {} } as unknown as Parts;

/** Also those for signing in. */
export const ALL_CONSOLE_ROUTES: readonly DeclaredRoute[] = declared(
  serverAreas(parts, new ConsoleCookies(() => 0, { includes: () => false })),
);

/** For people who are signed in. */
export const CONSOLE_ROUTES: readonly DeclaredRoute[] = ALL_CONSOLE_ROUTES.filter(({ isOpen }) => !isOpen);

export const UI_ROUTES: readonly DeclaredRoute[] = declared(
  uiAreas({ onEntered: () => {} } as unknown as Parameters<typeof uiAreas>[0]),
);
