// `.cairn/space.yaml`: the metadata of a space, which people can read and edit. The database holds a copy. The file wins if someone edited it
// while the server was stopped; the database wins if the file is missing, unreadable, or older than the last change.

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { probeDirectory } from "../../kit/health.ts";
import type { Log } from "../../kit/log.ts";
import { unwritableProblem } from "../../kit/disk/disk.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import { readYaml } from "../../kit/text/yaml-file.ts";
import type { EngineKind, SpaceEngine, SpaceMetadata } from "../versioned-store/engine.ts";
import { SpaceFile } from "./schema.ts";

const OWN = ".cairn";
const FILE = "space.yaml";

interface SpaceFileDeps {
  readonly clock: Clock;
  readonly log: Log;
}

export function spaceFilePath(folder: string): string {
  return join(folder, OWN, FILE);
}

/** Reports whether the folder holds a space, with or without its file. */
export function holdsSpace(folder: string, engine: EngineKind): boolean {
  return existsSync(spaceFilePath(folder)) || engine.holdsSpace(folder);
}

/**
 * Says that the database of a space is lost. A new, empty one would drop every version, so it is created only if a person asks for it. Undefined: it
 * is there, or the folder holds no space. A creation that was interrupted has no `space.yaml` yet (`saveSpaceFile`).
 */
export function lostDatabase(folder: string, engine: EngineKind): string | undefined {
  const [file, database] = [spaceFilePath(folder), engine.databaseOf(folder)];
  if (!existsSync(file) || existsSync(database)) return undefined;
  return `${database} is missing, but ${file} shows that it held the versions of the space`;
}

/** Says what to do about a lost database on a server. */
export function lostDatabaseRemedy(folder: string, name: string): string {
  return `restore it from a backup; or, to start over from the files, without their history: stop the server, move ${spaceFilePath(folder)} away, start the server, and run cairn space create ${name} --template blank, then cairn space adopt ${name}`;
}

/** Raises `unavailable` for a space of a server whose database is lost. */
export function requireDatabase(folder: string, name: string, engine: EngineKind): void {
  const lost = lostDatabase(folder, engine);
  if (lost !== undefined) throw new AppError("unavailable", `${lost}; ${lostDatabaseRemedy(folder, name)}`);
}

/** Raises the disk's error if the folder is not writable. */
export function probeSpace(folder: string): Promise<void> {
  return probeDirectory(join(folder, OWN));
}

/** Raises `invalid`. */
export function readSpaceFile(path: string): SpaceFile {
  return parsed(readRegularFile(path), path);
}

/** Returns the file for a backup: as it is on disk, or rebuilt if it is unreadable. */
export function spaceFileBytes(folder: string, file: SpaceFile): Uint8Array {
  const path = spaceFilePath(folder);
  try {
    const bytes = readRegularFile(path);
    parsed(bytes, path);
    return bytes;
  } catch {
    return Buffer.from(textOf(file));
  }
}

/** Called when the space is opened. Raises `invalid` for an invalid file if the database has no copy. */
export async function openSpaceFile(
  folder: string,
  { metadata }: Pick<SpaceEngine, "metadata">,
  deps: SpaceFileDeps,
): Promise<SpaceFile> {
  const path = spaceFilePath(folder);
  const stored = metadata.get();
  const bytes = existsSync(path) ? readRegularFile(path) : undefined;
  const hash = bytes && sha256Hex(bytes);
  if (stored && hash === stored.written) return known(stored.content, path);
  const isOlder = stored !== null && hash === stored.before;
  const edited = bytes && !isOlder ? attempt(() => parsed(bytes, path)) : undefined;
  if (edited?.value) {
    await metadata.set({ content: JSON.stringify(edited.value), written: hash!, before: null });
    if (stored) deps.log.info("space.yaml was edited by hand", { file: path });
    return edited.value;
  }
  if (!stored) throw edited?.error ?? new AppError("invalid", `${path}: not found`);
  const file = known(stored.content, path);
  await rebuilt(path, file, edited?.error, deps);
  return file;
}

/**
 * Writes the database first, then the file: a crash between the two leaves the older file, which is recognized. The next open retries a failed
 * write of the file. `begin`: see `MetadataKeeper.set`.
 */
export async function saveSpaceFile(
  folder: string,
  { metadata }: Pick<SpaceEngine, "metadata">,
  file: SpaceFile,
  { begin = () => {}, log }: { readonly begin?: () => void; readonly log: Log },
): Promise<void> {
  const path = spaceFilePath(folder);
  const text = textOf(file);
  const before = existsSync(path) ? sha256Hex(readRegularFile(path)) : null;
  await metadata.set({ content: JSON.stringify(file), written: sha256Hex(text), before }, begin);
  await written(path, text, log);
}

/** Writes the file of a space that is not open, as its database has it. Does nothing if it is there already. */
export async function writeSpaceFile(
  folder: string,
  { content, written: hash }: SpaceMetadata,
): Promise<void> {
  const path = spaceFilePath(folder);
  if (existsSync(path) && sha256Hex(readRegularFile(path)) === hash) return;
  await replaceFile(path, textOf(known(content, path)));
}

async function rebuilt(
  path: string,
  file: SpaceFile,
  unreadable: unknown,
  { clock, log }: SpaceFileDeps,
): Promise<void> {
  const problem = unwritableProblem(join(path, ".."));
  if (problem !== undefined) {
    log.warn("cannot use space.yaml; the database has its settings", { file: path, problem });
    return;
  }
  if (unreadable !== undefined) {
    const aside = `${path}.unreadable-${clock.now()}`;
    renameSync(path, aside);
    log.warn("cannot read space.yaml; moved it aside and rewrote it from the database", {
      file: path,
      aside,
      error: messageOf(unreadable),
    });
  } else log.warn("space.yaml is missing; rewrote it from the database", { file: path });
  await written(path, textOf(file), log);
}

async function written(path: string, text: string, log: Log): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    log.warn("cannot write space.yaml; the database has its settings", {
      file: path,
      error: messageOf(error),
    });
  }
}

function textOf(file: SpaceFile): string {
  return Bun.YAML.stringify(file, null, 2);
}

function known(content: string, path: string): SpaceFile {
  return checked(JSON.parse(content), path);
}

function parsed(bytes: Uint8Array, path: string): SpaceFile {
  return checked(readYaml(path, new TextDecoder().decode(bytes)), path);
}

const YAML = { whole: "the file", member: "key" } as const;

function checked(value: unknown, path: string): SpaceFile {
  if (Value.Check(SpaceFile, value)) return value;
  throw new AppError("invalid", `${path}: ${firstProblem(SpaceFile, value, YAML)}`);
}

function attempt<T>(work: () => T): { value?: T; error?: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
