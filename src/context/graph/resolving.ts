// Finds the file that a link means, among the files that a caller may see. Letter case and Unicode forms do not count, as on the disks that do not
// tell them apart.
//
// [[name]] means the nearest file of that name, with or without the extension of a document. [[folder/name]] is a path, or else the nearest file with
// that end. Markdown links are relative to the folder of their document, or to the space if they begin with a slash. Bare paths are tried both ways.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { foldedPath } from "../../kit/text/paths.ts";
import { DOCUMENT_EXTENSIONS, isDocumentPath } from "../versioned-store/document-files.ts";
import type { Link } from "../versioned-store/links.ts";
import { Folders, ROOT } from "./folders.ts";
import { Names } from "./names.ts";

/** The files that a link to a folder can show; the first that exists wins. */
const FOLDER_PAGES = ["readme.md", "index.md"] as const;
const UP = "../";
/** A segment that is not a name: empty, `.` or `..`. */
const STEP = /(?:^|\/)\.{0,2}(?:\/|$)/;
const PLAIN = /^[\0-\x7f]*$/;

/** Nothing that the caller may see. */
export const BROKEN = -1;
/** A folder without a page of its own, or text that only looks like a path. */
export const NO_FILE = -2;

export class Resolver {
  readonly #folders = new Folders();
  /** The folder of each file. */
  readonly #folderOf: number[] = [];
  readonly #byPath = new Map<string, number>();
  /** By the last segment; documents also without their extension. Most names have one file. */
  readonly #byName = new Map<string, number | Names>();

  /** `files`: sorted by path. Files are numbers in this order. Pauses. */
  static async of(files: readonly { readonly path: string }[]): Promise<Resolver> {
    const resolver = new Resolver();
    const stretch = new Stretch(LIGHT_STEPS);
    for (const { path } of files) {
      resolver.#add(path);
      if (stretch.isOver()) await turnOfOthers();
    }
    return resolver;
  }

  #add(path: string): void {
    const folded = fold(path);
    const file = this.#folderOf.length;
    const slash = folded.lastIndexOf("/");
    this.#folderOf.push(slash < 0 ? ROOT : this.#folders.add(folded.slice(0, slash)));
    if (!this.#byPath.has(folded)) this.#byPath.set(folded, file);
    const name = folded.slice(slash + 1);
    this.#name(name, file);
    const dot = isDocumentPath(name) ? name.lastIndexOf(".") : 0;
    if (dot > 0) this.#name(name.slice(0, dot), file);
  }

  #name(name: string, file: number): void {
    const known = this.#byName.get(name);
    if (known === undefined) return void this.#byName.set(name, file);
    const names = typeof known === "number" ? this.#names(known) : known;
    if (names !== known) this.#byName.set(name, names);
    names.add({ file, folder: this.#folderOf[file]! });
  }

  #names(first: number): Names {
    const names = new Names(this.#folders, (file) => this.#folderOf[file]!);
    names.add({ file: first, folder: this.#folderOf[first]! });
    return names;
  }

  /** Returns the file, `BROKEN` or `NO_FILE`. `from`: the document with the link. */
  resolve(from: number, { kind, target }: Pick<Link, "kind" | "target">): number {
    const folder = this.#folderOf[from]!;
    const wanted = fold(target);
    if (kind === "wiki") return this.#named(folder, wanted);
    const found = this.#at(folder, wanted);
    if (kind === "markdown" || found >= 0) return found;
    const fromRoot = wanted.startsWith(".") ? BROKEN : this.#at(ROOT, wanted);
    if (fromRoot >= 0) return fromRoot;
    // Prose is full of paths that belong elsewhere, so only one that names a document is missed.
    return isDocumentPath(wanted) ? BROKEN : NO_FILE;
  }

  #named(folder: number, name: string): number {
    if (!name.includes("/")) return this.#nearest(this.#byName.get(name), folder);
    const relative = this.#at(folder, name);
    if (relative !== BROKEN || /^\.{0,2}\//.test(name)) return relative;
    const fromRoot = this.#at(ROOT, name);
    return fromRoot === BROKEN ? this.#endingWith(name, folder) : fromRoot;
  }

  #endingWith(path: string, folder: number): number {
    const segments = path.split("/");
    let names = this.#byName.get(segments.at(-1)!);
    for (let index = segments.length - 2; index >= 0 && names !== undefined; index -= 1)
      names = (typeof names === "number" ? this.#names(names) : names).inFolder(segments[index]!);
    return this.#nearest(names, folder);
  }

  #nearest(names: number | Names | undefined, folder: number): number {
    if (names === undefined) return BROKEN;
    return typeof names === "number" ? names : names.nearestTo(folder);
  }

  /** By a path that is relative to a folder, or to the space if it begins with a slash. */
  #at(folder: number, written: string): number {
    const path = this.#joined(written.startsWith("/") ? ROOT : folder, written);
    if (path === undefined) return BROKEN;
    const isFolder = written.endsWith("/");
    const exact = isFolder ? undefined : this.#byPath.get(path);
    if (exact !== undefined) return exact;
    if (path === "" || this.#folders.find(path) !== undefined) return this.#pageOf(path);
    if (isFolder || isDocumentPath(path)) return BROKEN;
    for (const extension of DOCUMENT_EXTENSIONS) {
      const file = this.#byPath.get(path + extension);
      if (file !== undefined) return file;
    }
    return BROKEN;
  }

  #pageOf(folder: string): number {
    for (const page of FOLDER_PAGES) {
      const file = this.#byPath.get(folder === "" ? page : `${folder}/${page}`);
      if (file !== undefined) return file;
    }
    return NO_FILE;
  }

  /** Undefined: it leads out of the space. */
  #joined(folder: number, written: string): string | undefined {
    let at = folder;
    let begin = 0;
    for (; written.startsWith(UP, begin); begin += UP.length) {
      if (at === ROOT) return undefined;
      at = this.#folders.parent(at);
    }
    const rest = written.slice(begin);
    if (STEP.test(rest)) return this.#stepped(at, rest);
    const above = this.#folders.path(at);
    return above === "" ? rest : `${above}/${rest}`;
  }

  /** As `#joined`, for steps anywhere in the path. */
  #stepped(folder: number, written: string): string | undefined {
    let at = folder;
    const names: string[] = [];
    for (const segment of written.split("/")) {
      if (segment === "" || segment === ".") continue;
      if (segment !== "..") names.push(segment);
      else if (names.length > 0) names.pop();
      else if (at === ROOT) return undefined;
      else at = this.#folders.parent(at);
    }
    const path = names.join("/");
    const above = this.#folders.path(at);
    return above === "" || path === "" ? above + path : `${above}/${path}`;
  }
}

/** As `foldedPath`, faster for the usual path. */
function fold(path: string): string {
  return PLAIN.test(path) ? path.toLowerCase() : foldedPath(path);
}
