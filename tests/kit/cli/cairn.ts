// The compiled `cairn` at the hands of a person: what a command prints when it succeeds, and what it says when it is refused.

import { expect } from "bun:test";
import { join } from "node:path";
import { initServer } from "../../../src/context/init-server.ts";
import { runBinary, type Outcome, type Surroundings } from "../binaries.ts";
import { temporaryFolder, type Folder } from "../folder.ts";

export interface Cairn {
  /** Whatever comes of it. */
  cairn(...args: string[]): Promise<Outcome>;
  /** Raises unless it succeeds and says nothing else, except the commands that come next. */
  printed(...args: string[]): Promise<string>;
  /** The same with `--json`. */
  data<T>(...args: string[]): Promise<T>;
  /** Exit code and message, whatever it prints. */
  said(...args: string[]): Promise<[exitCode: number, message: string]>;
  /** The same of a command that prints nothing. */
  refused(...args: string[]): Promise<[exitCode: number, message: string]>;
}

/** Returns standard error without the commands that come next. */
export function withoutNext(stderr: string): string {
  return stderr.replaceAll(/\[info\] next:\n(?: {2}.*\n)+/g, "");
}

/** `at`: added to every command. */
export function cairnAt(at: readonly string[], surroundings?: Surroundings): Cairn {
  const cairn = (...args: string[]) => runBinary("cairn", [...args, ...at], surroundings);
  const printed = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await cairn(...args);
    expect([exitCode, withoutNext(stderr)]).toEqual([0, ""]);
    return stdout;
  };
  return {
    cairn,
    printed,
    data: async <T>(...args: string[]) => JSON.parse(await printed(...args, "--json")) as T,
    async said(...args) {
      const { exitCode, stderr } = await cairn(...args);
      return [exitCode, stderr];
    },
    async refused(...args) {
      const { exitCode, stdout, stderr } = await cairn(...args);
      expect(stdout).toBe("");
      return [exitCode, stderr];
    },
  };
}

export const { cairn, printed, data, said, refused } = cairnAt([]);

/** The outcome of a command that fails. */
export const failure = (message: string, exitCode = 1): [number, string] => [exitCode, `Error: ${message}\n`];

export interface StoppedContext extends AsyncDisposable, Cairn {
  readonly directory: string;
  /** Around the directory. */
  readonly folder: Folder;
  inside(...names: string[]): string;
}

/** A server that does not run: its first space is `main`, its admin `ada`. */
export async function stoppedContext(template: "team" | "blank" = "team"): Promise<StoppedContext> {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const log = { format: "json" as const, write: () => {} };
  await initServer({ directory, space: "main", admin: "ada", port: 0, template }, log);
  return {
    ...cairnAt(["--server-dir", directory]),
    directory,
    folder,
    inside: (...names) => join(directory, ...names),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
