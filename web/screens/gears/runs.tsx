// The runs of a gear that this person may see, and the details of one run.

import { AUTH_NAMES } from "../../parts/gear/auth-names.ts";
import { useSearchParams } from "@solidjs/router";
import Play from "lucide-solid/icons/play";
import { createSignal, For, type JSX, Show } from "solid-js";
import type { GearDetail, GearRun, GearRunDetail } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { duration, shortHash } from "../../kit/format.ts";
import { createPagedList } from "../../kit/paged-list.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { Split } from "../../kit/split.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { runQuery } from "../../parts/gear/gear-queries.ts";
import { KIND_NAMES, OutcomeTag } from "../../parts/gear/gear-words.tsx";
import { isAdmin, me } from "../../state/session.ts";
import { StopRun } from "./stop-run.tsx";

const RUNS_EVERY_MS = 5_000;
const PAGE = 100;

const columns: readonly Column<GearRun>[] = [
  { title: "Result", cell: (run) => <OutcomeTag run={run} /> },
  { title: "Kind", cell: (run) => KIND_NAMES[run.kind], sortBy: (run) => run.kind },
  {
    title: "Who",
    cell: (run) => <bdi>{run.agent === null ? run.user_name : `${run.agent}, for ${run.user_name}`}</bdi>,
    sortBy: (run) => run.agent ?? run.user_name,
  },
  {
    title: "Version",
    number: true,
    optional: true,
    cell: (run) => run.version,
    sortBy: (run) => run.version,
  },
  {
    title: "Duration",
    number: true,
    optional: true,
    cell: (run) => (run.duration_ms === null ? "" : duration(run.duration_ms)),
    sortBy: (run) => run.duration_ms ?? -1,
  },
  { title: "Started", number: true, cell: (run) => <Time time={run.started_at} />, sortBy: (run) => run.id },
];

export function Runs(props: { readonly gear: GearDetail }): JSX.Element {
  const [params, setParams] = useSearchParams<{ run: string }>();
  const { query, all, more, busy, readEarlier } = createPagedList({
    of: () => props.gear.id,
    key: (id) => ["gears", "runs", id],
    read: async (id, before) => {
      const page = { limit: PAGE, ...(before === undefined ? {} : { before }) };
      return (await take(api.gears({ id }).runs.get({ query: page }))).toReversed();
    },
    numberOf: ({ id }) => id,
    isLast: (page) => page.length < PAGE,
    every: RUNS_EVERY_MS,
  });
  const chosen = () => (params.run === undefined ? undefined : Number(params.run));
  return (
    <Split
      name="gear-runs"
      size={420}
      min={300}
      sideLabel="Run"
      open={chosen() !== undefined}
      onClose={() => setParams({ run: undefined })}
      main={
        <Loaded query={query} what="list">
          {() => (
            <>
              <h1 class="visually-hidden">Runs of {props.gear.name}</h1>
              <Show when={all().length > 0} fallback={<NoRuns />}>
                <div class="gear-runs">
                  <Table
                    label="Runs"
                    rows={all()}
                    columns={columns}
                    key={(run) => run.id}
                    chosen={chosen()}
                    onChoose={(run) => setParams({ run: run.id === chosen() ? undefined : run.id })}
                  />
                </div>
                <Show when={more()}>
                  <div class="section">
                    <Button small busy={busy()} onClick={() => void readEarlier()}>
                      Load earlier runs
                    </Button>
                  </div>
                </Show>
              </Show>
            </>
          )}
        </Loaded>
      }
      side={<OneRun id={chosen()} onClose={() => setParams({ run: undefined })} />}
    />
  );
}

function NoRuns(): JSX.Element {
  return (
    <Empty title="No runs yet" icon={<Play aria-hidden="true" />}>
      Dry runs, tests, manual runs and agent calls appear here with the arguments and output that you may see.
    </Empty>
  );
}

function OneRun(props: { readonly id: number | undefined; readonly onClose: () => void }): JSX.Element {
  const run = runQuery(() => props.id);
  return (
    <Loaded query={run} what="run" out={{ name: "Close", go: () => props.onClose() }}>
      {(found) => <RunDetail run={found()} onClose={props.onClose} />}
    </Loaded>
  );
}

function RunDetail(props: { readonly run: GearRunDetail; readonly onClose: () => void }): JSX.Element {
  const facts = (): [string, JSX.Element][] => {
    const { run } = props;
    return [
      ["Result", <OutcomeTag run={run} />],
      ["Kind", KIND_NAMES[run.kind]],
      ["Who", `${run.user_name}, ${AUTH_NAMES[run.auth]}${run.agent === null ? "" : `, by ${run.agent}`}`],
      ["Version", `${run.version}, ${shortHash(run.content_hash)}`],
      ["Started", <Time time={run.started_at} />],
      ["Duration", run.duration_ms === null ? "unknown" : duration(run.duration_ms)],
      ["Isolated", run.isolated ? "yes" : <span class="gear-bad">no, with the server's own access</span>],
    ];
  };
  return (
    <>
      <div class="section">
        <div class="row gear-run-head">
          <h2 class="heading gear-run-title">Run {props.run.id}</h2>
          <span class="end row">
            <Show when={mayStop(props.run)}>
              <StopRun id={props.run.id} />
            </Show>
            <Button small kind="quiet" onClick={() => props.onClose()}>
              Close
            </Button>
          </span>
        </div>
        <dl class="facts">
          <For each={facts()}>
            {([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            )}
          </For>
          <Show when={props.run.files.length > 0}>
            <dt>Files</dt>
            <dd>{props.run.files.join(", ")}</dd>
          </Show>
        </dl>
        <Show when={props.run.error}>
          {(error) => (
            <div class="notice bad gear-run-error">
              <div>{error()}</div>
            </div>
          )}
        </Show>
      </div>
      <Text title="Arguments" text={JSON.stringify(props.run.args, null, 2)} />
      <Text title="Output" text={props.run.stdout} />
      <Show when={props.run.stderr}>
        <Text title="Errors" text={props.run.stderr} />
      </Show>
      <Show when={props.run.truncated}>
        <p class="section small muted">Output truncated: 1 MiB of each stream is kept.</p>
      </Show>
    </>
  );
}

/** An agent's call ends with its turn. */
function mayStop({ status, kind, user_id: userId }: GearRun): boolean {
  return status === "running" && kind !== "tool" && (isAdmin() || me()?.id === userId);
}

const TEXT_CHARACTERS_SHOWN = 50_000;

function Text(props: { readonly title: string; readonly text: string | null }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const text = () => props.text ?? "";
  const shown = () => (all() ? text() : text().slice(0, TEXT_CHARACTERS_SHOWN));
  return (
    <div class="section">
      <div class="row">
        <h3 class="heading">{props.title}</h3>
        <span class="end">
          <Show when={text() !== ""}>
            <CopyButton text={text()} label={`Copy ${props.title.toLowerCase()}`} />
          </Show>
        </span>
      </div>
      <Show when={text() !== ""} fallback={<p class="muted small">Empty.</p>}>
        <pre class="block gear-run-text" tabIndex={0} role="region" aria-label={props.title}>
          {shown()}
        </pre>
      </Show>
      <Show when={shown().length < text().length}>
        <Button small onClick={() => setAll(true)}>
          Show all
        </Button>
      </Show>
    </div>
  );
}
