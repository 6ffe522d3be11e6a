// The part of a space that delivery needs. A folder and a space of a server both offer it.

import type { ListedFile } from "../files/listing-schema.ts";
import type { ReadFile } from "../space/door.ts";
import type { FileHistory } from "../versioned-store/schema.ts";

/** Facts about documents that are known without reading them. */
export interface SpaceFacts {
  /** PageRank over the links. */
  readonly ranks: ReadonlyMap<string, number>;
  readonly stale: ReadonlySet<string>;
  /** `importance: high`. */
  readonly important: ReadonlySet<string>;
  /** The documents that each one links to, in the order of the links. */
  readonly links: ReadonlyMap<string, readonly string[]>;
}

export interface ContextSource {
  readonly name: string;
  /** `<epoch>.<seq>`. */
  head(): Promise<string>;
  /** Sorted by path. */
  list(): Promise<ListedFile[]>;
  read(path: string, version?: number): Promise<ReadFile>;
  /** Reads documents in one request. The answer leaves out those that can only be read alone, or not at all. */
  readMany(paths: readonly string[]): Promise<ReadonlyMap<string, ReadFile>>;
  history(path: string): Promise<FileHistory>;
  /** `choice`: what the documents of the entry set need; ranks cost a look at every link. `map`: all. */
  facts(purpose: "choice" | "map"): Promise<SpaceFacts>;
  /** Paths of the files with all these words, best first. */
  search(words: string, limit: number): Promise<string[]>;
}
