// The status of a turn as a tag, and its duration.

import { type JSX, Show } from "solid-js";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { duration } from "../../kit/format.ts";
import { isOpen } from "../../state/workspace-state.ts";

const LOOKS: Readonly<Record<Turn["status"], string>> = {
  queued: "",
  running: "ok",
  waiting: "wait",
  done: "",
  failed: "bad",
  cancelled: "",
  interrupted: "bad",
};
/** A person stops a turn; the API calls that cancelled. */
export const STATUS_NAMES: Readonly<Record<Turn["status"], string>> = {
  queued: "queued",
  running: "running",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  cancelled: "stopped",
  interrupted: "interrupted",
};

export function TurnStatusTag(props: { readonly turn: Pick<Turn, "status" | "truncated"> }): JSX.Element {
  const cut = () => props.turn.status === "done" && props.turn.truncated;
  return (
    <span class={`tag ${cut() ? "wait" : LOOKS[props.turn.status]}`}>
      <Show when={props.turn.status === "running"}>
        <span class="dot busy" />
      </Show>
      {cut() ? "done, truncated" : STATUS_NAMES[props.turn.status]}
    </span>
  );
}

/** Empty while it is queued. */
export function durationOf(turn: Pick<Turn, "status" | "started_at" | "finished_at">, nowMs: number): string {
  if (turn.started_at === null) return "";
  const end = turn.finished_at === null ? undefined : Date.parse(turn.finished_at);
  if (end === undefined && !isOpen(turn.status)) return "";
  return duration(Math.max(0, (end ?? nowMs) - Date.parse(turn.started_at)));
}
