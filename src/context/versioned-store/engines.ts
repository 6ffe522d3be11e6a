// The storage engines that this program contains.

import type { EngineName } from "./schema.ts";

export const DEFAULT_ENGINE: EngineName = "sqlite";

export const engineDescriptions: Readonly<Record<EngineName, string>> = {
  sqlite: "embedded: one SQLite database in the folder of each space, next to the plain files",
};
