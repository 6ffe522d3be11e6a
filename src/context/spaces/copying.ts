// Copies of the spaces of a server on other nodes.

import type { PageSink } from "../../kit/storage/changed-pages.ts";
import type { Head } from "../versioned-store/engine.ts";

export interface SpaceCopying {
  /** Gets the changes of the database of a space. */
  pages(name: string): PageSink;
  /** See `SpaceEngineOptions.treeAt`. */
  treeAt(name: string): Head;
  /** The folder of a space is gone. */
  removed(name: string): void;
}
