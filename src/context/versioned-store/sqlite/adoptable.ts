// Judges files of the working tree that have no version: those that `adopt` would refuse are listed as refused.

import { hiddenProblem } from "../../../kit/text/hidden-characters.ts";
import { foldedPath } from "../../../kit/text/paths.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { FILE_BYTES_CEILING, type FileRecord, type Refusal } from "../schema.ts";
import { blockerOf } from "./batch.ts";
import type { SpaceStore } from "./store.ts";

/** Returns why the file cannot be adopted; undefined: it can. */
export function refusalOf(store: SpaceStore, { path, hash }: FileRecord): Refusal | undefined {
  if (hash === "") return { code: "too_large", reason: `larger than ${sizeText(FILE_BYTES_CEILING)}` };
  const hidden = hiddenProblem(path);
  if (hidden !== undefined) return { code: "bad_name", reason: hidden };
  const other = store.fileByFolded.get(foldedPath(path));
  if (other && other.path !== path)
    return { code: "clash", reason: "has the same name as another file on some file systems" };
  const blocked = blockerOf(store, path);
  if (!blocked) return undefined;
  const reason = blocked.isBelow
    ? `is recorded as a directory, which holds "${blocked.by}"; delete the files in it first`
    : `"${blocked.by}" is recorded as a file; delete that file first`;
  return { code: "clash", reason };
}
