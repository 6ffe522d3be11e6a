// The ways in which a caller can be authenticated.

export const authKinds = ["token", "session", "ssh", "local", "system", "none"] as const;
export type AuthKind = (typeof authKinds)[number];
