// Converts turns and model calls to API records.

import { rfc3339, rfc3339OrNull } from "../../kit/clock.ts";
import { pagesBySize } from "../../kit/storage/pages.ts";
import { amountOf } from "../../kit/text/money.ts";
import { attachmentsOf } from "../conversation/conversation.ts";
import type { CallSummary, Turn, TurnStatus } from "./schema.ts";
import type { CallFacts, TurnRow, TurnStore } from "./store.ts";

/** Also true for a deleted turn. */
export function isOver(status: TurnStatus | undefined): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting";
}

export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    number: row.number,
    status: row.status,
    text: row.text,
    attachments: attachmentsOf(row),
    user_id: row.user_id,
    user_name: row.user_name,
    imported: row.imported === 1,
    error: row.error,
    truncated: row.truncated === 1,
    tainted: row.tainted_at !== null,
    created_at: rfc3339(row.created_at),
    started_at: rfc3339OrNull(row.started_at),
    finished_at: rfc3339OrNull(row.finished_at),
    after_id: row.started_at === null && row.is_placed === 0 ? null : row.after_id,
    model_id: row.model_id,
    first_event_id: row.first_event_id,
  };
}

/** Converts a model call, without its parts. */
export function toCall(row: CallFacts): CallSummary {
  return {
    id: row.id,
    turn_id: row.turn_id,
    run_id: row.run_id,
    agent_id: row.agent_id,
    round: row.round,
    model_id: row.model_id,
    model_name: row.model_name,
    provider_name: row.provider_name,
    protocol: row.protocol,
    status: row.status,
    // Stored with the duration, when the call ends.
    attempts: row.duration_ms === null ? null : row.attempts,
    finish: row.finish,
    error: row.error,
    http_status: row.http_status,
    input_tokens: row.input_tokens,
    cached_input_tokens: row.cached_input_tokens,
    output_tokens: row.output_tokens,
    cost: row.cost_nano === null ? null : amountOf(row.cost_nano),
    started_at: rfc3339(row.started_at),
    first_chunk_ms: row.first_chunk_ms,
    duration_ms: row.duration_ms,
  };
}

/** Yields the model calls of a turn in the order of their start. `check` is called before each page. */
export function* callPages(store: TurnStore, turnId: number, check: () => void): Generator<CallSummary[]> {
  for (const ids of pagesBySize(store.callSizes.all(turnId))) {
    check();
    yield store.callsByIds.all(JSON.stringify(ids)).map(toCall);
  }
}
