// The words that a command of ours needs to act on a space from any directory: for commands that are written into files and shown to AI tools.

import { resolve } from "node:path";
import { commandText } from "../kit/terminal/command-text.ts";
import { ownCommand, processEnvironment } from "../kit/environment.ts";
import type { SpaceCommandFlags } from "./connection.ts";
import { spaceTarget } from "./target.ts";

interface SpaceWords {
  /** The program, absolute. */
  readonly program: string;
  /** The flags that name the space. */
  readonly flags: readonly string[];
  /** The folder of a local space. */
  readonly folder: string | undefined;
}

/** `space`: its name, which flags for a server need. Raises as opening the space does. */
export function spaceWords(given: SpaceCommandFlags, space: string): SpaceWords {
  const environment = processEnvironment();
  const target = spaceTarget(given, environment);
  const program = ownCommand("cairn", environment);
  if (target.kind === "folder")
    return { program, flags: ["--dir", target.directory], folder: target.directory };
  const token = given["token-file"];
  const server =
    target.kind === "data"
      ? ["--server-dir", target.directory]
      : ["--server", target.url, ...(token === undefined ? [] : ["--token-file", resolve(token)])];
  return { program, flags: [...server, "--space", space], folder: undefined };
}

/** For a shell, with the words of a command between program and flags. */
export function commandOn({ program, flags }: SpaceWords, ...words: readonly string[]): string {
  return commandText([program, ...words, ...flags]);
}
