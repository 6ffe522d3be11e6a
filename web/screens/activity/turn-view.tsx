// One turn: its author, message and status, and its steps as a waterfall that follows an open turn.

import ArrowLeft from "lucide-solid/icons/arrow-left";
import ChevronLeft from "lucide-solid/icons/chevron-left";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { createMemo, type JSX, Show, untrack } from "solid-js";
import type { Turn, TurnSteps } from "../../../src/service/turns/schema.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { createSeconds } from "../../kit/countdown.ts";
import { exactTime, moment } from "../../kit/format.ts";
import { Empty, FailureNotice, NotFound, ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { isOpen, senderOf } from "../../state/workspace-state.ts";
import { hasOpenGap } from "./axis.ts";
import { stepsQuery } from "../../state/steps.ts";
import { durationOf, TurnStatusTag } from "./turn-status.tsx";
import { WaterfallGrid } from "./waterfall-grid.tsx";
import { waterfallOf } from "./waterfall.ts";

export function TurnView(props: {
  readonly id: number;
  readonly onOpen: (id: number | undefined) => void;
}): JSX.Element {
  const here = useHere();
  const query = stepsQuery(() => props.id);
  // While another turn loads, the previous one must not appear under its number.
  const steps = createMemo(() => (query.data()?.turn.id === props.id ? query.data() : undefined));
  const turn = createMemo<Turn | undefined>(
    () => here.state().turns.find(({ id }) => id === props.id) ?? steps()?.turn,
  );
  const clock = createSeconds(
    () => here.feed.connection() === "live" && turn() !== undefined && isOpen(turn()!.status),
  );
  const foreign = () =>
    query.problem()?.code === "not_found" || (steps() && steps()!.turn.workspace_id !== here.id);
  return (
    <Show when={!foreign()} fallback={<Missing onBack={() => props.onOpen(undefined)} />}>
      <Bar turn={turn()} id={props.id} now={clock()} onOpen={props.onOpen} />
      <Show
        when={steps()}
        fallback={
          <Show when={query.problem()} fallback={<Skeleton label="Steps of the turn" />}>
            {(problem) => (
              <div class="section">
                <ProblemNotice problem={problem()} onRetry={() => void query.refresh()} />
              </div>
            )}
          </Show>
        }
      >
        {(found) => <Steps steps={found()} turn={turn()!} now={clock()} />}
      </Show>
    </Show>
  );
}

function Missing(props: { readonly onBack: () => void }): JSX.Element {
  return (
    <div class="activity-missing">
      <NotFound what="turn" />
      <Button onClick={props.onBack}>All turns</Button>
    </div>
  );
}

function Bar(props: {
  readonly id: number;
  readonly turn: Turn | undefined;
  readonly now: number;
  readonly onOpen: (id: number | undefined) => void;
}): JSX.Element {
  const here = useHere();
  const ids = createMemo(() => here.state().turns.map(({ id }) => id));
  const before = () => ids().findLast((id) => id < props.id);
  const after = () => ids().find((id) => id > props.id);
  return (
    <header class="activity-bar">
      <div class="row">
        <IconButton label="All turns" small onClick={() => props.onOpen(undefined)}>
          <ArrowLeft aria-hidden="true" />
        </IconButton>
        <h2 class="activity-title num">
          Turn {props.turn?.number ?? "…"}
          <Show when={props.turn}>
            {(turn) => (
              <span class="activity-when">
                {" · "}
                <time
                  dateTime={turn().started_at ?? turn().created_at}
                  title={exactTime(turn().started_at ?? turn().created_at)}
                >
                  {moment(turn().started_at ?? turn().created_at)}
                </time>
                <Show when={durationOf(turn(), props.now)}>{(text) => <> · {text()}</>}</Show>
              </span>
            )}
          </Show>
        </h2>
        <span role="status" class="row">
          <Show when={props.turn}>{(turn) => <TurnStatusTag turn={turn()} />}</Show>
        </span>
        <span class="end row activity-steps">
          <IconButton
            label="Previous turn"
            small
            disabled={before() === undefined}
            onClick={() => props.onOpen(before())}
          >
            <ChevronLeft aria-hidden="true" />
          </IconButton>
          <IconButton
            label="Next turn"
            small
            disabled={after() === undefined}
            onClick={() => props.onOpen(after())}
          >
            <ChevronRight aria-hidden="true" />
          </IconButton>
        </span>
      </div>
      <Show when={props.turn}>
        {(turn) => (
          <p class="activity-asked small muted" title={turn().text}>
            <bdi class="activity-who">{senderOf(turn())}</bdi>
            <span dir="auto" class="ellipsis">
              {turn().text}
            </span>
          </p>
        )}
      </Show>
    </header>
  );
}

function Steps(props: { readonly steps: TurnSteps; readonly turn: Turn; readonly now: number }): JSX.Element {
  const live = () => isOpen(props.turn.status);
  const nowIfLive = () => (live() ? props.now : undefined);
  // Lays the rows out again when an open wait becomes a gap, not at every tick of the clock.
  const waitsLong = createMemo(() => hasOpenGap(props.steps, nowIfLive()));
  const waterfall = createMemo(() => {
    waitsLong();
    return waterfallOf(props.steps, untrack(nowIfLive));
  });
  return (
    <>
      <Show when={props.turn.error}>
        {(error) => (
          <div class="section">
            <FailureNotice reason={error()} />
          </div>
        )}
      </Show>
      <Show
        when={waterfall().rows.length > 0}
        fallback={
          <Show
            when={isOpen(props.turn.status)}
            fallback={<Empty title="No steps">The turn ended before a model was called.</Empty>}
          >
            <Empty title={props.turn.status === "queued" ? "Queued" : "Starting"}>
              {props.turn.status === "queued"
                ? "This turn starts when the previous one ends."
                : "The first model call has not started yet."}
            </Empty>
          </Show>
        }
      >
        <WaterfallGrid waterfall={waterfall()} turn={props.turn} live={live()} now={props.now} />
      </Show>
    </>
  );
}
