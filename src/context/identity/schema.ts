// How a caller proved who they are.

export const authKinds = ["token", "session", "local", "system", "none"] as const;
export type AuthKind = (typeof authKinds)[number];
