// Backups: the one that runs, the archives that there are, and how to restore one.

import type { VNode } from "preact";
import type { Backup } from "../../backup/schema.ts";
import type { ShownSchedule } from "../../../kit/backup/schedule.ts";
import type { Shelved } from "../../../kit/backup/shelf.ts";
import type { Failure } from "../failure.ts";
import { countText, counted, sizeInWords } from "../../../kit/text/amounts.ts";
import { Command, Empty, Figure, FormTo, Name, Problem, Size, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

export const BACKUPS = "/console/backups";

interface BackupsProps {
  readonly visit: Visit;
  readonly last: Backup | undefined;
  readonly shelf: Shelved;
  readonly schedule: ShownSchedule;
  /** Complete commands for the server's machine. */
  readonly commands: { readonly create: string; readonly restore: string };
  readonly failure: Failure | undefined;
}

export function BackupsBody({ visit, last, shelf, schedule, commands, failure }: BackupsProps): VNode {
  const isRunning = last?.state === "running";
  return (
    <div class="console-stack">
      <Problem failure={failure} />
      {shelf.directory !== "" && (
        <div class="console-bar">
          {isRunning ? (
            <FormTo visit={visit} action={`${BACKUPS}/${last.id}/cancel`}>
              <button class="btn danger">Cancel the backup</button>
            </FormTo>
          ) : (
            <FormTo visit={visit} action={BACKUPS}>
              <button class="btn primary">Start a backup</button>
            </FormTo>
          )}
          {isRunning && (
            <a class="btn quiet" href={BACKUPS}>
              Refresh
            </a>
          )}
        </div>
      )}
      {last && (
        <section class="console-stack" aria-labelledby="last">
          <h2 id="last">Latest backup</h2>
          <div {...(isRunning ? { "data-live": `${BACKUPS}/live` } : {})}>
            <Progress backup={last} />
          </div>
        </section>
      )}
      {shelf.directory !== "" && <Schedule schedule={schedule} />}
      <Archives shelf={shelf} create={commands.create} />
      <section class="console-stack" aria-labelledby="restore">
        <h2 id="restore">Restore</h2>
        <p class="console-lead">
          Run this on the server's machine. It checks the archive, then fills a new directory with it; the
          running server is not touched. Start the server with that directory afterwards.
        </p>
        <Command text={commands.restore} />
        <p class="muted">
          Tokens and rights are as they were at the moment of the backup: a token revoked since then is valid
          again.
        </p>
      </section>
    </div>
  );
}

const STATES: Readonly<Record<Backup["state"], string>> = {
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** Refreshed while it runs. */
export function Progress({ backup }: { backup: Backup }): VNode {
  const { state, file, bytes_done: done, bytes_total: total, result, error } = backup;
  const left =
    result?.spaces.reduce((sum, one) => sum + one.left_out.modified + one.left_out.untracked, 0) ?? 0;
  return (
    <div class="console-stack">
      <dl class="console-figures">
        <Figure label="State">
          <span class={state === "failed" ? "console-badge" : "console-badge plain"}>{STATES[state]}</span>
        </Figure>
        <Figure label="Read">
          {total === 0 ? "starting" : `${sizeInWords(done)} of ${sizeInWords(total)}`}
        </Figure>
        {result && <Figure label="Archive">{sizeInWords(result.size)}</Figure>}
        {result && <Figure label="Spaces">{countText(result.spaces.length)}</Figure>}
        {result && <Figure label="Audit records">{countText(result.audit.entries)}</Figure>}
      </dl>
      <p class="muted">
        <Name>{file}</Name>
        {result && (
          <>
            {" "}
            · as of <Time at={result.created_at} /> · SHA-256 <code>{result.sha256}</code>
          </>
        )}
      </p>
      {left > 0 && (
        <p>Left out: {counted(left, "file")} edited by hand. The tab On disk of each space lists them.</p>
      )}
      {error && <p class="console-problem">{error.message}</p>}
    </div>
  );
}

function Schedule({ schedule }: { schedule: ShownSchedule }): VNode {
  const { every_hours: hours, keep, next_at: next, last_at: last, failure, copies } = schedule;
  return (
    <section class="console-stack" aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      {hours === 0 ? (
        <p class="muted">
          None. The operator sets one with <code>backup.every_hours</code> in <code>server.yaml</code>.
        </p>
      ) : (
        <dl class="console-figures">
          <Figure label="Every">{counted(hours, "hour")}</Figure>
          <Figure label="Kept">{keep === 0 ? "all" : `the newest ${countText(keep)}`}</Figure>
          <Figure label="Newest">{last === null ? "none yet" : <Time at={last} />}</Figure>
          {next !== null && (
            <Figure label="Next">
              <Time at={next} />
            </Figure>
          )}
          {copies !== null && (
            <Figure label="Newest in the bucket">
              {copies.last_at === null ? "none yet" : <Time at={copies.last_at} />}
            </Figure>
          )}
        </dl>
      )}
      {failure !== null && <p class="console-problem">The last scheduled backup failed: {failure}</p>}
      {copies !== null && copies.failure !== null && (
        <p class="console-problem">
          Backups cannot be copied to the bucket {copies.bucket}: {copies.failure}
        </p>
      )}
    </section>
  );
}

function Archives({ shelf, create }: { shelf: Shelved; create: string }): VNode {
  return (
    <section class="console-stack" aria-labelledby="archives">
      <h2 id="archives">Archives</h2>
      {shelf.directory === "" ? (
        <Empty>
          <p>
            Backups from the console are disabled. The operator enables them with{" "}
            <code>backup.directory</code> in <code>server.yaml</code>, or runs this on the server:
          </p>
          <Command text={create} />
        </Empty>
      ) : shelf.problem !== undefined ? (
        <p class="console-problem">
          Cannot read <Name>{shelf.directory}</Name>: {shelf.problem}
        </p>
      ) : shelf.archives.length === 0 ? (
        <Empty>
          <p>
            No archives in <Name>{shelf.directory}</Name>. Start a backup, and copy the archive to another
            machine.
          </p>
        </Empty>
      ) : (
        <Table label="Archive files" head={["File", { label: "Size", class: "number" }, "Written"]}>
          {shelf.archives.map((one) => (
            <tr>
              <td class="wide">
                <Name>{one.file}</Name>
              </td>
              <td class="number">
                <Size bytes={one.bytes} />
              </td>
              <td class="tight">
                <Time at={one.written_at} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
