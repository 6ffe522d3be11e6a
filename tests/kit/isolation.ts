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

const DOCKER_VARIABLES = ["DOCKER_HOST", "DOCKER_CONTEXT"] as const;
/** Nothing listens there. */
export const NO_DOCKER = "unix:///nonexistent/docker.sock";
/** As the client has it; named, because a program that a test starts has the variable of the tests otherwise. */
const DOCKER_DEFAULT =
  process.platform === "win32" ? "npipe:////./pipe/docker_engine" : "unix:///var/run/docker.sock";
const ofMachine: Partial<Record<(typeof DOCKER_VARIABLES)[number], string>> = {};

/**
 * Changes this process's environment. Returns the new, empty HOME, which the caller removes. A docker daemon of the machine, or of another run of
 * tests, is not found: a service would run its gears there, where none reaches the files of its test.
 */
export function isolate(): string {
  for (const name of Object.keys(process.env)) {
    if (FOREIGN.some((pattern) => pattern.test(name))) delete process.env[name];
  }
  for (const name of DOCKER_VARIABLES) {
    const value = process.env[name];
    // A run within a run has the surroundings of the outer one.
    if (value !== undefined && value !== NO_DOCKER) ofMachine[name] = value;
    delete process.env[name];
  }
  process.env.DOCKER_HOST = NO_DOCKER;
  const home = mkdtempSync(join(tmpdir(), "cairn-test-home-"));
  process.env.HOME = home;
  process.env.USERPROFILE = home;
  return home;
}

/** The variables with which a client finds the docker daemon of this machine, for tests about containers. */
export function machinesDocker(): Record<string, string> {
  return { DOCKER_HOST: DOCKER_DEFAULT, ...ofMachine };
}
