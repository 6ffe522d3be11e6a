// Shows the state of each agent above the composer. The text for screen readers changes with events, not with the seconds, and says how a turn
// ended: its answer as a whole, since the words that stream are not announced.

import { createEffect, createMemo, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { serverNow } from "../../api/server-clock.ts";
import { timeUntil } from "../../kit/countdown.ts";
import { plural } from "../../kit/format.ts";
import { useHere } from "../../state/here.ts";
import { nameOf, openTurn, type Run, type WorkspaceState } from "../../state/workspace-state.ts";
import { endingOf, newlyEnded } from "./endings.ts";
import { elapsed, useRoom } from "./room.ts";

const SHOWN_MAX = 3;
/** Screen readers have taken the words over by then. The browser's search of the page would go on finding them beside the answer. */
const HEARD_MS = 2_000;

interface Doing {
  readonly text: string;
  readonly since: string;
  readonly waits: boolean;
  /** Ends a pause, in milliseconds. */
  readonly until?: number;
}

export function StatusLine(): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const doing = createMemo(() => whatGoesOn(here.state()), [], { equals: sameDoing });
  const ended = createEnded(here.state);
  return (
    <div class="chat-status" classList={{ idle: doing().length === 0 }}>
      <For each={doing().slice(0, SHOWN_MAX)}>
        {(one) => (
          <span class="chat-doing">
            <span class={`dot ${one.waits ? "wait" : "busy"}`} aria-hidden="true" />
            <span class="ellipsis">{one.text}</span>
            <Show when={!one.waits}>
              <span class="num faint">
                {one.until === undefined
                  ? elapsed(one.since, room.now())
                  : timeUntil(one.until, Math.max(room.now(), serverNow()))}
              </span>
            </Show>
          </span>
        )}
      </For>
      <Show when={doing().length > SHOWN_MAX}>
        <span>and {doing().length - SHOWN_MAX} more</span>
      </Show>
      <span class="visually-hidden" role="status">
        {doing()
          .map(({ text }) => text)
          .join(", ")}
      </span>
      <span class="visually-hidden" role="status" dir="auto">
        {/* Another element for each turn, so that the same words twice are said twice. */}
        <Show when={ended()} keyed>
          {({ words }) => <span>{words}</span>}
        </Show>
      </span>
    </div>
  );
}

/** How the last turn ended that ended on this page, until it was heard. */
function createEnded(state: () => WorkspaceState) {
  const [ended, setEnded] = createSignal<{ readonly words: string }>();
  let before = state().turns;
  let heard: ReturnType<typeof setTimeout> | undefined;
  createEffect(() => {
    const now = state();
    if (now.turns === before) return;
    const turn = newlyEnded(before, now.turns);
    before = now.turns;
    if (!turn) return;
    setEnded({ words: endingOf(now, turn) });
    clearTimeout(heard);
    heard = setTimeout(() => setEnded(undefined), HEARD_MS);
  });
  onCleanup(() => clearTimeout(heard));
  return ended;
}

function whatGoesOn(state: WorkspaceState): readonly Doing[] {
  const turn = openTurn(state);
  if (!turn) return [];
  const runs = [...state.runs.values()].filter(({ turnId }) => turnId === turn.id);
  const doing = runs.flatMap((run) => doingOf(state, run));
  if (doing.length > 0) return doing;
  return [{ text: "Starting the turn", since: turn.started_at ?? turn.created_at, waits: false }];
}

function doingOf(state: WorkspaceState, run: Run): Doing[] {
  const name = nameOf(state, run.agentId);
  const of = (text: string, { waits = false } = {}): Doing[] => [
    { text: `${name} ${text}`, since: run.since, waits },
  ];
  const why = run.limit === undefined ? "" : ` (last call: ${run.limit})`;
  if (run.state === "waiting") return of("is waiting for approval", { waits: true });
  if (run.state === "thinking" && run.retry)
    return [{ ...of(`${refusalWords(run.retry.status)}, retrying`)[0]!, until: run.retry.until }];
  if (run.state === "thinking")
    return of(state.speech.has(run.id) ? `is answering${why}` : `is thinking${why}`);
  if (run.state !== "working") return [];
  const tools = [...state.tools.values()].filter(
    (call) => call.runId === run.id && call.outcome === undefined,
  );
  const own = tools.filter(({ tool }) => tool !== "delegate");
  // An agent that only waits for workers is not worth a line.
  if (own.length === 0) return tools.length > 0 ? [] : of("is working");
  return of(`is running ${own.length === 1 ? own[0]!.tool : plural(own.length, "tool")}`);
}

const RATE_LIMITED = 429;

function refusalWords(status: number | null): string {
  if (status === RATE_LIMITED) return "is rate limited";
  return status === null ? "cannot reach its provider" : `got status ${status} from its provider`;
}

function sameDoing(a: readonly Doing[], b: readonly Doing[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      (one, index) =>
        one.text === b[index]!.text && one.since === b[index]!.since && one.until === b[index]!.until,
    )
  );
}
