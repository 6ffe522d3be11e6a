// Open conflicts of the spaces that the person sees.

import type { OpenConflict } from "../../replica/conflicts.ts";
import { askAllSpaces } from "../all-spaces.ts";
import type { Desk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { TextPage } from "../text-page.ts";
import { timeText } from "../words.ts";
import { diffTone } from "./difference.ts";
import { resolve } from "./editing.ts";

/** A server looks for no more in one space. */
const CONFLICTS_PER_SPACE_MAX = 1_000;

interface Row extends OpenConflict {
  readonly space: string;
}

export function conflictsPage(desk: Desk): TablePage<Row> {
  let note: string | undefined;
  return new TablePage<Row>({
    title: "Conflicts",
    columns: [
      { title: "FILE", of: ({ space, path }) => `${space}/${path}`, keepsEnd: true },
      { title: "OTHER VERSION OF", width: 20, of: ({ user }) => user },
      { title: "OPENED (UTC)", width: 16, of: ({ opened_at: at }) => timeText(at) },
    ],
    rows: async () => {
      const found = await askAllSpaces(desk, { done: "looked into" }, (space) => desk.conflicts(space));
      const full = found.answers.find(({ answer }) => answer.length >= CONFLICTS_PER_SPACE_MAX);
      note = found.note ?? (full && `${full.space} may have more; resolve some first`);
      return found.answers.flatMap(({ space, answer }) => answer.map((one) => ({ ...one, space })));
    },
    text: ({ space, path, user }) => `${space}/${path} ${user}`,
    empty: "no open conflicts",
    note: () => note,
    open: (row, stage) => stage.open(comparison(desk, row)),
    actions: [
      {
        key: "o",
        does: "keep file",
        changes: true,
        run: (row, stage) => resolve(stage, row, "theirs"),
      },
      {
        key: "c",
        does: "keep conflict file",
        changes: true,
        run: (row, stage) => resolve(stage, row, "ours"),
      },
    ],
  });
}

function comparison(desk: Desk, row: Row): TextPage {
  return new TextPage({
    title: `${row.space}/${row.path} conflict`,
    text: async () => {
      const about = `The version of ${row.user}, opened ${timeText(row.opened_at)}, is in ${row.copy}.`;
      const diff = await desk.compare(row.space, row);
      return `${about}\n\n${diff ?? "Not text, or too different to compare line by line."}`;
    },
    tone: diffTone,
    actions: [
      {
        key: "o",
        does: "keep file",
        changes: true,
        run: (stage) => resolve(stage, row, "theirs", { closes: true }),
      },
      {
        key: "c",
        does: "keep conflict file",
        changes: true,
        run: (stage) => resolve(stage, row, "ours", { closes: true }),
      },
    ],
  });
}
