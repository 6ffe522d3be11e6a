// The place of a new space: a folder of its own, which may hold files already.

import { accessSync, constants, existsSync, readdirSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CONFIG_FILE_NAME } from "../../context/config/directory.ts";
import { holdsLocalSpace, namedSpaceDirectory, ownSpaceDirectory } from "../../context/space/directory.ts";
import { spaceNameProblem } from "../../context/spaces/schema.ts";
import { RESERVED_NAMES } from "../../context/versioned-store/schema.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { homeDirectory, type Environment } from "../../kit/environment.ts";

/** Counting stops here: people need to know whether there are files, and about how many. */
export const FILES_COUNTED_MAX = 10_000;
const NAME_CHARACTERS_MAX = 63;

/** Absolute: the flag, `$SERVICE_DIR`, or the person's own place. */
export function wantedDirectory(flag: string | undefined, environment: Environment): string {
  return namedSpaceDirectory(flag, environment) ?? ownSpaceDirectory(environment);
}

/** Takes `~` for the home folder, as shells do. */
export function typedDirectory(text: string, environment: Environment): string {
  return resolve(text.replace(/^~(?=$|[/\\])/, () => homeDirectory(environment)));
}

/** Returns why no space can be created there; undefined if one can. */
export function placeProblem(directory: string, environment: Environment): string | undefined {
  const home = homeDirectory(environment);
  if (directory === resolve(home)) return `${directory} is your home folder; choose a folder inside it`;
  if (directory === dirname(directory)) return `${directory} is the whole disk; choose a folder`;
  if (directory === join(home, ".cairn")) return `${directory} contains your settings; choose another folder`;
  const around = outerSpace(directory);
  if (around !== undefined)
    return `${directory} is inside the space in ${around}; a space cannot contain another`;
  if (!existsSync(directory)) return creationProblem(directory);
  if (!statSync(directory).isDirectory()) return `${directory} is not a folder`;
  if (existsSync(join(directory, CONFIG_FILE_NAME)))
    return `${directory} holds a server; choose another folder`;
  return writeProblem(directory);
}

/** The same for the data of a server, which needs a folder of its own. */
export function serverPlaceProblem(directory: string): string | undefined {
  if (!existsSync(directory)) return creationProblem(directory);
  if (!statSync(directory).isDirectory()) return `${directory} is not a folder`;
  if (entriesOf(directory).length > 0) return `${directory} is not empty; choose another folder`;
  return writeProblem(directory);
}

/** The space that the folder is below. */
function outerSpace(directory: string): string | undefined {
  for (let at = dirname(directory); at !== dirname(at); at = dirname(at)) if (holdsLocalSpace(at)) return at;
  return undefined;
}

function creationProblem(directory: string): string | undefined {
  let above = dirname(directory);
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
  return statSync(above).isDirectory() ? writeProblem(above) : `${above} is not a folder`;
}

function writeProblem(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `cannot write in ${directory}: ${accessProblem(error)}; choose another folder`;
  }
}

/** Counts the files that could become documents, up to `FILES_COUNTED_MAX`. Links are not followed. */
export function countFiles(directory: string): number {
  const reserved = new Set<string>(RESERVED_NAMES);
  const waiting = [directory];
  let files = 0;
  for (let at = waiting.pop(); at !== undefined && files < FILES_COUNTED_MAX; at = waiting.pop())
    for (const entry of entriesOf(at)) {
      if (reserved.has(entry.name)) continue;
      if (entry.isDirectory()) waiting.push(join(at, entry.name));
      else if (entry.isFile()) files += 1;
    }
  return Math.min(files, FILES_COUNTED_MAX);
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A name for the space, from the name of its folder. The default folder is named after its purpose, which says nothing about what is in it. */
export function defaultName(directory: string): string {
  const name = basename(directory)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, NAME_CHARACTERS_MAX)
    .replace(/^-+|-+$/g, "");
  return spaceNameProblem(name) === undefined && name !== "space" ? name : "notes";
}
