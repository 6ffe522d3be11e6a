// The files of a space that were deleted. They keep their versions, and can be restored.

import type { FileRecord } from "../../versioned-store/schema.ts";
import type { Desk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { timeText, versionText } from "../words.ts";
import { historyOf } from "./document.ts";
import { restoreFile } from "./editing.ts";

const FILES_PER_PAGE = 500;
/** More are listed by `cairn file list --deleted`. */
const FILES_MAX = 10_000;

export function deletedPage(desk: Desk, space: string): TablePage<FileRecord> {
  let wanted = FILES_PER_PAGE;
  let isMore = false;
  return new TablePage<FileRecord>({
    title: `${space} deleted files`,
    columns: [
      { title: "FILE", of: ({ path }) => path, keepsEnd: true },
      { title: "VERSION", width: 7, of: ({ version }) => versionText(version) },
      { title: "SIZE", width: 9, of: ({ size }) => sizeText(size) },
      { title: "CHANGED (UTC)", width: 16, of: ({ updated_at: at }) => timeText(at), fromColumns: 78 },
      { title: "AUTHOR", width: 20, of: ({ author }) => author, fromColumns: 110 },
    ],
    rows: async () => {
      const { files, isMore: hasMore } = await desk.deleted(space, wanted);
      isMore = hasMore;
      return files;
    },
    text: ({ path, author }) => `${path} ${author}`,
    empty: "no deleted files",
    note: () =>
      !isMore ? undefined : wanted < FILES_MAX ? "m shows more" : "there are more: cairn file list --deleted",
    open: ({ path }, stage) => stage.open(historyOf(desk, space, path)),
    actions: [
      { key: "R", does: "restore", changes: true, run: ({ path }, stage) => restoreFile(stage, space, path) },
      {
        key: "m",
        does: "more",
        always: (stage) => {
          wanted = Math.min(wanted + FILES_PER_PAGE, FILES_MAX);
          stage.reload();
        },
      },
    ],
  });
}
