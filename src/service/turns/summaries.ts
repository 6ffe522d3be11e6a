// The turns of a workspace with their agents, tokens and cost, filtered, in pages or as a whole to export. Reads in portions between other work, however
// many turns do not match.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import type { Listing } from "../../kit/http/list-answer.ts";
import { pagesBySize, pagesOf } from "../../kit/storage/pages.ts";
import { csvRow } from "../../kit/text/csv.ts";
import { amountOf } from "../../kit/text/money.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import {
  SUMMARIES_DEFAULT,
  SUMMARY_CHARACTERS_MAX,
  type TurnFilter,
  type TurnSummariesQuery,
  type TurnSummary,
} from "./schema.ts";
import type { SummaryRow, TurnStore } from "./store.ts";

const ROWS_PER_READ = 50;
/** Turns that one request looks at; the next one continues. */
const LOOKED_AT_MAX = 5_000;

interface SummariesDeps {
  readonly store: TurnStore;
  readonly access: Access;
}

export class Summaries {
  readonly #deps: SummariesDeps;

  constructor(deps: SummariesDeps) {
    this.#deps = deps;
  }

  /** A `TurnSummaries`: the newest matches, newest first. Access is checked at once, and again for each page. */
  list(caller: Caller, workspaceId: number, query: TurnSummariesQuery): Listing<TurnSummary> {
    this.#deps.access.workspace(caller, workspaceId);
    let before: number | null = null;
    return {
      before: {},
      field: "turns",
      pages: this.#newest(caller, workspaceId, query, (last) => (before = last)),
      after: () => ({ before }),
    };
  }

  /** Yields all matches in pages, newest first. Access is checked for each page. */
  *all(caller: Caller, workspaceId: number, filter: TurnFilter): Generator<TurnSummary[], void> {
    for (const rows of this.#rows(caller, workspaceId, Number.MAX_SAFE_INTEGER))
      yield rows.filter((row) => this.#isWanted(row, filter)).map((row) => this.#summary(row));
  }

  /** Calls `more` with the last turn that was looked at, if others are left. */
  *#newest(
    caller: Caller,
    workspaceId: number,
    { before = Number.MAX_SAFE_INTEGER, limit = SUMMARIES_DEFAULT, ...filter }: TurnSummariesQuery,
    more: (last: number) => void,
  ): Generator<TurnSummary[], void> {
    let [found, looked, last] = [0, 0, before];
    for (const rows of this.#rows(caller, workspaceId, before)) {
      if (looked >= LOOKED_AT_MAX && rows.length > 0) return more(last);
      const turns: TurnSummary[] = [];
      for (const row of rows) {
        if (found === limit) {
          yield turns;
          return more(last);
        }
        last = row.id;
        looked += 1;
        if (!this.#isWanted(row, filter)) continue;
        found += 1;
        turns.push(this.#summary(row));
      }
      yield turns;
    }
  }

  /** In pages that take a few milliseconds. */
  *#rows(caller: Caller, workspaceId: number, before: number): Generator<SummaryRow[], void> {
    const { store, access } = this.#deps;
    const sizesBefore = (id: number) => store.summarySizes.all(workspaceId, id, ROWS_PER_READ);
    for (const sizes of pagesOf(sizesBefore, ({ id }) => id, before, ROWS_PER_READ))
      for (const ids of pagesBySize(sizes)) {
        access.workspace(caller, workspaceId);
        yield store.summariesByIds.all(JSON.stringify(ids));
      }
  }

  #isWanted(row: SummaryRow, { status, agent_id: agentId, text }: TurnFilter): boolean {
    if (status !== undefined && row.status !== status) return false;
    if (text !== undefined && !containsText(row, text)) return false;
    return agentId === undefined || this.#deps.store.tookPart.get(row.id, agentId) !== null;
  }

  #summary(row: SummaryRow): TurnSummary {
    const { store } = this.#deps;
    const sums = store.sumsOf.get(row.id)!;
    return {
      id: row.id,
      number: row.number,
      status: row.status,
      truncated: row.truncated === 1,
      text: row.text.slice(0, SUMMARY_CHARACTERS_MAX).toWellFormed(),
      user_name: row.user_name,
      imported: row.imported === 1,
      error: row.error,
      created_at: rfc3339(row.created_at),
      started_at: rfc3339OrNull(row.started_at),
      finished_at: rfc3339OrNull(row.finished_at),
      agents: store.agentsOf.all(row.id).map(({ name }) => name),
      calls: sums.calls,
      unreported_calls: sums.unreported_calls,
      input_tokens: sums.input_tokens,
      cached_input_tokens: sums.cached_input_tokens,
      output_tokens: sums.output_tokens,
      cost: sums.cost_nano === null ? null : amountOf(sums.cost_nano),
      unpriced_calls: sums.unpriced_calls,
    };
  }
}

/** Each word of the filter, in the message or in the name of its person. */
function containsText({ text, user_name: user }: SummaryRow, filter: string): boolean {
  const searched = `${text}\n${user}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}

const COLUMNS = [
  "number",
  "status",
  "truncated",
  "user_name",
  "text",
  "error",
  "created_at",
  "started_at",
  "finished_at",
  "agents",
  "calls",
  "unreported_calls",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "cost",
  "unpriced_calls",
  "imported",
] as const satisfies readonly (keyof TurnSummary)[];

export const SUMMARY_CSV_HEADER = csvRow(COLUMNS);

export function summaryCsv(turn: TurnSummary): string {
  return csvRow(
    COLUMNS.map((column) => {
      const value = turn[column];
      if (typeof value === "boolean") return String(value);
      return Array.isArray(value) ? value.join(", ") : value;
    }),
  );
}
