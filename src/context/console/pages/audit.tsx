// The audit record: a list with filters, one record in full, and counts.

import type { VNode } from "preact";
import { auditResults, type AuditRecord, type AuditStats } from "../../audit/schema.ts";
import { AUDIT, BREAKS, EXPORT, STATS, VERIFY } from "../audit-addresses.ts";
import type { Failure } from "../failure.ts";
import { countText } from "../../../kit/text/amounts.ts";
import { withQuery } from "../format.ts";
import { Empty, ExactTime, Field, Figure, Name, Pager, Problem, Raw, Table, Time } from "../pieces.tsx";
import { Records } from "./audit-records.tsx";

/** As typed; empty: any. */
export interface AuditFilter {
  readonly actor: string;
  readonly action: string;
  readonly space: string;
  readonly result: string;
  readonly since: string;
  readonly until: string;
}

interface AuditProps {
  readonly filter: AuditFilter;
  readonly records: readonly AuditRecord[];
  readonly spaces: readonly string[];
  readonly next: string | undefined;
  readonly first: string | undefined;
  readonly failure: Failure | undefined;
}

export function AuditBody({ filter, records, spaces, next, first, failure }: AuditProps): VNode {
  const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
  return (
    <div class="console-stack">
      <Problem failure={failure} fields={["actor", "action", "since", "until"]} />
      <Filter filter={filter} spaces={spaces} failure={failure} />
      <div class="console-bar">
        <a class="btn" href={VERIFY}>
          Verify
        </a>
        <a class="btn" href={STATS}>
          Statistics
        </a>
        <a class="btn" href={withQuery(EXPORT, { ...chosen, format: "jsonl" })}>
          Export JSON lines
        </a>
        <a class="btn" href={withQuery(EXPORT, { ...chosen, format: "csv" })}>
          Export CSV
        </a>
      </div>
      {failure ? null : records.length === 0 ? (
        <Empty>
          <p>No records match. Every change and every refusal is recorded; remove a filter to see more.</p>
        </Empty>
      ) : (
        <Records records={records} numbered />
      )}
      <Pager first={first} next={next} />
    </div>
  );
}

function Filter({ filter, spaces, failure }: Pick<AuditProps, "filter" | "spaces" | "failure">): VNode {
  return (
    <form method="get" action={AUDIT} class="console-filter" role="search" aria-label="Filter records">
      <Field label="Person" name="actor" value={filter.actor} failure={failure} />
      <Field label="Action" name="action" value={filter.action} placeholder="file.write" failure={failure} />
      <Select label="Space" name="space" value={filter.space} options={spaces} />
      <Select label="Result" name="result" value={filter.result} options={auditResults} />
      <Field label="From (UTC)" name="since" value={filter.since} type="date" failure={failure} />
      <Field label="To (UTC)" name="until" value={filter.until} type="date" failure={failure} />
      <div class="console-bar">
        <button class="btn primary">Filter</button>
        <a class="btn quiet" href={AUDIT}>
          Clear
        </a>
      </div>
    </form>
  );
}

function Select(props: { label: string; name: string; value: string; options: readonly string[] }): VNode {
  const { label, name, value, options } = props;
  return (
    <div class="field">
      <label for={`f-${name}`}>{label}</label>
      <select class="input" id={`f-${name}`} name={name}>
        <option value="">any</option>
        {options.map((one) => (
          <option value={one} selected={one === value}>
            {one}
          </option>
        ))}
      </select>
    </div>
  );
}

export function RecordBody({ record }: { record: AuditRecord }): VNode {
  const { actor } = record;
  const rows: [string, string | null][] = [
    ["Person", actor.name],
    ["Role", actor.role],
    ["Authentication", actor.auth],
    ["Address", actor.address],
    ["Action", record.action],
    ["Space", record.space],
    ["Target", record.target],
    ["Version", record.version === null ? null : String(record.version)],
    ["Content", record.content_hash],
    ["Result", record.result],
    ["Error", record.error],
    ["Request ID", record.request_id],
  ];
  return (
    <div class="console-stack">
      <p class="muted">
        <ExactTime at={record.time} />
        {record.recovered && " · recorded after a crash, from the log of the space"}
      </p>
      <Table label="Record" head={["Field", "Value"]}>
        {rows
          .filter(([, value]) => value !== null && value !== "")
          .map(([label, value]) => (
            <tr>
              <th scope="row" class="tight">
                {label}
              </th>
              <td class="wide">
                <Name>{value!}</Name>
              </td>
            </tr>
          ))}
      </Table>
      <section class="console-stack" aria-labelledby="exact">
        <h2 id="exact">As stored</h2>
        <Raw text={JSON.stringify(record, null, 2)} label="The record as JSON" />
      </section>
    </div>
  );
}

export function StatsBody({ stats }: { stats: AuditStats }): VNode {
  return (
    <div class="console-stack">
      <dl class="console-figures">
        <Figure label="Records">{countText(stats.entries)}</Figure>
        <Figure label="First">
          <Time at={stats.first} />
        </Figure>
        <Figure label="Last">
          <Time at={stats.last} />
        </Figure>
      </dl>
      <div class="console-counts">
        <Counts label="Results" counts={stats.results} name="result" />
        <Counts label="Actions" counts={stats.actions} name="action" />
      </div>
      <div class="console-bar">
        <a class="btn" href={BREAKS}>
          Breaks
        </a>
      </div>
    </div>
  );
}

function Counts(props: { label: string; counts: Readonly<Record<string, number>>; name: string }): VNode {
  const { label, counts, name } = props;
  const rows = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return (
    <div class="console-stack">
      <h2>{label}</h2>
      <Table label={label} head={["Name", { label: "Records", class: "number" }]}>
        {rows.map(([one, count]) => (
          <tr>
            <td>
              <a href={withQuery(AUDIT, { [name]: one })}>
                <Name>{one}</Name>
              </a>
            </td>
            <td class="number">{countText(count)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
