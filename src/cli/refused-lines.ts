// The files that a sync could not take, send or store: named with the reason, and the command fails at its end.

import type { SyncReport } from "../context/replica/report.ts";
import { AppError } from "../kit/error.ts";
import { plural, shown } from "./tables.ts";

type Refused = Pick<SyncReport, "held" | "refused" | "behind">;

/** One line for each file that a sync could not take, send or store. */
export function refusedLines({ held, refused, behind }: Refused): string[] {
  return [
    ...held.map(
      ({ path, direction, reason }) =>
        `refused ${direction === "up" ? "there" : "here"}  ${shown(path)}: ${shown(reason)}`,
    ),
    ...refused.map(({ path, reason }) => `not synced  ${shown(path)}: ${shown(reason)}`),
    ...behind.map(({ path, reason }) => `old on disk  ${shown(path)}: ${shown(reason)}`),
  ];
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
