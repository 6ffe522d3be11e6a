// Usage by day as a chart, with the same figures as a table behind it. Loads when the dialog opens.

import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { UsageDays } from "../../../src/service/usage/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { costText, dayText, money, tokens } from "../../kit/format.ts";
import { Select } from "../../kit/form.tsx";
import { narrow } from "../../kit/screen.ts";
import { Loaded } from "../../kit/states.tsx";
import { type Column as TableColumn, countColumn, Table } from "../../kit/table.tsx";
import { lookOf } from "../../state/agent-look.ts";
import { useHere } from "../../state/here.ts";
import { type Chart, chartOf, type Column, type Measure, type Series, ticksOf } from "./usage-columns.ts";
import "./usage-chart.css";

const HEIGHT = 200;
const LEFT = 56;
const TOP = 18;
const BOTTOM = 22;
const ROOM = HEIGHT - TOP - BOTTOM;
const COLOURS = 6;
/** Labels below the columns. */
const LABELS_MAX = 8;
const LABELS_NARROW_MAX = 4;
/** In pixels, about, so that the labels have their size. */
const width = () => (narrow() ? 330 : 760);
const DAYS = ["7", "30", "90"].map((value) => ({ value, label: `${value} days` }));

type By = "agent" | "model";

export function UsageChart(): JSX.Element {
  const here = useHere();
  const [by, setBy] = createSignal<By>("agent");
  const [measure, setMeasure] = createSignal<Measure>("tokens");
  const [days, setDays] = createSignal("30");
  const query = createQuery<DaysProps["found"]>(() => {
    const [wanted, period] = [by(), Number(days())];
    return {
      key: ["usage-days", here.id, wanted, period, here.state().usage.calls],
      read: async () => {
        const { days: route } = api.workspaces({ id: here.id }).usage;
        return { by: wanted, usage: await take(route.get({ query: { by: wanted, days: period } })) };
      },
    };
  });
  /** The former figures stay until the next are there. */
  const latest = createMemo<DaysProps["found"] | undefined>((before) => query.data() ?? before);
  return (
    <section>
      <h3 class="heading">Usage by day</h3>
      <div class="usage-choices">
        <Select
          label="By"
          value={by()}
          choices={[
            { value: "agent", label: "Agent" },
            { value: "model", label: "Model" },
          ]}
          onChange={(value) => setBy(value as By)}
        />
        <Select
          label="Show"
          value={measure()}
          choices={[
            { value: "tokens", label: "Tokens" },
            { value: "cost", label: "Cost" },
          ]}
          onChange={(value) => setMeasure(value as Measure)}
        />
        <Select label="Period" value={days()} choices={DAYS} onChange={setDays} />
      </div>
      <Show when={latest()} fallback={<Loaded query={query}>{() => <></>}</Loaded>}>
        {(found) => <Days found={found()} measure={measure()} />}
      </Show>
    </section>
  );
}

interface DaysProps {
  readonly found: { readonly usage: UsageDays; readonly by: By };
  readonly measure: Measure;
}

function Days(props: DaysProps): JSX.Element {
  const here = useHere();
  const chart = createMemo(() => chartOf(props.found.usage, props.measure));
  const colour = (series: Series) => {
    if (series.id === null) return "usage-others";
    if (props.found.by === "agent") return `usage-${lookOf(here.state(), series.id).colour}`;
    return `usage-${(chart().series.indexOf(series) % COLOURS) + 1}`;
  };
  const some = () => props.found.usage.rows.length > 0;
  return (
    <Show when={some()} fallback={<p class="muted">No model calls in this period.</p>}>
      <Drawing chart={chart()} measure={props.measure} colour={colour} />
      <ul class="usage-legend small" aria-hidden="true">
        <For each={chart().series}>
          {(series) => (
            <li>
              <svg class="usage-key" aria-hidden="true">
                <rect class={colour(series)} width="100%" height="100%" />
              </svg>
              <bdi class="ellipsis">{series.name}</bdi>
            </li>
          )}
        </For>
        <Show when={chart().columns.some(({ unknown }) => unknown)}>
          <li>? the cost of some calls of the day is unknown</li>
        </Show>
      </ul>
      <details class="usage-details">
        <summary class="small">Show as table</summary>
        <div class="usage-table">
          <Table
            label="Usage by day"
            rows={props.found.usage.rows}
            columns={columnsOf(props.found.by)}
            key={(row) => `${row.day} ${row.id}`}
          />
        </div>
      </details>
    </Show>
  );
}

type Row = UsageDays["rows"][number];

const columnsOf = (by: By): readonly TableColumn<Row>[] => [
  { title: "Day", cell: (row) => dayText(row.day), sortBy: (row) => row.day, tight: true },
  {
    title: by === "agent" ? "Agent" : "Model",
    cell: (row) => <bdi>{row.name}</bdi>,
    sortBy: (row) => row.name,
  },
  countColumn("Tokens in", (row) => row.input_tokens),
  countColumn("Tokens out", (row) => row.output_tokens, { optional: true }),
  countColumn("Calls", (row) => row.calls, { optional: true }),
  { title: "Cost", cell: (row) => costText(row), sortBy: (row) => row.cost ?? -1, number: true },
];

function Drawing(props: {
  readonly chart: Chart;
  readonly measure: Measure;
  readonly colour: (series: Series) => string;
}): JSX.Element {
  const step = () => (width() - LEFT) / props.chart.columns.length;
  const words = (value: number) => (props.measure === "cost" ? money(value) : tokens(Math.round(value)));
  const ticks = createMemo(() => ticksOf(props.chart.max, props.measure));
  const scale = () => ROOM / (ticks().at(-1) || 1);
  const heightOf = (tick: number) => TOP + ROOM - tick * scale();
  const every = () => Math.ceil(props.chart.columns.length / (narrow() ? LABELS_NARROW_MAX : LABELS_MAX));
  const summary = () => {
    const largest = props.chart.columns.reduce((a, b) => (b.total > a.total ? b : a));
    const noun = props.measure === "cost" ? "Cost" : "Tokens";
    return `${noun} by day. Most on ${dayText(largest.day)}: ${words(largest.total)}. The table below has all figures.`;
  };
  return (
    <svg class="usage-chart" viewBox={`0 0 ${width()} ${HEIGHT}`} role="img" aria-label={summary()}>
      <For each={ticks()}>
        {(tick) => (
          <g>
            <line class="usage-grid" x1={LEFT} x2={width()} y1={heightOf(tick)} y2={heightOf(tick)} />
            <text class="usage-label" x={LEFT - 8} y={heightOf(tick) + 4} text-anchor="end">
              {words(tick)}
            </text>
          </g>
        )}
      </For>
      <For each={props.chart.columns}>
        {(column, index) => (
          <Stack
            column={column}
            x={LEFT + index() * step()}
            step={step()}
            scale={scale()}
            colour={props.colour}
            words={words}
            label={index() % every() === 0}
          />
        )}
      </For>
    </svg>
  );
}

function Stack(props: {
  readonly column: Column;
  readonly x: number;
  readonly step: number;
  readonly scale: number;
  readonly colour: (series: Series) => string;
  readonly words: (value: number) => string;
  readonly label: boolean;
}): JSX.Element {
  const bottom = TOP + ROOM;
  const middle = () => props.x + props.step / 2;
  return (
    <g>
      <For each={props.column.pieces}>
        {({ series, from, value }) => (
          <rect
            class={props.colour(series)}
            x={props.x + props.step * 0.15}
            width={Math.max(1, props.step * 0.7)}
            y={bottom - (from + value) * props.scale}
            height={Math.max(0, value * props.scale)}
          >
            <title>{`${dayText(props.column.day)}, ${series.name}: ${props.words(value)}`}</title>
          </rect>
        )}
      </For>
      <Show when={props.column.unknown}>
        <text
          class="usage-label usage-unknown"
          x={middle()}
          y={bottom - props.column.total * props.scale - 5}
          text-anchor="middle"
        >
          ?
        </text>
      </Show>
      <Show when={props.label}>
        <text class="usage-label" x={middle()} y={HEIGHT - 6} text-anchor="middle">
          {dayText(props.column.day)}
        </text>
      </Show>
    </g>
  );
}
