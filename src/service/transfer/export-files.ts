// The files of a workspace as records. A file that has no place in the export is named with the reason.

import { decodeUtf8 } from "../../kit/text/utf8.ts";
import type { Files } from "../files/files.ts";
import { FILE_BYTES_MAX } from "../files/schema.ts";
import type { AnyRecord } from "./format.ts";
import { EXPORTED_FILES_BYTES_MAX, EXPORTED_FILES_MAX } from "./schema.ts";

export async function* filesOf(files: Files, workspaceId: number): AsyncGenerator<AnyRecord> {
  let bytes = 0;
  let count = 0;
  let left = 0;
  for await (const { path, kind, size } of files.walk(workspaceId)) {
    const reason = reasonOf(kind, size, bytes, count);
    if (reason !== undefined) {
      left += 1;
      const name = kind === "directory" ? `${path}/` : path;
      if (left <= EXPORTED_FILES_MAX) yield { type: "left_out", kind: "file", name, reason };
      continue;
    }
    try {
      const { content } = await files.readWorkspaceFile(workspaceId, path, FILE_BYTES_MAX);
      bytes += content.length;
      count += 1;
      const text = decodeUtf8(content);
      yield text === undefined
        ? { type: "file", path, encoding: "base64", content: Buffer.from(content).toString("base64") }
        : { type: "file", path, encoding: "utf8", content: text };
    } catch {
      yield { type: "left_out", kind: "file", name: path, reason: "it could not be read" };
    }
  }
}

function reasonOf(kind: string, size: number | null, bytes: number, count: number): string | undefined {
  if (kind === "directory") return "the directory could not be listed";
  if (kind !== "file" || size === null) return "not a regular file, or its name is not portable";
  if (size > FILE_BYTES_MAX) return `larger than ${FILE_BYTES_MAX} bytes`;
  if (count >= EXPORTED_FILES_MAX) return `more than ${EXPORTED_FILES_MAX} files`;
  if (bytes + size > EXPORTED_FILES_BYTES_MAX)
    return `the files have more than ${EXPORTED_FILES_BYTES_MAX} bytes together`;
  return undefined;
}
