// Databases beside that of a space, derived from its contents. They may still hold the words of a content that was replaced, so they go when a
// content is destroyed, and are built again when needed.

import { join } from "node:path";
import { removeFiles } from "../../../kit/storage/db-file.ts";

/** In the directory `.cairn` of a space. */
export const SEARCH_DATABASE = "search.db";

/** `own`: the directory `.cairn` of a space. */
export function removeDerived(own: string): void {
  removeFiles(join(own, SEARCH_DATABASE));
}
