// Runs before every test file: the same empty surroundings on every machine, so that no test reads a person's files, uses their
// keys or goes through their proxy. Programs that tests start inherit this.
// An unhandled rejection needs nothing here: `bun test` fails the test it belongs to, as long as nobody adds a handler
// (tests/house/preload.test.ts holds it to that).

import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Variables that would change what programs do: ours, those of providers, those of Bun and of the network. */
const FOREIGN = [
  /^SERVICE_/,
  /_(API_)?(KEY|TOKEN|SECRET)$/,
  /^(ANTHROPIC|OPENAI)_/,
  /^(HTTP|HTTPS|ALL|NO|FTP)_PROXY$/i,
  /^XDG_/,
  /^BUN_(OPTIONS|BE_BUN|INSPECT.*)$/,
  /^(NO_COLOR|FORCE_COLOR|SOURCE_DATE_EPOCH|KUBERNETES_SERVICE_HOST|container)$/,
];

for (const name of Object.keys(process.env)) {
  if (FOREIGN.some((pattern) => pattern.test(name))) delete process.env[name];
}

const home = mkdtempSync(join(tmpdir(), "cairn-test-home-"));
process.env.HOME = home;
process.env.USERPROFILE = home;
// `bun test` ends without an exit event; a hook of the preload runs after the last test of all.
afterAll(() => rmSync(home, { recursive: true, force: true }));
