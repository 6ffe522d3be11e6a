// Makes folders that are still there after a power cut.

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { PRIVATE_DIRECTORY_MODE } from "./modes.ts";
import { syncDirectory } from "./replace-file.ts";

/** Makes a folder and those above it that are missing. Durable when it resolves. */
export async function makeFolders(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  if (first === undefined) return;
  // Each is a name in the one above it.
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}
