// Unpacks an archive into an empty directory and verifies that it is complete: only the names of a backup, each once, and each file with the hash
// from the manifest. content.ts verifies what the files contain.

import { mkdir, open, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import { sizeText } from "../../kit/text/amounts.ts";
import { guarded } from "../../kit/disk/disk.ts";
import { AppError } from "../../kit/error.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../kit/disk/modes.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import type { Packed } from "../../kit/disk/tar.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import { SPACE_NAME_PATTERN, SPACES_MAX } from "../spaces/schema.ts";
import { readArchive } from "../../kit/backup/archive.ts";
import { writeWhole } from "../../kit/disk/write-whole.ts";
import type { Member } from "../../kit/backup/schema.ts";
import { BACKUP_FORMAT, Manifest, MANIFEST_BYTES_MAX, MANIFEST_NAME } from "./schema.ts";

export const CONFIG_MEMBER = "server.yaml";
export const DATABASE_MEMBER = "server.db";
export const AUDIT_MEMBER = "audit/audit.jsonl";
const OF_SERVER: readonly string[] = [CONFIG_MEMBER, DATABASE_MEMBER, AUDIT_MEMBER];
const MEMBERS_MAX = OF_SERVER.length + 2 * SPACES_MAX;
const OF_SPACE = new RegExp(`^spaces/${SPACE_NAME_PATTERN.slice(1, -1)}/\\.cairn/space\\.(?:yaml|db)$`);
/** The first file in a backup of `service`, without memory and with it. */
const OF_SERVICE = /^(?:service\.db$|memory\/)/;

export function spaceMembers(space: string): { readonly file: string; readonly database: string } {
  const own = `spaces/${space}/.cairn`;
  return { file: `${own}/space.yaml`, database: `${own}/space.db` };
}

export function manifestHash(manifest: Manifest): string {
  return sha256Hex(canonicalJson({ ...manifest, hash: undefined }));
}

export interface Unpacked {
  readonly manifest: Manifest;
  /** The hash of the archive. */
  readonly sha256: string;
}

/**
 * Reads the archive twice: once to compare it with its manifest, which comes last, and once to write the files. Raises `not_found`, `invalid` for
 * the first problem, `refused` for a format that this version does not read, `unavailable` when the disk is full, and the reason of `signal`.
 * `onBytes`: the bytes written since the last call.
 */
export async function unpack(
  path: string,
  directory: string,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<Unpacked> {
  const { manifest } = await readMembers(path, signal, readThrough);
  const sizes = new Map(manifest.members.map(({ name, size }) => [name, size]));
  await requireRoom(directory, manifest);
  return readMembers(path, signal, (file) => {
    if (sizes.get(file.name) !== file.size)
      throw new AppError("invalid", `"${file.name}": changed while it was being read`);
    return guarded(directory, () => write(file, join(directory, file.name), onBytes));
  });
}

async function readThrough({ content }: Packed): Promise<void> {
  for await (const _ of content);
}

/** Calls `take` with each file except the manifest; `take` must consume the content. Raises as `unpack`, and what `take` raises. */
async function readMembers(
  path: string,
  signal: AbortSignal,
  take: (file: Packed) => Promise<void>,
): Promise<Unpacked> {
  const found = new Map<string, Member>();
  let text: string | undefined;
  let manifest: Manifest | undefined;
  const visit = async (file: Packed) => {
    const { name, size } = file;
    if (text !== undefined)
      throw new AppError("invalid", `"${name}": found after the manifest, which must be last`);
    if (name === MANIFEST_NAME) {
      const said = (text = await textOf(file));
      return () => compare((manifest = parseManifest(said)), found);
    }
    if (!OF_SERVER.includes(name) && !OF_SPACE.test(name)) throw new AppError("invalid", strangeness(name));
    if (found.has(name)) throw new AppError("invalid", `"${name}": found twice`);
    if (found.size >= MEMBERS_MAX) throw new AppError("invalid", `more than ${MEMBERS_MAX} files`);
    const hasher = new Bun.CryptoHasher("sha256");
    await take({ name, size, content: hashed(file.content, hasher) });
    found.set(name, { name, size, sha256: hasher.digest("hex") });
    return undefined;
  };
  const sha256 = await readArchive(path, visit, signal);
  if (!manifest) throw new AppError("invalid", `${path}: ${MANIFEST_NAME} is missing`);
  return { manifest, sha256 };
}

function strangeness(name: string): string {
  return OF_SERVICE.test(name)
    ? "a backup of service, not of a context server; unpack it with tar, as docs/configuration.md shows"
    : `"${name}": not the name of a file in a backup`;
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hasher: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hasher.update(piece);
    yield piece;
  }
}

async function requireRoom(directory: string, { members }: Manifest): Promise<void> {
  const needed = members.reduce((sum, { size }) => sum + size, 0);
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (needed <= free) return;
  throw new AppError(
    "unavailable",
    `the disk is full: the backup unpacks to ${needed} bytes, but only ${free} are free; free some space and try again`,
    { needed_bytes: needed, free_bytes: free },
  );
}

async function write({ content }: Packed, path: string, onBytes: (count: number) => void): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const handle = await open(path, "wx", PRIVATE_FILE_MODE);
  try {
    for await (const piece of content) {
      await writeWhole(handle, piece);
      onBytes(piece.length);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function textOf({ name, size, content }: Packed): Promise<string> {
  if (size > MANIFEST_BYTES_MAX)
    throw new AppError("invalid", `${name}: larger than ${sizeText(MANIFEST_BYTES_MAX)}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

/** Raises `refused` for another format, `invalid` for anything else that is not a manifest. */
function parseManifest(text: string): Manifest {
  const value = parsedJson(text);
  if (value === undefined) throw new AppError("invalid", `${MANIFEST_NAME}: not valid JSON`);
  refuseOtherFormat(value as { format?: unknown; cairn_version?: unknown } | null);
  if (!Value.Check(Manifest, value)) {
    const problem = firstProblem(Manifest, value, { whole: "the file" });
    throw new AppError("invalid", `${MANIFEST_NAME}: ${problem}`);
  }
  if (manifestHash(value) !== value.hash)
    throw new AppError("invalid", `${MANIFEST_NAME}: the file was edited: its hash does not match`);
  return value;
}

function refuseOtherFormat(value: { format?: unknown; cairn_version?: unknown } | null): void {
  const format = value?.format;
  if (format === BACKUP_FORMAT || typeof format !== "number") return;
  const by = typeof value?.cairn_version === "string" ? ` (cairn ${value.cairn_version})` : "";
  const age = format < BACKUP_FORMAT ? "an older" : "a newer";
  throw new AppError(
    "refused",
    `the backup has format ${format}, from ${age} version${by}; this version reads format ${BACKUP_FORMAT}, so restore with the version that made it`,
  );
}

/** Raises `invalid` for the first file that differs from the manifest. */
function compare(manifest: Manifest, found: ReadonlyMap<string, Member>): void {
  const listed = new Map(manifest.members.map((member) => [member.name, member]));
  const needed = manifest.spaces.flatMap(({ name }) => Object.values(spaceMembers(name)));
  for (const name of [...OF_SERVER, ...needed, ...listed.keys()])
    if (!found.has(name)) throw new AppError("invalid", `${name} is missing`);
  for (const { name, size, sha256 } of found.values()) {
    const said = listed.get(name);
    if (!said) throw new AppError("invalid", `${name} is not listed in the manifest`);
    if (said.size !== size) throw new AppError("invalid", `${name}: ${size} bytes instead of ${said.size}`);
    if (said.sha256 !== sha256)
      throw new AppError("invalid", `${name}: differs from the file that was backed up (SHA-256)`);
  }
  const known = new Set([...OF_SERVER, ...needed]);
  const stray = [...found.keys()].find((name) => !known.has(name));
  if (stray !== undefined) throw new AppError("invalid", `${stray}: its space is not in the manifest`);
}
