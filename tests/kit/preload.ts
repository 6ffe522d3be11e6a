// Runs before every test file.
// An unhandled rejection needs nothing here: `bun test` fails the test it belongs to, as long as nobody adds a handler
// (tests/house/preload.test.ts holds it to that).

import { afterAll } from "bun:test";
import { rmSync } from "node:fs";
import { isolate } from "./isolation.ts";
import { lightenPasswords } from "./light-passwords.ts";
import { handWorkersOn } from "./light-workers.ts";
import { keepThings } from "./run-end.ts";

const home = isolate();
lightenPasswords();
handWorkersOn();
// `bun test` ends without an exit event; a hook of the preload runs after the last test of all.
const things = keepThings();
afterAll(async () => {
  await things.disposeAsync();
  rmSync(home, { recursive: true, force: true });
});
