// Addresses of the pages of users.

import { withQuery } from "./format.ts";
import type { Crumb } from "./frame.tsx";

export const USERS = "/console/users";

export function userPath(name: string, below = ""): string {
  return `${USERS}/${encodeURIComponent(name)}${below}`;
}

export function crumbsOf(name: string): Crumb[] {
  return [
    { label: "Users", path: USERS },
    { label: name, path: userPath(name) },
  ];
}

/** The page that explains access. */
export const ACCESS = "/console/access";

export function withUser(user: string): string {
  return withQuery(ACCESS, { user });
}
