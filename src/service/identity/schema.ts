// What a user is, and how a caller proved who they are.

import { oneOf } from "../../kit/schema.ts";

export const roles = ["admin", "team-lead", "member"] as const;
export const Role = oneOf(roles);
export type Role = (typeof roles)[number];

/** Every decision records it. */
export const authKinds = ["loopback", "session", "token"] as const;
export const AuthKind = oneOf(authKinds);
export type AuthKind = (typeof authKinds)[number];
