// The files of one folder of a space, and its folders.

import { Stretch, turnOfOthers } from "../../../kit/clock.ts";
import type { ListedFile } from "../../files/listing-schema.ts";
import type { Desk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { plural, sizeText } from "../../../kit/text/amounts.ts";
import { timeText, versionText } from "../words.ts";
import { deletedPage } from "./deleted.ts";
import { documentPage, historyOf } from "./document.ts";
import { editFile } from "./editing.ts";

interface Folder {
  /** With its trailing slash. */
  readonly path: string;
  files: number;
}

type Entry =
  | { readonly kind: "folder"; readonly name: string; readonly folder: Folder }
  | { readonly kind: "file"; readonly name: string; readonly file: ListedFile };

export function filesPage(desk: Desk, space: string, prefix: string): TablePage<Entry> {
  return new TablePage<Entry>({
    title: `${space}/${prefix}`,
    columns: [
      { title: "NAME", of: ({ name }) => name },
      { title: "STATE", width: 9, of: (entry) => (entry.kind === "file" ? entry.file.state : "folder") },
      {
        title: "VERSION",
        width: 7,
        of: (entry) => (entry.kind === "folder" ? "" : versionText(entry.file.version)),
      },
      {
        title: "SIZE",
        width: 12,
        of: (entry) =>
          entry.kind === "folder" ? plural(entry.folder.files, "file") : sizeText(entry.file.size),
      },
      {
        title: "CHANGED (UTC)",
        width: 16,
        of: (entry) => (entry.kind === "file" ? timeText(entry.file.updated_at) : ""),
        fromColumns: 78,
      },
      {
        title: "AUTHOR",
        width: 20,
        of: (entry) => (entry.kind === "file" ? entry.file.author : ""),
        fromColumns: 110,
      },
    ],
    rows: async () =>
      entriesOf(await desk.look(space, (door) => door.list(prefix ? { prefix } : {})), prefix),
    text: ({ name }) => name,
    empty: "no files",
    open: (entry, stage) => {
      if (entry.kind === "folder") stage.open(filesPage(desk, space, entry.folder.path));
      else stage.open(documentPage(desk, space, entry.file.path));
    },
    actions: [
      {
        key: "h",
        does: "history",
        run: (entry, stage) => {
          if (entry.kind === "file") stage.open(historyOf(desk, space, entry.file.path));
        },
      },
      {
        key: "e",
        does: "edit",
        changes: true,
        run: (entry, stage) => {
          if (entry.kind === "file") editFile(stage, space, entry.file.path);
        },
      },
      { key: "D", does: "deleted files", always: (stage) => stage.open(deletedPage(desk, space)) },
    ],
  });
}

/** Folders first. `files` are sorted by path and lie below `prefix`, which ends with a slash unless it is empty. */
async function entriesOf(files: readonly ListedFile[], prefix: string): Promise<Entry[]> {
  const folders = new Map<string, Folder>();
  const own: Entry[] = [];
  const stretch = new Stretch();
  for (const file of files) {
    if (stretch.isOver()) await turnOfOthers();
    const end = file.path.indexOf("/", prefix.length);
    if (end < 0) {
      own.push({ kind: "file", name: file.path.slice(prefix.length), file });
      continue;
    }
    const path = file.path.slice(0, end + 1);
    const folder = folders.get(path) ?? { path, files: 0 };
    folder.files += 1;
    folders.set(path, folder);
  }
  const inFront = [...folders.values()].map((folder): Entry => ({
    kind: "folder",
    name: folder.path.slice(prefix.length),
    folder,
  }));
  return [...inFront, ...own];
}
