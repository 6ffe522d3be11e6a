// The tools for documents: what there is, its content, and writing by compare-and-swap.

import { AppError } from "../../kit/error.ts";
import { plural, sizeText } from "../../kit/text/amounts.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import { fileError } from "../versioned-store/file-error.ts";
import { diskNote } from "../space/disk-note.ts";
import type { ReadFile, SpaceDoor } from "../space/door.ts";
import type { ListedFile } from "../files/listing-schema.ts";
import { excerptOf, type Excerpt } from "./excerpt.ts";
import { fitting } from "./bounded-answer.ts";
import { LISTED_DEFAULT, ListInput, PutInput, ReadInput, StatusInput } from "./schema.ts";
import { tool, type Tool } from "./tool.ts";

const status = tool({
  name: "status",
  description: "Says which space this is: its name, where it is, how many documents it has, and its head.",
  input: StatusInput,
  run: async (space) => {
    const { name, head, files, bytes, versions, template } = await space.record();
    return [
      `space: ${name}`,
      `place: ${space.place}`,
      `documents: ${files} (${sizeText(bytes)}, ${plural(versions, "version")})`,
      `template: ${template}`,
      `head: ${head}`,
    ].join("\n");
  },
});

const list = tool({
  name: "list",
  description:
    "Lists the documents, sorted by path: path, version, bytes, state. The version is — for a document without one. Use prefix to look into one directory.",
  input: ListInput,
  run: async (space, { prefix, offset = 0, limit = LISTED_DEFAULT }) => {
    const files = await space.list({ prefix: prefix === "" ? undefined : prefix });
    if (files.length === 0) return prefix ? `no documents below ${prefix}` : "no documents";
    const lines = fitting(files.slice(offset, offset + limit).map(listedText)).slice();
    const end = offset + lines.length;
    if (lines.length === 0) lines.push(`no more documents: there are ${files.length}`);
    else if (end < files.length)
      lines.push(`[${offset + 1} to ${end} of ${files.length} documents; continue with offset: ${end}]`);
    return lines.join("\n");
  },
});

const read = tool({
  name: "read",
  description:
    "Reads one document. The first line names path, version and the lines that follow; a long document is cut, and the last line says how to continue.",
  input: ReadInput,
  run: async (space, { path, version, ...range }) => {
    if (range.line !== undefined && range.offset !== undefined)
      throw new AppError("invalid", "use line or offset, not both");
    return shownDocument(await space.read(path, version), range);
  },
});

const put = tool({
  name: "put",
  description:
    "Writes one document as a new version, if expected_version is still its current version. If someone else changed it, nothing is written and the answer has the current version and content: merge, then put again. Read the document first; expected_version null creates a new one.",
  input: PutInput,
  writes: true,
  run: async (space, { path, content, expected_version: expected }) => {
    if (!content.isWellFormed()) throw new AppError("invalid", "content: contains half of a character");
    try {
      const written = await space.write(path, new TextEncoder().encode(content), expected);
      const note = await diskNote(space, written.path);
      return `${written.path} is at v${written.version} (${sizeText(written.size)})${note}`;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "stale") throw error;
      throw new AppError(
        "stale",
        `${error.message}. Nothing was written.\n\n${await currentContent(space, path)}`,
      );
    }
  },
});

export const documentTools: readonly Tool[] = [status, list, read];
export const writingTools: readonly Tool[] = [put];

function listedText({ path, version, size, state, refused }: ListedFile): string {
  const label = version === null ? "—" : `v${version}`;
  return `${visibleInLine(path)}\t${label}\t${size}\t${state}${refused ? `: ${refused.reason}` : ""}`;
}

/** The content that a refused write should have been based on. */
async function currentContent(space: SpaceDoor, path: string): Promise<string> {
  try {
    return `The document now:\n${shownDocument(await space.read(path), {})}`;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found")
      return "The document does not exist now; to create it, put with expected_version null.";
    if (error instanceof AppError) return `Its content cannot be shown: ${error.message}`;
    throw error;
  }
}

/** Raises `not_text`. */
function shownDocument(file: ReadFile, range: Omit<ReadInput, "path" | "version">): string {
  const text = decodeUtf8(file.bytes);
  if (text === undefined)
    throw fileError("not_text", file.path, `not UTF-8 text (${sizeText(file.bytes.length)})`);
  const excerpt = excerptOf(text, range);
  const parts = [heading(file, excerpt), excerpt.text];
  const { next, totalCharacters } = excerpt;
  if (next !== undefined)
    parts.push(`[cut at character ${next} of ${totalCharacters}; continue with offset: ${next}]`);
  return parts.join("\n");
}

function heading(
  { path, version, state }: ReadFile,
  { text, lines, totalLines, totalCharacters, isWhole }: Excerpt,
): string {
  const label = version === null ? `no version, ${state}: edited by hand and not recorded` : `v${version}`;
  const [first, last] = lines;
  const range = isWhole
    ? ""
    : text === ""
      ? `; nothing there: it ends at line ${totalLines}, character ${totalCharacters}`
      : `; lines ${first} to ${last} of ${totalLines}`;
  return `[${visibleInLine(path)} ${label}${range}]`;
}
