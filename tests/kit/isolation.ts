// The same empty surroundings on every machine, so that nothing reads a person's files, uses their keys or goes through their proxy. Programs
// that are started afterwards inherit this.

import { mkdtempSync } from "node:fs";
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

/** Changes this process's environment. Returns the new, empty HOME, which the caller removes. */
export function isolate(): string {
  for (const name of Object.keys(process.env)) {
    if (FOREIGN.some((pattern) => pattern.test(name))) delete process.env[name];
  }
  const home = mkdtempSync(join(tmpdir(), "cairn-test-home-"));
  process.env.HOME = home;
  process.env.USERPROFILE = home;
  return home;
}
