// The recorded steps of one turn, reloaded as its events arrive. Shared by the waterfall and the inspector.

import { createEffect, createMemo, on, onCleanup } from "solid-js";
import type { TurnSteps } from "../../src/service/turns/schema.ts";
import { api, take } from "../api/client.ts";
import { createQuery, type Query } from "../api/query.ts";
import { useHere } from "./here.ts";
import type { WorkspaceState } from "./workspace-state.ts";

/** A busy turn changes many times a second; this limits reloads. */
const READ_AGAIN_MS = 400;

/** Undefined: no turn is selected. */
export function stepsQuery(turnId: () => number | undefined): Query<TurnSteps> {
  const here = useHere();
  const query = createQuery(() => {
    const id = turnId();
    return id === undefined
      ? undefined
      : { key: ["turn-steps", id], read: () => take(api.turns({ id }).steps.get()) };
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changes = createMemo(() => {
    const id = turnId();
    return id === undefined ? "" : progressOf(here.state(), id);
  });
  createEffect(
    on(
      changes,
      (now) => {
        if (now === "") return;
        timer ??= setTimeout(() => {
          timer = undefined;
          void query.refresh();
        }, READ_AGAIN_MS);
      },
      { defer: true },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return query;
}

/** Changes whenever a step of the turn starts or ends. Empty if the feed knows nothing about the turn. */
function progressOf(state: WorkspaceState, turnId: number): string {
  const status = state.turns.find(({ id }) => id === turnId)?.status;
  let asked = 0;
  let answered = 0;
  for (const call of state.tools.values()) {
    if (call.turnId !== turnId) continue;
    asked += 1;
    if (call.outcome !== undefined) answered += 1;
  }
  const runs = [...state.runs.values()]
    .filter((run) => run.turnId === turnId)
    .map((run) => `${run.id}${run.state}`);
  // Ended model calls change the usage.
  const ended = runs.length > 0 ? state.usageChanges : "";
  return [status ?? "", asked, answered, ended, ...runs].join(" ");
}
