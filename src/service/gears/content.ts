// The exact content of a gear: its files, its entrypoint, and the hash that an approval refers to.
//
// The content hash is the SHA-256 of canonical JSON (kit/crypto) of {args_schema, description, entrypoint, files: [{path, sha256}], name, runtime},
// with files in ascending order of path (as UTF-8 bytes), and sha256 of each file's bytes in hex. Documented in docs/gears.md.

import { canonicalJson, sha256Hex } from "../../kit/crypto.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import { clashOf, INPUTS_FOLDER } from "../sandbox/gear-files.ts";
import { GEAR_CODE_BYTES_MAX, type GearFile, type GearFileInput, type GearRuntime } from "./schema.ts";
import type { FileRow } from "./store.ts";

/** Fixed by the service; a binary gear names its own. */
const ENTRYPOINTS: Readonly<Record<Exclude<GearRuntime, "binary">, string>> = {
  python: "main.py",
  node: "main.js",
  bash: "main.sh",
};

export interface Content {
  readonly name: string;
  /** Part of the prompt of every agent that may call the gear, so it is approved like the program. */
  readonly description: string;
  readonly runtime: GearRuntime;
  readonly entrypoint: string;
  readonly argsSchema: string;
  readonly files: readonly FileRow[];
}

interface CodeInput {
  readonly code?: string | undefined;
  readonly files?: readonly GearFileInput[] | undefined;
  readonly entrypoint?: string | undefined;
}

/** Raises `invalid` naming the field, `too_large` over GEAR_CODE_BYTES_MAX. */
export function parseCode(runtime: GearRuntime, input: CodeInput): Pick<Content, "entrypoint" | "files"> {
  if ((input.code === undefined) === (input.files === undefined)) {
    throw fieldError("invalid", "code", "give the program either as code or as files");
  }
  const entrypoint = entrypointOf(runtime, input);
  const files =
    input.files === undefined ? [fileOf(entrypoint, { content: input.code! }, "code")] : listOf(input.files);
  requireTree(files);
  const entry = files.find((file) => file.path === entrypoint);
  if (!entry) throw fieldError("invalid", "files", `the entrypoint ${entrypoint} is missing`);
  if (entry.content.byteLength === 0)
    throw new AppError("invalid", `${input.code === undefined ? "files" : "code"}: the program is empty`);
  if (runtime === "binary" && entry.encoding !== "base64")
    throw fieldError("invalid", "files", "the entrypoint of a binary gear must be given as base64");
  if (bytesOf(files) > GEAR_CODE_BYTES_MAX) {
    throw new AppError(
      "too_large",
      `the gear's files are larger than ${GEAR_CODE_BYTES_MAX} bytes in total`,
      { limit_bytes: GEAR_CODE_BYTES_MAX },
    );
  }
  return { entrypoint, files };
}

function entrypointOf(runtime: GearRuntime, input: CodeInput): string {
  if (runtime !== "binary") {
    const entrypoint = ENTRYPOINTS[runtime];
    if (input.entrypoint === undefined || input.entrypoint === entrypoint) return entrypoint;
    throw fieldError("invalid", "entrypoint", `must be ${entrypoint} for ${runtime}; omit it`);
  }
  if (input.code !== undefined)
    throw fieldError("invalid", "code", "not for a binary gear; give files with base64 content");
  if (input.entrypoint === undefined)
    throw fieldError("invalid", "entrypoint", "missing; name the file that a binary gear runs");
  return parseDocumentPath("entrypoint", input.entrypoint);
}

function listOf(files: readonly GearFileInput[]): FileRow[] {
  return files.map((file, index) =>
    fileOf(parseDocumentPath(`files.${index}.path`, file.path), file, `files.${index}.content`),
  );
}

function fileOf(path: string, input: Pick<GearFileInput, "content" | "encoding">, field: string): FileRow {
  if (input.encoding === "base64")
    return { path, encoding: "base64", content: fromBase64(input.content, field) };
  if (!input.content.isWellFormed()) throw fieldError("invalid", field, "not valid Unicode");
  return { path, encoding: "utf8", content: new TextEncoder().encode(input.content) };
}

function fromBase64(text: string, field: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  const written = Buffer.from(bytes).toString("base64");
  if (written === text || written.replace(/=+$/, "") === text) return bytes;
  throw fieldError("invalid", field, "not valid base64");
}

/** Refuses two files that are one on a case-insensitive file system, a file in place of a directory, and files in the inputs folder. */
function requireTree(files: readonly FileRow[]): void {
  const clash = clashOf(files.map(({ path }) => path));
  if (clash === undefined) return;
  const problems = {
    twice: `${clash.path} appears twice`,
    directory: `${clash.path} cannot be both a file and a directory`,
    inputs: `${INPUTS_FOLDER}/ is reserved for files of the workspace`,
  };
  throw fieldError("invalid", "files", problems[clash.kind]);
}

export function bytesOf(files: readonly FileRow[]): number {
  return files.reduce((sum, file) => sum + file.content.byteLength, 0);
}

/** Code that takes about as long to hash and store as a write of ordinary size. */
const CHARACTERS_AS_WRITE = 8 * 1024;

/** The weight of the write that stores this code (see `WriteOptions`), so that several large gears are not one commit. */
export function weightOf({ code = "", files = [] }: CodeInput): number {
  const characters = files.reduce((sum, { content }) => sum + content.length, code.length);
  return 1 + Math.floor(characters / CHARACTERS_AS_WRITE);
}

/** Returns the text whose SHA-256 is the content hash. Audit records hash the same text. */
export function canonicalContent(content: Content): string {
  return canonicalNamed(content)(content.name);
}

export function contentHash(content: Content): string {
  return sha256Hex(canonicalContent(content));
}

/** Returns the content hash of the same gear under any name, without reading the files again. */
export function contentHashes(content: Omit<Content, "name">): (name: string) => string {
  const canonical = canonicalNamed(content);
  return (name) => sha256Hex(canonical(name));
}

function canonicalNamed(content: Omit<Content, "name">): (name: string) => string {
  const { description, runtime, entrypoint, argsSchema: args_schema } = content;
  const files = content.files
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
    .map((file) => ({ path: file.path, sha256: sha256Hex(file.content) }));
  return (name) => canonicalJson({ name, description, runtime, entrypoint, files, args_schema });
}

export function shownFiles(files: readonly FileRow[]): GearFile[] {
  return files.map(({ path, encoding, content }) => ({
    path,
    encoding,
    content: shownContent(encoding, content),
  }));
}

/** Returns the text of the entrypoint; null unless it was given as text. */
export function shownCode(entrypoint: string, files: readonly FileRow[]): string | null {
  const entry = files.find((file) => file.path === entrypoint);
  return entry?.encoding === "utf8" ? shownContent("utf8", entry.content) : null;
}

function shownContent(encoding: GearFile["encoding"], content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString(encoding);
}
