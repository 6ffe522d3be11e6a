// The limit of every wait in tests, which only a wait that fails reaches. Shorter than a server keeps a connection that asks nothing.

export const WAIT_LIMIT_MS = 20_000;
