// The audit: every decision of people and agents, newest first. Each record contains the hash of the previous one. The audit can be
// filtered and verified, but not changed.

import { useSearchParams } from "@solidjs/router";
import ClipboardList from "lucide-solid/icons/clipboard-list";
import Download from "lucide-solid/icons/download";
import { createMemo, For, type JSX, Show } from "solid-js";
import type { ListedRecord } from "../../../src/service/audit/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { TextInput } from "../../kit/form.tsx";
import { exactTime, moment, shortHash } from "../../kit/format.ts";
import { createPagedList } from "../../kit/paged-list.ts";
import { Split } from "../../kit/split.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { SuggestInput } from "../../kit/suggest-input.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { usePaneAddress } from "../../state/pane-address.ts";
import { isAdmin } from "../../state/session.ts";
import { RecordDetail, Target } from "./record.tsx";
import { AUTH_NAMES, isUnreadable } from "./record-words.ts";
import { Verification } from "./verification.tsx";
import "./audit.css";

const PER_PAGE = 100;

interface Filter {
  readonly action: string;
  readonly actor: string;
  /** Days as the reader counts them, both included: `2026-11-21`. */
  readonly from: string;
  readonly to: string;
}

const NO_FILTER: Filter = { action: "", actor: "", from: "", to: "" };
const FIELDS = ["action", "actor", "from", "to"] as const;

/** The parameters of the server, which knows moments only. */
function queryOf({ action, actor, from, to }: Filter) {
  const since = startOf(from, 0);
  const until = startOf(to, 1);
  return {
    ...(action === "" ? {} : { action }),
    ...(actor === "" ? {} : { actor }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The start of this day, or of a later one, in the reader's time zone; undefined for anything that is no day. */
function startOf(day: string, later: number): string | undefined {
  const [, year, month, date] = (/^(\d{4,6})-(\d\d)-(\d\d)$/.exec(day) ?? []).map(Number);
  if (year === undefined) return undefined;
  return new Date(year, month! - 1, date! + later).toISOString();
}

export function Audit(): JSX.Element {
  useCrumbs(() => [{ name: "Audit" }]);
  return (
    <Show
      when={isAdmin()}
      fallback={
        <Empty alone title="Only admins see the audit" icon={<ClipboardList aria-hidden="true" />}>
          It records every decision on this server. Ask an admin about an entry.
        </Empty>
      }
    >
      <Records />
    </Show>
  );
}

function readPage(filter: Filter, before?: number): Promise<ListedRecord[]> {
  return take(
    api.audit.get({
      query: {
        limit: PER_PAGE,
        ...(before === undefined ? {} : { before }),
        ...queryOf(filter),
      },
    }),
  );
}

/** Null: no record has that number. */
async function readRecord(seq: number): Promise<ListedRecord | null> {
  const [found] = await take(api.audit.get({ query: { before: seq + 1, limit: 1 } }));
  return found?.seq === seq ? found : null;
}

/** The records of the filter and the chosen one, all named by the address. */
function createRecords() {
  const [params, setParams] = useSearchParams<Record<keyof Filter | "record", string>>();
  const filter = createMemo<Filter>(
    () => ({
      action: params.action ?? "",
      actor: params.actor ?? "",
      from: params.from ?? "",
      to: params.to ?? "",
    }),
    NO_FILTER,
    { equals: (a, b) => FIELDS.every((field) => a[field] === b[field]) },
  );
  const only = (next: Partial<Filter>) =>
    setParams({ ...filter(), ...next }, { replace: true, scroll: false });
  const setPane = usePaneAddress(() => params.record !== undefined);
  const choose = (seq: number | undefined) =>
    setPane({ record: seq === undefined ? undefined : String(seq) }, { opens: seq !== undefined });
  const pages = createPagedList({
    of: filter,
    key: (wanted) => ["audit", wanted],
    read: readPage,
    numberOf: ({ seq }) => seq,
    isLast: (page) => page.length < PER_PAGE,
  });
  const seen = createSeen(pages.all);
  const chosen = createChosen(
    () => params.record,
    pages.all,
    () => pages.query.data() !== undefined,
  );
  return { filter, only, choose, pages, seen, chosen };
}

function Records(): JSX.Element {
  const { filter, only, choose, pages, seen, chosen } = createRecords();
  return (
    <Split
      name="audit"
      size={420}
      min={320}
      sideLabel="Record"
      open={chosen() !== undefined}
      onClose={() => choose(undefined)}
      main={
        <div class="body">
          <div class="title">
            <h1>Audit</h1>
          </div>
          <p class="lead">
            Every decision: who made it, when, and how they were signed in. Records are hash-chained, so
            tampering is detectable.
          </p>
          <Verification onShow={choose} />
          <Filters filter={filter()} seen={seen()} onChange={only} />
          <Loaded query={pages.query}>
            {() => (
              <Show when={pages.all().length > 0} fallback={<NothingFound filter={filter()} />}>
                <Table
                  label="Decisions"
                  rows={pages.all()}
                  columns={chosen() ? columns.filter(({ title }) => !INSIDE.has(String(title))) : columns}
                  key={(record) => record.seq}
                  chosen={chosen()?.seq}
                  onChoose={(record) => choose(record.seq)}
                />
                <Show when={pages.more()}>
                  <div class="audit-more">
                    <Button busy={pages.busy()} onClick={() => void pages.readEarlier()}>
                      Load earlier records
                    </Button>
                  </div>
                </Show>
              </Show>
            )}
          </Loaded>
        </div>
      }
      side={
        <Show when={chosen()}>
          {(record) => <RecordDetail record={record()} onNarrow={only} onClose={() => choose(undefined)} />}
        </Show>
      }
    />
  );
}

function Filters(props: {
  readonly filter: Filter;
  readonly seen: { readonly actions: readonly string[]; readonly actors: readonly string[] };
  readonly onChange: (next: Partial<Filter>) => void;
}): JSX.Element {
  return (
    <form class="audit-filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SuggestInput
        label="Action"
        placeholder="Any"
        value={props.filter.action}
        suggestions={props.seen.actions}
        onChange={(action) => props.onChange({ action })}
      />
      <SuggestInput
        label="Who"
        placeholder="Anyone"
        value={props.filter.actor}
        suggestions={props.seen.actors}
        onChange={(actor) => props.onChange({ actor })}
      />
      <TextInput
        label="From"
        type="date"
        value={props.filter.from}
        onInput={(from) => props.onChange({ from })}
      />
      <TextInput label="To" type="date" value={props.filter.to} onInput={(to) => props.onChange({ to })} />
      <Show when={FIELDS.some((field) => props.filter[field] !== "")}>
        <Button kind="quiet" onClick={() => props.onChange(NO_FILTER)}>
          Show all
        </Button>
      </Show>
      <a class="btn" href={exportAddress(props.filter)} download="audit.csv" target="_self">
        <Download aria-hidden="true" />
        Download CSV
      </a>
    </form>
  );
}

/** All records of the filter, not only the pages that were loaded. */
function exportAddress(filter: Filter): string {
  return `/api/v1/audit/export?${new URLSearchParams(queryOf(filter))}`.replace(/\?$/, "");
}

/** The record that the address names, also if it is on an earlier page or excluded by the filter. */
function createChosen(
  inAddress: () => string | undefined,
  all: () => readonly ListedRecord[],
  loaded: () => boolean,
) {
  const wanted = () => (/^[1-9]\d*$/.test(inAddress() ?? "") ? Number(inAddress()) : undefined);
  const listed = createMemo(() => all().find(({ seq }) => seq === wanted()));
  const single = createQuery(() => {
    const seq = wanted();
    if (seq === undefined || listed() || !loaded()) return undefined;
    return { key: ["audit", "record", seq], read: () => readRecord(seq) };
  });
  return createMemo(() => listed() ?? single.data() ?? undefined);
}

/** The suggestions of the filters: all values seen so far. */
function createSeen(records: () => readonly ListedRecord[]) {
  return createMemo<{ actions: readonly string[]; actors: readonly string[] }>(
    (before) => {
      const join = (known: readonly string[], more: readonly string[]) =>
        [...new Set([...known, ...more])].filter(Boolean).toSorted();
      return {
        actions: join(
          before.actions,
          records().map(({ action }) => action),
        ),
        actors: join(
          before.actors,
          records().map(({ actor }) => actor),
        ),
      };
    },
    { actions: [], actors: [] },
  );
}

function NothingFound(props: { readonly filter: Filter }): JSX.Element {
  return (
    <Empty title="No matching records">
      <Show when={props.filter.action !== ""}>
        <p>
          Action <code>{props.filter.action}</code>: enter a complete action, such as <code>user.create</code>
          .
        </p>
      </Show>
      <Show when={props.filter.from !== "" || props.filter.to !== ""}>
        <p>
          {props.filter.to !== "" && props.filter.from > props.filter.to
            ? "From is after To."
            : "Try other days."}
        </p>
      </Show>
      <Show when={props.filter.actor !== ""}>
        <p>
          By “<span dir="auto">{props.filter.actor}</span>”: enter the complete name, as it was at the time.
        </p>
      </Show>
    </Empty>
  );
}

/** Breaks after a dot only. */
function Action(props: { readonly name: string }): JSX.Element {
  return (
    <code class="audit-action">
      <For each={props.name.split(".")}>
        {(word, index) => (
          <>
            <Show when={index() > 0}>
              .<wbr />
            </Show>
            {word}
          </>
        )}
      </For>
    </code>
  );
}

/** Hidden while a record is open, which shows them. */
const INSIDE = new Set<JSX.Element>(["Signed in by", "Content"]);

const columns: readonly Column<ListedRecord>[] = [
  { title: "No.", cell: (record) => record.seq, number: true, optional: true },
  {
    title: "Time",
    cell: (record) => (
      <Show when={record.time} fallback={<span class="faint">unknown</span>}>
        {(time) => (
          <time dateTime={time()} title={exactTime(time())}>
            <span class="compact">{moment(time())}</span>
            <span class="roomy">{exactTime(time())}</span>
          </time>
        )}
      </Show>
    ),
    tight: true,
  },
  {
    title: "Who",
    cell: (record) => (
      <Show when={!isUnreadable(record)} fallback={<span class="tag bad">unreadable</span>}>
        <span class="audit-who" dir="auto">
          {record.actor}
        </span>
      </Show>
    ),
  },
  {
    title: "Signed in by",
    cell: (record) => (isUnreadable(record) ? "" : AUTH_NAMES[record.auth]),
    optional: true,
    tight: true,
  },
  {
    title: "Action",
    cell: (record) => (
      <>
        <Action name={record.action} />
        <div class="compact small audit-under">
          <Target record={record} />
        </div>
      </>
    ),
  },
  { title: "Target", cell: (record) => <Target record={record} />, optional: true },
  {
    title: "Content",
    cell: (record) => (
      <Show when={record.content_hash}>
        {(hash) => (
          <code class="muted" title={`sha256 ${hash()}`}>
            {shortHash(hash())}
          </code>
        )}
      </Show>
    ),
    optional: true,
    tight: true,
  },
];
