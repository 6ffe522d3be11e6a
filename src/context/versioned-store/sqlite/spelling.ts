// The spelling of names on a disk that ignores letter case: most of those of macOS and Windows, and memory sticks. A file that was renamed from
// `a.md` to `A.md` also answers to its old name there, and must not count as both.

import { readdirSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { lstatOf, TELLS_SPELLING } from "../../../kit/disk/held-directory.ts";
import { systemCode } from "../../../kit/error.ts";
import { ancestorsOf, foldedPath } from "../../../kit/text/paths.ts";

/** Exists in every space. */
const PROBE = ".cairn";
const GONE = ["ENOENT", "ENOTDIR"];

export class Spelling {
  readonly #root: string;
  #ignoresCase: boolean | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the path of an existing file or directory as its disk spells it, in NFC. Raises errors of the system. */
  of(path: string): string {
    const wanted = path.normalize("NFC");
    if (!this.#isCaseIgnored()) return wanted;
    try {
      return TELLS_SPELLING ? this.#resolved(wanted) : this.#listed(wanted);
    } catch (error) {
      if (GONE.includes(systemCode(error) ?? "")) return wanted;
      throw error;
    }
  }

  isExact(path: string): boolean {
    return this.of(path) === path.normalize("NFC");
  }

  #isCaseIgnored(): boolean {
    if (this.#ignoresCase !== undefined) return this.#ignoresCase;
    const other = PROBE.toUpperCase();
    // Their inodes say nothing: some disks give each spelling another one.
    const [probe, swapped] = [PROBE, other].map((name) => lstatOf(join(this.#root, name)));
    // A space that is being created.
    if (!probe) return false;
    return (this.#ignoresCase = swapped !== undefined && !readdirSync(this.#root).includes(other));
  }

  #resolved(path: string): string {
    const names = realpathSync.native(join(this.#root, path)).split(sep);
    return names.slice(-path.split("/").length).join("/").normalize("NFC");
  }

  /** Reads each directory every time, because FAT leaves the times of a directory as they were when a name in it changes. */
  #listed(path: string): string {
    let found = "";
    for (const segment of path.split("/")) {
      const names = readdirSync(join(this.#root, found)).map((name) => name.normalize("NFC"));
      const name = names.includes(segment) ? segment : names.find(isOtherSpellingOf(segment));
      if (name === undefined) return path;
      found = found === "" ? name : `${found}/${name}`;
    }
    return found;
  }
}

/** Returns the first directory above `path` that the disk spells in another way, as it does. Raises errors of the system. */
export function otherDirectory(spelling: Pick<Spelling, "of">, path: string): string | undefined {
  for (const above of ancestorsOf(path)) {
    const spelled = spelling.of(above);
    if (spelled !== above.normalize("NFC")) return spelled;
  }
  return undefined;
}

function isOtherSpellingOf(segment: string): (name: string) => boolean {
  const folded = foldedPath(segment);
  return (name) => foldedPath(name) === folded;
}
