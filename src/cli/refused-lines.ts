// The files that a sync could not take, send or store: named with the reason, and the command fails at its end.

import type { SyncReport } from "../context/replica/report.ts";
import { AppError } from "../kit/error.ts";
import { plural, shown } from "./tables.ts";

type Refused = Pick<SyncReport, "held" | "refused" | "behind">;

/** A word or two, and the file that it is about. */
export type FileLine = readonly [outcome: string, file: string];

/** One for each file that a sync could not take, send or store. */
export function refusedLines({ held, refused, behind }: Refused): FileLine[] {
  return [
    ...held.map(({ path, direction, reason }): FileLine => [
      `refused ${direction === "up" ? "there" : "here"}`,
      `${shown(path)}: ${shown(reason)}`,
    ]),
    ...refused.map(({ path, reason }): FileLine => ["not synced", `${shown(path)}: ${shown(reason)}`]),
    ...behind.map(({ path, reason }): FileLine => ["out of date", `${shown(path)}: ${shown(reason)}`]),
  ];
}

/** The files stand below each other, whatever the outcomes. */
export function inColumns(lines: readonly FileLine[]): string[] {
  const width = Math.max(0, ...new Set(lines.map(([outcome]) => outcome.length)));
  return lines.map(([outcome, file]) => `${outcome.padEnd(width)}  ${file}`);
}

/** Raises `refused` if something of the report is left for a person. */
export function requireSynced({
  held,
  behind,
  refused,
  dry_run = false,
}: Refused & { readonly dry_run?: boolean }): void {
  const closed = refused.filter(({ code }) => code === "unreadable");
  const problems = [
    held.length > 0 ? `${plural(held.length, "change")} could not be synced` : [],
    behind.length > 0 ? `the disk refused to store ${plural(behind.length, "file")}` : [],
    closed.length > 0 ? `${plural(closed.length, "file")} could not be read` : [],
  ].flat();
  if (problems.length > 0 && !dry_run) throw new AppError("refused", `${problems.join("; ")}; see above`);
}
