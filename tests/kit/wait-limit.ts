// The limit of every wait in tests, which only a wait that fails reaches. Shorter than a server keeps a connection that asks nothing.

export const WAIT_LIMIT_MS = 20_000;

/** Of the whole run of a program that a test starts: less than a test has. */
export const RUN_LIMIT_MS = 50_000;
