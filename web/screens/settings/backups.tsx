// Backups of this server, for its admins: the schedule, one on request with its progress, and the archives that there are.

import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createEffect, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Backup, BackupsOverview } from "../../../src/service/backup/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery, refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { bytes, count, percent, sentence } from "../../kit/format.ts";
import { afterPause } from "../../kit/pause.ts";
import { Time } from "../../kit/pieces.tsx";
import { Loaded } from "../../kit/states.tsx";
import { Table } from "../../kit/table.tsx";
import { isAdmin } from "../../state/session.ts";

const RUNNING_EVERY_MS = 1_000;
const IDLE_EVERY_MS = 60_000;
const SHOWN_AT_FIRST = 5;

type Archive = BackupsOverview["archives"][number];

export function Backups(): JSX.Element {
  return (
    <Show when={isAdmin()}>
      <section class="settings-part">
        <h2>Backups</h2>
        <Shown />
      </section>
    </Show>
  );
}

function Shown(): JSX.Element {
  const query = createQuery(() => ({ key: ["backups"], read: () => take(api.backups.get()) }), {
    every: IDLE_EVERY_MS,
  });
  createEffect(() => {
    if (query.data()?.last?.state === "running") afterPause(RUNNING_EVERY_MS, () => void query.refresh());
  });
  return (
    <div class="stack">
      <Loaded query={query}>
        {(overview) => (
          <Show
            when={overview().directory}
            fallback={
              <p class="muted">
                This server makes no backups. The operator enables them with <code>backup.directory</code> in
                the server's configuration.
              </p>
            }
          >
            <Facts overview={overview()} />
            <Latest overview={overview()} />
            <Archives overview={overview()} />
          </Show>
        )}
      </Loaded>
    </div>
  );
}

function Facts(props: { readonly overview: BackupsOverview }): JSX.Element {
  return (
    <>
      <Show when={props.overview.problem}>
        {(problem) => (
          <Warning>
            Cannot read the directory: {problem()}. The operator has to create it, or make it readable for the
            service.
          </Warning>
        )}
      </Show>
      <Show when={props.overview.failure}>
        {(failure) => <Warning>The last scheduled backup failed. {sentence(failure())}</Warning>}
      </Show>
      <Show when={props.overview.copies?.failure}>
        {(failure) => <Warning>The last scheduled backup was not copied. {sentence(failure())}</Warning>}
      </Show>
      <dl class="settings-facts">
        <dt>Directory</dt>
        <dd>
          <bdi class="mono">{props.overview.directory}</bdi>
        </dd>
        <dt>Schedule</dt>
        <dd>{scheduleText(props.overview)}</dd>
        <dt>Memory</dt>
        <dd>{memoryTexts[props.overview.memory]}</dd>
        <Show when={props.overview.next_at}>
          {(next) => (
            <>
              <dt>Next</dt>
              <dd>
                <Time time={next()} />
              </dd>
            </>
          )}
        </Show>
        <Show when={props.overview.copies}>
          {(copies) => (
            <>
              <dt>Copies</dt>
              <dd>
                <span>
                  In the bucket <bdi class="mono">{copies().bucket}</bdi>
                  <Show when={copies().last_at} fallback=". None has been made yet.">
                    {(last) => (
                      <>
                        , the newest of <Time time={last()} />
                      </>
                    )}
                  </Show>
                </span>
              </dd>
            </>
          )}
        </Show>
      </dl>
    </>
  );
}

const memoryTexts: Readonly<Record<BackupsOverview["memory"], string>> = {
  folder: "Included",
  server: "Not included. The context server makes its own backups.",
  none: "None to include",
  left_out: "Left out by the server's configuration",
};

function scheduleText({ every_hours: hours, keep }: BackupsOverview): string {
  if (hours === 0) return "None. Backups are made on request only.";
  const every = hours === 1 ? "Every hour" : `Every ${count(hours)} hours`;
  return keep === 0 ? `${every}; all are kept.` : `${every}; the newest ${count(keep)} are kept.`;
}

function Latest(props: { readonly overview: BackupsOverview }): JSX.Element {
  const start = createSubmission([], async () => {
    await take(api.backups.post());
    await refresh("backups");
  });
  const cancel = createSubmission([], async () => {
    await take(api.backups({ id: props.overview.last!.id }).delete());
    await refresh("backups");
  });
  const running = () => (props.overview.last?.state === "running" ? props.overview.last : undefined);
  return (
    <>
      <div class="row">
        <Show
          when={running()}
          fallback={
            <Button busy={start.busy()} onClick={() => void start.submit()}>
              Back up now
            </Button>
          }
        >
          {(backup) => (
            <>
              <Button kind="danger" busy={cancel.busy()} onClick={() => void cancel.submit()}>
                Cancel backup
              </Button>
              <Progress backup={backup()} />
            </>
          )}
        </Show>
      </div>
      <div role="status">
        <Show when={!running() && props.overview.last}>{(backup) => <Ended backup={backup()} />}</Show>
      </div>
      <FormProblem form={start} />
      <FormProblem form={cancel} />
    </>
  );
}

function Progress(props: { readonly backup: Backup }): JSX.Element {
  const total = () => props.backup.bytes_total;
  return (
    <Show when={total() > 0} fallback={<span class="muted">Starting…</span>}>
      <progress aria-label="Backup" max={total()} value={props.backup.bytes_done} />
      <span class="muted">
        {percent(props.backup.bytes_done / total())} of {bytes(total())}
      </span>
    </Show>
  );
}

function Ended(props: { readonly backup: Backup }): JSX.Element {
  return (
    <Switch>
      <Match when={props.backup.state === "failed" && props.backup.error}>
        {(error) => <Warning>The latest backup failed. {sentence(error().message)}</Warning>}
      </Match>
      <Match when={props.backup.error}>{(error) => <p class="muted">{sentence(error().message)}</p>}</Match>
      <Match when={props.backup.result}>
        {(result) => (
          <>
            <p class="muted">
              The latest backup is complete: {bytes(result().size)}, as of <Time time={result().created_at} />
              .
            </p>
            <Show when={result().memory_problem}>
              {(problem) => <Warning>It does not include memory. {sentence(problem())}</Warning>}
            </Show>
          </>
        )}
      </Match>
    </Switch>
  );
}

function Archives(props: { readonly overview: BackupsOverview }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const archives = () => props.overview.archives;
  const shown = () => (all() ? archives() : archives().slice(0, SHOWN_AT_FIRST));
  return (
    <Show
      when={archives().length > 0}
      fallback={
        <Show when={!props.overview.problem}>
          <p class="muted">There are no archives yet.</p>
        </Show>
      }
    >
      <Table
        label="Backup archives, newest first"
        rows={shown()}
        key={(one) => one.file}
        columns={[
          { title: "Archive", cell: (one: Archive) => <bdi class="mono">{nameOf(one)}</bdi> },
          { title: "Size", cell: (one: Archive) => bytes(one.bytes), number: true },
          { title: "Written", cell: (one: Archive) => <Time time={one.written_at} />, tight: true },
        ]}
      />
      <Show when={!all() && archives().length > SHOWN_AT_FIRST}>
        <div class="row">
          <Button small onClick={() => setAll(true)}>
            Show all {archives().length}
          </Button>
        </div>
      </Show>
    </Show>
  );
}

function Warning(props: { readonly children: JSX.Element }): JSX.Element {
  return (
    <div class="notice bad">
      <TriangleAlert aria-hidden="true" />
      <div>{props.children}</div>
    </div>
  );
}

/** On any system. */
function nameOf({ file }: Archive): string {
  return file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
}
