// Sums usage by day, for each agent or each model. The largest have their own series; the rest is one.

import { DAY_MS, turnOfOthers, utcDay, type Clock } from "../../kit/clock.ts";
import { amountOf, type Nano } from "../../kit/text/money.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import { USAGE_DAYS_DEFAULT, USAGE_SERIES_MAX, type UsageDays, type UsageDaysQuery } from "./schema.ts";
import type { EndedCallRow, UsageStore } from "./store.ts";

/** Takes about two milliseconds to read and sum. */
const PAGE_ROWS = 500;

interface UsageByDayDeps {
  readonly store: UsageStore;
  readonly access: Access;
  readonly clock: Clock;
}

interface Sum {
  calls: number;
  unreported_calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  cost_nano: Nano | null;
  unpriced_calls: number;
}

export class UsageByDay {
  readonly #deps: UsageByDayDeps;

  constructor(deps: UsageByDayDeps) {
    this.#deps = deps;
  }

  /** Anyone who sees the workspace. */
  async get(caller: Caller, workspaceId: number, query: UsageDaysQuery): Promise<UsageDays> {
    const { access, clock, store } = this.#deps;
    access.workspace(caller, workspaceId);
    const { by = "agent", days = USAGE_DAYS_DEFAULT } = query;
    const to = utcDay(clock.now());
    const from = utcDay(Date.parse(to) - (days - 1) * DAY_MS);
    const names = new Map<number, string>();
    if (by === "agent") for (const { id, name } of store.names.all(workspaceId)) names.set(id, name);
    const sums = new Map<string, Map<number, Sum>>();
    for await (const row of this.#callsSince(workspaceId, Date.parse(from))) {
      const day = utcDay(row.started_at + row.duration_ms);
      if (day < from || day > to) continue;
      const id = by === "agent" ? row.agent_id : row.model_id;
      if (by === "model") names.set(id, row.model_name);
      const ofDay = sums.get(day) ?? new Map<number, Sum>();
      sums.set(day, ofDay);
      ofDay.set(id, added(ofDay.get(id), row));
    }
    return { from, to, rows: rowsOf(sums, names) };
  }

  /** A call that began on the day before may have ended on this one. */
  async *#callsSince(workspaceId: number, time: number): AsyncGenerator<EndedCallRow> {
    let last = { at: time - DAY_MS, id: 0 };
    for (;;) {
      const rows = this.#deps.store.endedSince.all({ workspace_id: workspaceId, ...last, limit: PAGE_ROWS });
      yield* rows;
      if (rows.length < PAGE_ROWS) return;
      last = { at: rows.at(-1)!.started_at, id: rows.at(-1)!.id };
      await turnOfOthers();
    }
  }
}

function added(sum: Sum | undefined, row: EndedCallRow): Sum {
  const { input_tokens: input, output_tokens: output, cost_nano: cost } = row;
  return merged(sum, {
    calls: 1,
    unreported_calls: input === null && output === null ? 1 : 0,
    input_tokens: input ?? 0,
    cached_input_tokens: row.cached_input_tokens ?? 0,
    output_tokens: output ?? 0,
    cost_nano: cost,
    unpriced_calls: cost === null ? 1 : 0,
  });
}

/** An unknown cost is never zero. */
function merged(a: Sum | undefined, b: Sum): Sum {
  if (!a) return b;
  return {
    calls: a.calls + b.calls,
    unreported_calls: a.unreported_calls + b.unreported_calls,
    input_tokens: a.input_tokens + b.input_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost_nano: a.cost_nano === null ? b.cost_nano : a.cost_nano + (b.cost_nano ?? 0),
    unpriced_calls: a.unpriced_calls + b.unpriced_calls,
  };
}

const tokensOf = (sum: Sum) => sum.input_tokens + sum.output_tokens;

function rowsOf(
  sums: ReadonlyMap<string, ReadonlyMap<number, Sum>>,
  names: ReadonlyMap<number, string>,
): UsageDays["rows"] {
  const totals = new Map<number, number>();
  for (const ofDay of sums.values())
    for (const [id, sum] of ofDay) totals.set(id, (totals.get(id) ?? 0) + tokensOf(sum));
  const largest = [...totals].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, USAGE_SERIES_MAX);
  const own = new Set(largest.map(([id]) => id));
  const days = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return days.flatMap(([day, ofDay]) => {
    const bySeries = new Map<number | null, Sum>();
    for (const [id, sum] of ofDay) {
      const series = own.has(id) ? id : null;
      bySeries.set(series, merged(bySeries.get(series), sum));
    }
    return [...bySeries]
      .toSorted((a, b) => tokensOf(b[1]) - tokensOf(a[1]))
      .map(([id, { cost_nano: cost, ...sum }]) => ({
        day,
        id,
        name: id === null ? "others" : (names.get(id) ?? `no. ${id}`),
        ...sum,
        cost: cost === null ? null : amountOf(cost),
      }));
  });
}
