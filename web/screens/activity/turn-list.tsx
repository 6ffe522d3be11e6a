// The turns of the workspace, newest first: status, author, message, duration, tokens and cost.

import { useNavigate } from "@solidjs/router";
import ActivityIcon from "lucide-solid/icons/activity";
import { createEffect, createMemo, createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { Button } from "../../kit/button.tsx";
import { count, money, plural } from "../../kit/format.ts";
import { Time } from "../../kit/pieces.tsx";
import { Empty } from "../../kit/states.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import { isOpen } from "../../state/workspace-state.ts";
import { createClock, durationOf, TurnStatusTag } from "./turn-status.tsx";
import { createSums, type SumReader } from "./turn-sums.ts";

const PAGE = 100;

export function TurnList(props: { readonly onOpen: (id: number) => void }): JSX.Element {
  const here = useHere();
  const navigate = useNavigate();
  const [earlier, setEarlier] = createSignal<readonly Turn[]>([]);
  const [ended, setEnded] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const known = createMemo(() => here.state().turns);
  const turns = createMemo(() => [...known().toReversed(), ...earlier()]);
  const hasEarlier = () => !ended() && turns().length >= PAGE;
  const clock = createClock(() => known().some(({ status }) => isOpen(status)));
  const columns = columnsOf(clock, createSums());
  const loadEarlier = async () => {
    setBusy(true);
    await attempt(async () => {
      const before = turns().at(-1)!.id;
      const page = await take(api.workspaces({ id: here.id }).turns.get({ query: { before, limit: PAGE } }));
      setEnded(page.length < PAGE);
      setEarlier((shown) => [...shown, ...page.toReversed()]);
    });
    setBusy(false);
  };
  return (
    <Show
      when={turns().length > 0}
      fallback={
        <Empty
          icon={<ActivityIcon aria-hidden="true" />}
          title="No turns yet"
          actions={
            <Button kind="primary" onClick={() => navigate(`/workspaces/${here.id}`)}>
              Open chat
            </Button>
          }
        >
          A turn is one message and everything that agents do in response. Each turn appears here with its
          model calls, tools and delegations, their times and tokens.
        </Empty>
      }
    >
      <div class="activity-list">
        <Table
          label="Turns"
          rows={turns()}
          key={(turn) => turn.id}
          columns={columns}
          onChoose={(turn) => props.onOpen(turn.id)}
        />
        <Show when={hasEarlier()}>
          <div class="section">
            <Button small busy={busy()} onClick={() => void loadEarlier()}>
              Load earlier turns
            </Button>
          </div>
        </Show>
      </div>
    </Show>
  );
}

function columnsOf(clock: () => number, sums: SumReader): Column<Turn>[] {
  return [
    { title: "Turn", cell: (turn) => turn.number, number: true, optional: true },
    { title: "Status", cell: (turn) => <TurnStatusTag turn={turn} /> },
    {
      title: "Message",
      cell: (turn) => (
        <div class="activity-text">
          <span dir="auto" class="activity-clamp" title={turn.text}>
            {turn.text}
          </span>
          <span class="small muted">
            <bdi>{turn.user_name}</bdi>
          </span>
        </div>
      ),
    },
    { title: "Time", cell: (turn) => <Time time={turn.started_at ?? turn.created_at} />, number: true },
    { title: "Duration", cell: (turn) => durationOf(turn, clock()), number: true, optional: true },
    {
      title: "Tokens",
      cell: (turn) => <Sum turn={turn} sums={sums} field="tokens" />,
      number: true,
      optional: true,
    },
    {
      title: "Cost",
      cell: (turn) => <Sum turn={turn} sums={sums} field="cost" />,
      number: true,
      optional: true,
    },
  ];
}

/** Read once the row is visible. */
function Sum(props: {
  readonly turn: Turn;
  readonly sums: SumReader;
  readonly field: "tokens" | "cost";
}): JSX.Element {
  const here = useHere();
  const [seen, setSeen] = createSignal(false);
  let element: HTMLSpanElement;
  onMount(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(element);
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => {
    if (seen()) props.sums.want(props.turn, here.state().usageChanges);
  });
  const found = () => props.sums.of(props.turn.id);
  const text = () => {
    const sums = found();
    if (!sums || sums.calls === 0) return "";
    if (props.field === "cost") return sums.cost === null ? "unknown" : money(sums.cost);
    return sums.tokens === null ? "not reported" : count(sums.tokens);
  };
  const title = () => {
    const sums = found();
    return props.field === "tokens" && sums?.tokens !== null && sums?.unreported
      ? `Excludes ${plural(sums.unreported, "call")} without reported tokens`
      : undefined;
  };
  return (
    <span ref={(made) => (element = made)} title={title()}>
      {text()}
    </span>
  );
}
