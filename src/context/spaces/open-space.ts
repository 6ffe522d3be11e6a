// A space that is open, as other features work with it.

import type { SpaceEngine } from "../versioned-store/engine.ts";
import type { SpaceFile } from "./schema.ts";

export interface OpenSpace {
  readonly name: string;
  readonly engine: SpaceEngine;
  file: SpaceFile;
}
