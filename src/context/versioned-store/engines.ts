// The engines that spaces can be stored with: those that are in this program, and no others.

import type { EngineName } from "./schema.ts";

export const DEFAULT_ENGINE: EngineName = "sqlite";

export const engineDescriptions: Readonly<Record<EngineName, string>> = {
  sqlite: "embedded: one SQLite database in each space's folder, with the plain files beside it",
};
