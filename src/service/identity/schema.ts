// Roles of users, and the ways in which a caller authenticates.

import { oneOf } from "../../kit/schema.ts";

export const SEED_TOKEN_CHARACTERS_MIN = 24;

const roles = ["admin", "team-lead", "member"] as const;
export const Role = oneOf(roles);
export type Role = (typeof roles)[number];

/** How the caller authenticated; recorded with every decision. */
const authKinds = ["loopback", "session", "token"] as const;
export const AuthKind = oneOf(authKinds);
export type AuthKind = (typeof authKinds)[number];
