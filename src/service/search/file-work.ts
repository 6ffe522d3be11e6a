// The work of the file index's jobs (jobs.ts), in a worker.

import { HeldRoot } from "../../kit/disk/held-directory.ts";
import { filesBelow, readTreeFile, type TreeFile } from "../files/tree.ts";
import type { FileText, Look, LookInput, Texts, TextsInput } from "./jobs.ts";
import { FILE_TEXT_BYTES_MAX, FILES_PER_WORKSPACE_MAX } from "./schema.ts";
import { piecesOf } from "./texts.ts";

/** A job returns after about this much text, because the serving thread receives it at once. */
const TEXT_CHARACTERS_MAX = 512 * 1024;

export function lookAtFiles({ directory }: LookInput): Look {
  const found: TreeFile[] = [];
  for (const file of filesBelow(new HeldRoot(directory))) {
    found.push(file);
    if (found.length === FILES_PER_WORKSPACE_MAX) break;
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    paths: found.map(({ path }) => path).join("\n"),
    sizes: Float64Array.from(found, ({ size }) => size),
    modified: Float64Array.from(found, ({ modified }) => modified),
  };
}

export function readTexts({ directory, paths }: TextsInput): Texts {
  const root = new HeldRoot(directory);
  const texts: (FileText | null)[] = [];
  let characters = 0;
  for (const path of paths) {
    const read = readTreeFile(root, path, FILE_TEXT_BYTES_MAX);
    const text = read?.text ?? "";
    texts.push(read ? { size: read.size, modified: read.modified, pieces: piecesOf(text) } : null);
    characters += text.length;
    if (characters > TEXT_CHARACTERS_MAX) break;
  }
  return texts;
}
