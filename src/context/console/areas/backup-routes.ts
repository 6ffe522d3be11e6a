// Backups of the server. An admin starts one in the directory that the operator chose; everything else about files is the operator's.

import { h } from "preact";
import { commandText } from "../../../kit/terminal/command-text.ts";
import type { Backups } from "../../backup/backups.ts";
import { page, part, to, type Answer, type PageRoute } from "../area.ts";
import type { Failure } from "../failure.ts";
import { BACKUPS, BackupsBody, Progress } from "../pages/backups.tsx";
import { attempt, get, idOf, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

const CANCELLED = "Cancelled the backup. No file was kept.";
const EXAMPLE = "/var/backups/cairn-backup-20261122T160000Z.tar.zst";

interface BackupPagesDeps {
  readonly backups: Backups;
  /** The data directory. */
  readonly directory: string;
}

export function backupRoutes(deps: BackupPagesDeps): PageRoute[] {
  const { backups } = deps;
  return [
    get(BACKUPS, ({ visit }) => shown(deps, visit)),
    get(`${BACKUPS}/live`, ({ visit }) => {
      const backup = backups.last(visit.caller);
      return part(backup ? h(Progress, { backup }) : null);
    }),
    post(BACKUPS, ({ visit }) =>
      attempt(
        async () => {
          const { file } = backups.start(visit.caller, undefined);
          return to(BACKUPS, `Started a backup: ${file}`);
        },
        (failure) => shown(deps, visit, failure),
      ),
    ),
    post(`${BACKUPS}/:id/cancel`, ({ visit, params }) => {
      const { state } = backups.stop(visit.caller, idOf("backup", params));
      const isLate = state === "done";
      return to(BACKUPS, isLate ? "The backup was finished already. Its file is kept." : CANCELLED);
    }),
  ];
}

async function shown(
  { backups, directory }: BackupPagesDeps,
  visit: Visit,
  failure?: Failure,
): Promise<Answer> {
  const shelf = await backups.shelved(visit.caller);
  const archive = shelf.archives[0]?.file ?? EXAMPLE;
  const out = ["--out", "/var/backups", "--server-dir", directory];
  const commands = {
    create: commandText(["cairn", "backup", "create", ...out]),
    restore: commandText(["cairn", "backup", "restore", archive, "--server-dir", `${directory}-restored`]),
  };
  const last = backups.last(visit.caller);
  const schedule = backups.schedule.shown();
  return page("Backups", h(BackupsBody, { visit, last, shelf, schedule, commands, failure }), {
    status: failure?.status ?? 200,
  });
}
