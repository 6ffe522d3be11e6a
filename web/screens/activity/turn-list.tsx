// The turns of the workspace, newest first, with what they took: filtered by agent, status and text, and exported as they are filtered.

import { useNavigate } from "@solidjs/router";
import ActivityIcon from "lucide-solid/icons/activity";
import { createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Turn, TurnFilter, TurnSummary } from "../../../src/service/turns/schema.ts";
import { Button } from "../../kit/button.tsx";
import { createSeconds } from "../../kit/countdown.ts";
import { count, costText, plural } from "../../kit/format.ts";
import { keptScroll } from "../../kit/kept-scroll.ts";
import { NameList, Time } from "../../kit/pieces.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { useHere } from "../../state/here.ts";
import { isOpen, senderOf } from "../../state/workspace-state.ts";
import { TurnFilters } from "./turn-filters.tsx";
import { createTurnPages } from "./turn-pages.ts";
import { durationOf, TurnStatusTag } from "./turn-status.tsx";

const NO_FILTER: TurnFilter = {};

export function TurnList(props: { readonly onOpen: (id: number) => void }): JSX.Element {
  const here = useHere();
  const [filter, setFilter] = createSignal<TurnFilter>(NO_FILTER);
  const pages = createTurnPages(filter);
  const hasTurns = () => here.state().turns.length > 0;
  const clock = createSeconds(
    () => here.feed.connection() === "live" && here.state().turns.some(({ status }) => isOpen(status)),
  );
  // A streamed turn is newer than one that was read.
  const live = createMemo(() => new Map(here.state().turns.map((turn) => [turn.id, turn])));
  const columns = columnsOf((turn) => live().get(turn.id) ?? turn, clock);
  const isFiltered = () => Object.keys(filter()).length > 0;
  return (
    <Show when={hasTurns()} fallback={<NoTurns />}>
      <div class="activity-list" ref={keptScroll}>
        <TurnFilters filter={filter()} onChange={setFilter} />
        <Switch>
          <Match when={pages.problem() && pages.rows() === undefined}>
            <div class="section">
              <ProblemNotice problem={pages.problem()!} onRetry={pages.retry} />
            </div>
          </Match>
          <Match when={pages.rows() === undefined}>
            <Skeleton label="Loading turns" />
          </Match>
          <Match when={pages.rows()!.length > 0}>
            <Table
              label="Turns"
              rows={pages.rows()!}
              key={(turn) => turn.id}
              columns={columns}
              onChoose={(turn) => props.onOpen(turn.id)}
            />
          </Match>
          <Match when={!pages.reading() && isFiltered()}>
            <Empty
              title="No turns match"
              actions={<Button onClick={() => setFilter(NO_FILTER)}>Clear filters</Button>}
            >
              {pages.before() === null
                ? "Try fewer words, or another agent."
                : "Not all turns were searched yet."}
            </Empty>
          </Match>
        </Switch>
        <Show when={pages.before() !== null}>
          <div class="section">
            <Button small busy={pages.busy()} onClick={() => void pages.loadEarlier()}>
              {isFiltered() ? "Search earlier turns" : "Load earlier turns"}
            </Button>
          </div>
        </Show>
      </div>
    </Show>
  );
}

function NoTurns(): JSX.Element {
  const here = useHere();
  const navigate = useNavigate();
  return (
    <Empty
      icon={<ActivityIcon aria-hidden="true" />}
      title="No turns yet"
      actions={
        <Button kind="primary" onClick={() => navigate(`/workspaces/${here.id}`)}>
          Open chat
        </Button>
      }
    >
      A turn is one message and everything that agents do in response. Each turn appears here with its model
      calls, tools and delegations, their times and tokens.
    </Empty>
  );
}

type Shown = Pick<Turn, "status" | "truncated" | "started_at" | "finished_at">;

function columnsOf(now: (turn: TurnSummary) => Shown, clock: () => number): Column<TurnSummary>[] {
  return [
    { title: "Turn", cell: (turn) => turn.number, number: true, optional: true },
    { title: "Status", cell: (turn) => <TurnStatusTag turn={now(turn)} /> },
    {
      title: "Message",
      cell: (turn) => (
        <div class="activity-text">
          <span dir="auto" class="activity-clamp" title={turn.text}>
            {turn.text}
          </span>
          <span class="small muted">
            <bdi>{senderOf(turn)}</bdi>
            <span class="compact">
              {[tokensText(turn), turn.calls === 0 ? "" : costText(turn)]
                .filter((fact) => fact !== "")
                .map((fact) => ` · ${fact}`)}
            </span>
          </span>
        </div>
      ),
    },
    {
      title: "Agents",
      cell: (turn) => (
        <span class="activity-agents ellipsis" title={turn.agents.join(", ")}>
          <NameList names={turn.agents} />
        </span>
      ),
      optional: true,
    },
    { title: "Time", cell: (turn) => <Time time={turn.started_at ?? turn.created_at} />, number: true },
    { title: "Duration", cell: (turn) => durationOf(now(turn), clock()), number: true, optional: true },
    {
      title: "Tokens",
      cell: (turn) => <span title={unreported(turn)}>{tokensOf(turn)}</span>,
      number: true,
      optional: true,
    },
    { title: "Cost", cell: (turn) => costOf(turn), number: true, optional: true },
  ];
}

/** Input and output; what was not reported is not zero. */
function tokensOf({ calls, input_tokens: input, output_tokens: output }: TurnSummary): string {
  if (calls === 0) return "";
  return input === null && output === null ? "not reported" : count((input ?? 0) + (output ?? 0));
}

function tokensText(turn: TurnSummary): string {
  const text = tokensOf(turn);
  return text === "" ? "" : text === "not reported" ? "tokens not reported" : `${text} tokens`;
}

function unreported({ unreported_calls: calls, input_tokens: input }: TurnSummary): string | undefined {
  return calls > 0 && input !== null
    ? `Excludes ${plural(calls, "call")} without reported tokens`
    : undefined;
}

function costOf(turn: TurnSummary): string {
  if (turn.calls === 0) return "";
  return turn.cost === null ? "unknown" : costText(turn);
}
