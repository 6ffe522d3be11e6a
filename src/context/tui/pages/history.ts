// The versions of a file. Any two of them can be compared: one is set as the base, the other is under the mark.

import type { VersionRecord } from "../../versioned-store/schema.ts";
import type { Desk } from "../desk.ts";
import type { Page } from "../page.ts";
import { TablePage } from "../table-page.ts";
import { sizeText } from "../../../kit/text/amounts.ts";
import { timeText } from "../words.ts";
import { diffPage } from "./difference.ts";
import { restoreVersion } from "./editing.ts";

export function historyPage(
  desk: Desk,
  space: string,
  path: string,
  reading: (version: number) => Page,
): TablePage<VersionRecord> {
  let current: number | null = null;
  let base: number | undefined;
  return new TablePage<VersionRecord>({
    title: `${space}/${path} history`,
    columns: [
      { title: "VERSION", width: 7, of: ({ version }) => `v${version}` },
      { title: "STATE", width: 9, of: (one) => stateText(one, current) },
      { title: "WRITTEN (UTC)", width: 16, of: ({ created_at: at }) => timeText(at) },
      { title: "SIZE", width: 9, of: ({ size }) => sizeText(size) },
      { title: "AUTHOR", width: 16, of: ({ author }) => author },
      { title: "MESSAGE", of: ({ message = "" }) => message },
    ],
    rows: async () => {
      const history = await desk.look(space, (door) => door.history(path));
      current = history.current;
      return history.versions;
    },
    text: ({ version, author, message = "" }) => `v${version} ${author} ${message}`,
    empty: "no versions yet: the file is only on disk",
    note: () => (base === undefined ? undefined : `d compares with v${base}; b on v${base} again clears it`),
    open: ({ version }, stage) => stage.open(reading(version)),
    actions: [
      {
        key: "d",
        does: "diff",
        run: ({ version: to }, stage) =>
          stage.open(
            diffPage(desk, space, path, { to, ...(base === undefined || base === to ? {} : { from: base }) }),
          ),
      },
      {
        key: "b",
        does: "base of diffs",
        run: ({ version }) => {
          base = base === version ? undefined : version;
        },
      },
      {
        key: "R",
        does: "restore",
        changes: true,
        run: ({ version }, stage) => restoreVersion(stage, space, path, version),
      },
    ],
  });
}

function stateText({ version, destroyed, pruned, deleted }: VersionRecord, current: number | null): string {
  if (destroyed) return "destroyed";
  if (pruned) return "pruned";
  if (version === current) return "current";
  return deleted ? "deleted" : "";
}
