// What a user is, and how a caller proved who they are.

import { oneOf } from "../../kit/schema.ts";

/** Longer ones are not even looked up. */
export const TOKEN_CHARACTERS_MAX = 512;
export const SEED_TOKEN_CHARACTERS_MIN = 24;

export const roles = ["admin", "team-lead", "member"] as const;
export const Role = oneOf(roles);
export type Role = (typeof roles)[number];

/** Every decision records it. */
export const authKinds = ["loopback", "session", "token"] as const;
export const AuthKind = oneOf(authKinds);
export type AuthKind = (typeof authKinds)[number];
