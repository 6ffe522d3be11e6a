// Names of conflict files: `notes.conflict-ada-20261122T130000Z.md` beside `notes.md`. A conflict is open as long as its file exists, on every copy
// and on the server, so nothing else records it.

import { rfc3339 } from "../../kit/clock.ts";
import { PATH_BYTES_MAX, type DocumentPath } from "../../kit/text/paths.ts";

const SEGMENT_BYTES_MAX = 255;
const USER_CHARACTERS_MAX = 40;
const UTF8_BYTES_PER_UNIT_MAX = 3;
const EXTENSION_BYTES_MAX = 16;
/** Of a character with the marks that combine with it: a cut leaves less than this unused. */
const CHARACTER_BYTES_MAX = 64;
const MARK = /^(.*)\.conflict-([\p{L}\p{N}_-]+)-(\d{8}T\d{6}Z)(?:-\d+)?(\.[^./]*)?$/su;

export interface ConflictName {
  /** The file that it conflicts with. */
  readonly path: string;
  readonly user: string;
  /** RFC 3339. */
  readonly opened_at: string;
}

/** Returns the name for the local version of a file. `isTaken`: tried with further names until one is free. */
export function conflictName(
  path: string,
  user: string,
  time: number,
  isTaken: (name: string) => boolean,
): DocumentPath {
  const stamp = rfc3339(time).replace(/[-:]|\.\d+/g, "");
  for (let count = 1; ; count += 1) {
    const name = named(path, `.conflict-${plainUser(user)}-${stamp}${count === 1 ? "" : `-${count}`}`);
    if (!isTaken(name)) return name as DocumentPath;
  }
}

/** `mark` goes before the extension. Cuts the rest of a name that becomes too long. */
function named(path: string, mark: string): string {
  const { directory, stem, extension } = partsOf(path);
  const end = `${mark}${extension}`;
  const room = SEGMENT_BYTES_MAX - Buffer.byteLength(end);
  const roomBelow = PATH_BYTES_MAX - Buffer.byteLength(directory) - Buffer.byteLength(end);
  // In a directory with too long a path, the file goes to the top of the space.
  return roomBelow > 0
    ? `${directory}${cut(stem, Math.min(room, roomBelow))}${end}`
    : `${cut(stem, room)}${end}`;
}

function partsOf(path: string): { directory: string; stem: string; extension: string } {
  const slash = path.lastIndexOf("/") + 1;
  const [directory, file] = [path.slice(0, slash), path.slice(slash)];
  const dot = file.lastIndexOf(".");
  const hasExtension = dot > 0 && Buffer.byteLength(file.slice(dot)) <= EXTENSION_BYTES_MAX;
  return hasExtension
    ? { directory, stem: file.slice(0, dot), extension: file.slice(dot) }
    : { directory, stem: file, extension: "" };
}

/** Returns with what the names of a file's conflict files begin in its directory, unless they are cut. */
export function conflictBeginning(path: string): string {
  return `${partsOf(path).stem}.conflict-`;
}

/** Undefined: not the name of a conflict file. */
export function parseConflictName(path: string): ConflictName | undefined {
  // A look for the plain text is much faster.
  const match = path.includes(".conflict-") ? MARK.exec(path) : null;
  if (!match) return undefined;
  const [, stem = "", user = "", stamp = "", extension = ""] = match;
  const [, date = "", time = ""] = /^(\d{8})T(\d{6})Z$/.exec(stamp) ?? [];
  const opened_at = `${date.replace(/(\d{4})(\d\d)/, "$1-$2-")}T${time.replace(/(\d\d)(\d\d)/, "$1:$2:")}Z`;
  return { path: `${stem}${extension}`, user, opened_at };
}

/** A name that was cut says only how that of its file begins, in this directory; one at the top may come from a directory without room. */
export function mayBeCut(copy: string): boolean {
  if (!copy.includes("/")) return true;
  const file = copy.slice(copy.lastIndexOf("/") + 1);
  return (
    Buffer.byteLength(file) >= SEGMENT_BYTES_MAX - CHARACTER_BYTES_MAX ||
    Buffer.byteLength(copy) >= PATH_BYTES_MAX - CHARACTER_BYTES_MAX
  );
}

/** Returns the one of `paths` whose conflict file has a name that was cut to `copy`; undefined: none. */
export function fileOfCut(copy: string, paths: Iterable<string>): string | undefined {
  const [, stem, , , extension = ""] = MARK.exec(copy) ?? [];
  if (stem === undefined) return undefined;
  const end = copy.slice(stem.length);
  const mark = end.slice(0, end.length - extension.length);
  const plain = `${stem}${extension}`;
  const isAtTop = !copy.includes("/");
  let found: string | undefined;
  for (const path of paths) {
    // The file of a name that was not cut.
    if (path === plain) return undefined;
    if (path === copy || found !== undefined) continue;
    if ((path.startsWith(stem) || (isAtTop && hasNoRoom(path, end))) && named(path, mark) === copy)
      found = path;
  }
  return found;
}

/** Reports whether a conflict file of the path goes to the top of the space. */
function hasNoRoom(path: string, end: string): boolean {
  if (path.length * UTF8_BYTES_PER_UNIT_MAX + end.length < PATH_BYTES_MAX) return false;
  const directory = path.slice(0, path.lastIndexOf("/") + 1);
  return Buffer.byteLength(directory) + Buffer.byteLength(end) >= PATH_BYTES_MAX;
}

/** Names of users may hold characters that paths may not. */
function plainUser(user: string): string {
  const plain = user.normalize("NFC").replace(/[^\p{L}\p{N}_-]+/gu, "-");
  return [...plain].slice(0, USER_CHARACTERS_MAX).join("") || "user";
}

/** Keeps whole characters, with the marks that combine with them. */
function cut(text: string, bytesMax: number): string {
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(kept + segment) > bytesMax) break;
    kept += segment;
  }
  return kept.trim() === "" ? "file" : kept;
}
