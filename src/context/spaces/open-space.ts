// An open space, as other features see it.

import type { SpaceEngine } from "../versioned-store/engine.ts";
import type { SpaceFile } from "./schema.ts";

export interface OpenSpace {
  readonly name: string;
  readonly engine: SpaceEngine;
  file: SpaceFile;
}
