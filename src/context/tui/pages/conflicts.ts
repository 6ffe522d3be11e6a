// Open conflicts of the spaces that the person sees.

import type { OpenConflict } from "../../replica/conflicts.ts";
import type { Desk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { TextPage } from "../text-page.ts";
import { timeText } from "../words.ts";
import { diffTone, RULE } from "./difference.ts";
import { resolve } from "./editing.ts";

/** Looking for conflicts lists every file of a space. */
const SPACES_LOOKED_INTO_MAX = 50;

interface Row extends OpenConflict {
  readonly space: string;
}

export function conflictsPage(desk: Desk): TablePage<Row> {
  let left = 0;
  return new TablePage<Row>({
    title: "Conflicts",
    columns: [
      { title: "FILE", of: ({ space, path }) => `${space}/${path}`, keepsEnd: true },
      { title: "OTHER VERSION OF", width: 20, of: ({ user }) => user },
      { title: "OPENED (UTC)", width: 16, of: ({ opened_at: at }) => timeText(at) },
    ],
    rows: async () => {
      const spaces = await desk.spaces();
      left = Math.max(0, spaces.length - SPACES_LOOKED_INTO_MAX);
      const rows: Row[] = [];
      for (const { name: space } of spaces.slice(0, SPACES_LOOKED_INTO_MAX))
        for (const one of await desk.conflicts(space)) rows.push({ ...one, space });
      return rows;
    },
    text: ({ space, path, user }) => `${space}/${path} ${user}`,
    empty: "no open conflicts",
    note: () => (left === 0 ? undefined : `the first ${SPACES_LOOKED_INTO_MAX} spaces`),
    open: (row, stage) => stage.open(comparison(desk, row)),
    actions: [
      { key: "o", does: "keep file", run: (row, stage) => resolve(stage, row.space, row, "theirs") },
      { key: "c", does: "keep conflict file", run: (row, stage) => resolve(stage, row.space, row, "ours") },
    ],
  });
}

function comparison(desk: Desk, row: Row): TextPage {
  return new TextPage({
    title: `${row.space}/${row.path} conflict`,
    text: async () =>
      (await desk.compare(row.space, row))?.replace(RULE, "") ??
      `${row.path} and ${row.copy} are not texts, or too different to compare line by line`,
    tone: diffTone,
    actions: [
      { key: "o", does: "keep file", run: (stage) => resolve(stage, row.space, row, "theirs") },
      { key: "c", does: "keep conflict file", run: (stage) => resolve(stage, row.space, row, "ours") },
    ],
  });
}
