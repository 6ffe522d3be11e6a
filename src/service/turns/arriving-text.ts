// Handles a chunk of a model's answer: adds its text to the open call and sends it to current viewers. The text is stored with the complete answer,
// and until then once a second.

import type { Clock } from "../../kit/clock.ts";
import type { Journal } from "../journal/journal.ts";
import type { ModelListener } from "../llm/model.ts";
import type { ArrivedTexts } from "./arrived-texts.ts";
import type { StreamedEvents } from "./events.ts";
import type { OpenCall, Run } from "./recorder.ts";

export type ListenTo = (run: Run, call: OpenCall) => ModelListener;

interface ArrivingTextDeps {
  readonly arrived: ArrivedTexts;
  readonly journal: Journal<StreamedEvents>;
  readonly clock: Clock;
}

export function arrivingText({ arrived, journal, clock }: ArrivingTextDeps): ListenTo {
  const show = ({ row }: Run, kind: "text" | "reasoning", text: string): void =>
    journal.transient(row.workspace_id, row.turn_id, "delta", {
      run_id: row.id,
      agent_id: row.agent_id,
      kind,
      text,
    });
  const showRetry = ({ row }: Run, waitMs: number, status: number | undefined): void =>
    journal.transient(row.workspace_id, row.turn_id, "retry", {
      run_id: row.id,
      agent_id: row.agent_id,
      wait_ms: Math.round(waitMs),
      status: status ?? null,
    });
  return (run, call) => ({
    text: (delta) => {
      call.text += delta;
      arrived.grown(call);
      show(run, "text", delta);
    },
    reasoning: (delta) => {
      call.reasoning += delta;
      arrived.grown(call);
      show(run, "reasoning", delta);
    },
    attempt: (count) => {
      call.attempts = count;
      call.retry = undefined;
      if (count > 1) showRetry(run, 0, undefined);
    },
    retryIn: (waitMs, status) => {
      call.retry = { until: clock.elapsed() + waitMs, status: status ?? null };
      showRetry(run, waitMs, status);
    },
    firstChunk: () => {
      call.firstChunkAt = clock.elapsed();
    },
    used: (usage) => {
      call.usage = usage;
    },
  });
}
