// Records of a conversation as the service lists them, for tests of the code that shows them.

import type { Entry } from "../../../src/service/conversation/schema.ts";
import type { Turn } from "../../../src/service/turns/schema.ts";

export const TIME = "2026-11-14T10:00:00.000Z";

export function turnOf(id: number, fields: Partial<Turn> = {}): Turn {
  return {
    id,
    workspace_id: 1,
    number: id,
    status: "done",
    text: `message ${id}`,
    user_id: 1,
    user_name: "admin",
    imported: false,
    error: null,
    truncated: false,
    tainted: false,
    attachments: [],
    created_at: TIME,
    started_at: TIME,
    finished_at: TIME,
    after_id: null,
    model_id: null,
    first_event_id: 1,
    ...fields,
  };
}

export function entryOf(id: number, kind: Entry["kind"], fields: Partial<Entry> = {}): Entry {
  return {
    id,
    workspace_id: 1,
    turn_id: 1,
    run_id: 1,
    agent_id: 1,
    thread: 0,
    kind,
    text: `${kind} ${id}`,
    reasoning: null,
    calls: [],
    call_id: null,
    tool: null,
    outcome: null,
    duration_ms: null,
    input_tokens: null,
    output_tokens: null,
    partial: false,
    truncated: null,
    dropped_calls: [],
    tainted: false,
    attachments: [],
    forgotten: false,
    aside: false,
    created_at: TIME,
    ...fields,
  };
}
