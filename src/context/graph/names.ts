// The files that a name may mean, and which of them is nearest to a folder. Distance counts the steps through the tree of folders, up and down;
// the smaller path wins a tie. Neither the number of files with one name nor the number of links makes a single lookup slow: what a lookup needs
// is computed once for each name.

import { ROOT, type Folders } from "./folders.ts";

interface Named {
  /** In the order of paths. */
  readonly file: number;
  /** Of the file, or for a name with folders, the folder above those. */
  readonly folder: number;
}

export class Names {
  readonly #folders: Folders;
  /** The folder of a file, whatever part of its path the name has. */
  readonly #folderOf: (file: number) => number;
  readonly #files: number[] = [];
  readonly #above: number[] = [];
  #below: Map<string, number | Names> | undefined;
  #nearest: Map<number, number> | undefined;

  constructor(folders: Folders, folderOf: (file: number) => number) {
    this.#folders = folders;
    this.#folderOf = folderOf;
  }

  /** Call in the order of paths. */
  add({ file, folder }: Named): void {
    this.#files.push(file);
    this.#above.push(folder);
  }

  /** The files that are in a folder of this name. */
  inFolder(name: string): Names | undefined {
    const below = (this.#below ??= this.#split()).get(name);
    return typeof below === "number" ? this.#onlyAt(below) : below;
  }

  /** By the name of the folder above. Most have one file, which is a place in the lists here: making thousands of objects would take long. */
  #split(): Map<string, number | Names> {
    const split = new Map<string, number | Names>();
    for (let place = 0; place < this.#above.length; place += 1) {
      const folder = this.#above[place]!;
      if (folder === ROOT) continue;
      const name = this.#folders.name(folder);
      const known = split.get(name);
      if (known === undefined) {
        split.set(name, place);
        continue;
      }
      const names = typeof known === "number" ? this.#onlyAt(known) : known;
      if (names !== known) split.set(name, names);
      names.add(this.#raised(place));
    }
    return split;
  }

  #onlyAt(place: number): Names {
    const names = new Names(this.#folders, this.#folderOf);
    names.add(this.#raised(place));
    return names;
  }

  #raised(place: number): Named {
    return { file: this.#files[place]!, folder: this.#folders.parent(this.#above[place]!) };
  }

  nearestTo(folder: number): number {
    if (this.#files.length === 1) return this.#files[0]!;
    const nearest = (this.#nearest ??= this.#nearestBelowEach());
    let best = -1;
    let shortest = Infinity;
    const folders = this.#folders;
    for (let at = folder, up = 0; at >= 0 && up <= shortest; at = folders.parent(at), up += 1) {
      const file = nearest.get(at);
      if (file === undefined) continue;
      const steps = up + folders.depth(this.#folderOf(file)) - folders.depth(at);
      if (steps < shortest || (steps === shortest && file < best)) [best, shortest] = [file, steps];
    }
    return best;
  }

  /** For each folder with such a file somewhere below it: the one with the fewest steps down. */
  #nearestBelowEach(): Map<number, number> {
    const folders = this.#folders;
    const byDepth: number[][] = [];
    for (const file of this.#files) (byDepth[folders.depth(this.#folderOf(file))] ??= []).push(file);
    const nearest = new Map<number, number>();
    for (const files of byDepth)
      for (const file of files ?? [])
        // A folder that has one is nearer to it than to this file, and so are all folders above.
        for (let at = this.#folderOf(file); at >= 0 && !nearest.has(at); at = folders.parent(at))
          nearest.set(at, file);
    return nearest;
  }
}
