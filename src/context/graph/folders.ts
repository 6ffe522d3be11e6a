// The folders of a space as numbers, so that walking from a folder to the root compares no text. Paths are folded (kit/text/paths.ts): folders that
// some file systems do not tell apart are one folder.

export const ROOT = 0;

export class Folders {
  readonly #ids = new Map<string, number>([["", ROOT]]);
  readonly #paths = [""];
  readonly #names = [""];
  readonly #parents = [-1];
  readonly #depths = [0];

  /** Returns the folder, and adds it with those above it if it is new. */
  add(path: string): number {
    const known = this.#ids.get(path);
    if (known !== undefined) return known;
    // From the nearest known folder down: the depth of a path is not bounded by the stack.
    let end = path.length;
    let parent = ROOT;
    for (;;) {
      end = path.lastIndexOf("/", end - 1);
      if (end < 0) break;
      const above = this.#ids.get(path.slice(0, end));
      if (above === undefined) continue;
      parent = above;
      break;
    }
    for (let from = end + 1; ;) {
      const slash = path.indexOf("/", from);
      const next = slash < 0 ? path.length : slash;
      parent = this.#addBelow(parent, path.slice(0, next), path.slice(from, next));
      if (slash < 0) return parent;
      from = slash + 1;
    }
  }

  #addBelow(parent: number, path: string, name: string): number {
    const id = this.#paths.length;
    this.#ids.set(path, id);
    this.#paths.push(path);
    this.#names.push(name);
    this.#parents.push(parent);
    this.#depths.push(this.#depths[parent]! + 1);
    return id;
  }

  find(path: string): number | undefined {
    return this.#ids.get(path);
  }

  path(folder: number): string {
    return this.#paths[folder]!;
  }

  /** The last segment. */
  name(folder: number): string {
    return this.#names[folder]!;
  }

  /** -1 above the root. */
  parent(folder: number): number {
    return this.#parents[folder]!;
  }

  depth(folder: number): number {
    return this.#depths[folder]!;
  }
}
