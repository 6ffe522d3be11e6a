// How the person who decided was authenticated, in words.

export const AUTH_NAMES: Readonly<Record<string, string>> = {
  loopback: "this machine",
  session: "session",
  token: "token",
  system: "the service",
  none: "not signed in",
};
