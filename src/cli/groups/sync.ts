// `cairn pull`, `cairn push`, `cairn sync`: one cycle between a folder and its server.

import { defineCommand, type CommandDef } from "citty";
import type { Conflict } from "../../context/replica/applying.ts";
import type { CycleOptions } from "../../context/replica/cycle.ts";
import { hasChanges, type SyncReport } from "../../context/replica/report.ts";
import { parseConflictName } from "../../context/sync/conflict-names.ts";
import { systemClock } from "../../kit/clock.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { localDeps, localDirectory } from "../connection.ts";
import { nextCommand } from "../next-command.ts";
import { progressLine } from "../progress.ts";
import { replicaArgs, tokenFileArg, withReplica } from "../replica.ts";
import { type FileLine, inColumns, refusedLines, requireSynced } from "../refused-lines.ts";
import { bytes, plural, shown } from "../tables.ts";

const syncArgs = {
  yes: { type: "boolean", description: "Confirm many deletions, or a server whose history changed" },
  "dry-run": { type: "boolean", description: "Print what would be done, and change nothing" },
  ...replicaArgs,
  ...tokenFileArg,
} as const;

function syncCommand(
  name: string,
  description: string,
  direction: CycleOptions["direction"],
): CommandDef<typeof syncArgs> {
  return defineCommand({
    meta: { name, description },
    args: syncArgs,
    async run({ args }) {
      const directory = localDirectory(args.dir);
      const progress = progressLine();
      const options = {
        direction,
        confirmed: args.yes === true,
        dryRun: args["dry-run"] === true,
        retryHeld: args["dry-run"] !== true,
        onProgress: ({
          files,
          totalFiles,
          bytes: done,
        }: {
          files: number;
          totalFiles: number;
          bytes: number;
        }) => progress.show(() => `${files} of ${plural(totalFiles, "file")}, ${bytes(done)}`),
      };
      const report = await withReplica(directory, args["token-file"], async (state, client) => {
        const { runCycle } = await import("../../context/replica/cycle.ts");
        const { LocalCopy } = await import("../../context/replica/local-copy.ts");
        const { ServerSpace } = await import("../../context/replica/server-space.ts");
        const local = new LocalCopy(directory, localDeps(directory));
        const server = new ServerSpace(client, state.origin!.space);
        return runCycle({ state, server, local, clock: systemClock }, options);
      }).finally(() => progress.end());
      const { nudgeDaemon } = await import("../../context/replica/daemon-status.ts");
      if (!report.dry_run) nudgeDaemon(directory);
      await printData(report, formatOf(args), (one) => reportText(one, direction, args));
      requireSynced(report);
    },
  });
}

export const sync = syncCommand("sync", "Exchange changes with the server, both ways", "both");
export const pull = syncCommand("pull", "Fetch changes from the server", "pull");
export const push = syncCommand("push", "Send local changes to the server", "push");

const WORDS: Readonly<Record<CycleOptions["direction"], { readonly act: string; readonly done: string }>> = {
  both: { act: "a sync with", done: "synced with" },
  pull: { act: "a pull from", done: "pulled from" },
  push: { act: "a push to", done: "pushed to" },
};

type Given = Readonly<Record<string, unknown>>;

function reportText(report: SyncReport, asked: CycleOptions["direction"], args: Given): string {
  const { pulled, removed, pushed, withdrawn, merged, conflicts, waiting } = report;
  const list = (outcome: string, paths: readonly string[]) =>
    paths.map((path): FileLine => [outcome, shown(path)]);
  const lines = inColumns([
    ...list("pulled", pulled),
    ...list("deleted here", removed),
    ...list("merged", merged),
    ...list("pushed", pushed),
    ...list("deleted there", withdrawn),
    ...conflicts.map((conflict): FileLine => ["conflict", conflictText(conflict, args)]),
    ...refusedLines(report),
    ...list("waiting", waiting),
  ]);
  const where = `${shown(report.space)} of ${report.server}`;
  if (lines.length === 0) return `up to date with ${where}`;
  return [...lines, "", outcomeText(report, asked, where, args)].join("\n");
}

/** Files of a directory that moved have no other version to compare with. */
function conflictText({ path, copy }: Conflict, { dir }: Given): string {
  return parseConflictName(copy)
    ? `${shown(path)}: the local version is ${shown(copy)}; see ${nextCommand(["conflict", "show"], [path], { dir })}`
    : `${shown(path)}: the server has a file in place of its directory; the local file is now ${shown(copy)}`;
}

function outcomeText(
  report: SyncReport,
  direction: CycleOptions["direction"],
  where: string,
  { dir }: Given,
): string {
  const { act, done } = WORDS[direction];
  const isIdle = !hasChanges(report);
  if (report.dry_run)
    return `nothing was changed; ${act} ${where} would ${isIdle ? "change nothing" : "do this"}`;
  return isIdle && report.waiting.length > 0
    ? `nothing was ${done} ${where}; ${nextCommand(["sync"], [], { dir })} exchanges the waiting changes`
    : `${done} ${where}`;
}
