// All pending approvals that this person may decide: the list on the left, the exact content on the right. The shown approval stays, whatever
// comes and goes in the list.

import { useSearchParams } from "@solidjs/router";
import ArrowLeft from "lucide-solid/icons/arrow-left";
import BookOpen from "lucide-solid/icons/book-open";
import Cog from "lucide-solid/icons/cog";
import Globe from "lucide-solid/icons/globe";
import ShieldCheck from "lucide-solid/icons/shield-check";
import { createEffect, createMemo, createSignal, For, type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Approval, ApprovalKind } from "../../../src/service/approvals/schema.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { createCountdown } from "../../kit/countdown.ts";
import { isTyping } from "../../kit/focus.ts";
import { plural } from "../../kit/format.ts";
import { keptScroll } from "../../kit/kept-scroll.ts";
import { onceLaidOut } from "../../kit/laid-out.ts";
import { Time } from "../../kit/pieces.tsx";
import { narrow } from "../../kit/screen.ts";
import { Split } from "../../kit/split.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { approvalsQuery, workspacesQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { ApprovalCard, keyOf } from "../../parts/approval/approval-card.tsx";
import { NotifyButton } from "../../parts/approval/notify-button.tsx";
import { timeLeft } from "../../parts/approval/search-card.tsx";
import "./approvals.css";

const ICONS = { search: Globe, gear: Cog, instruction: BookOpen } as const;
const NAMES: Readonly<Record<ApprovalKind, string>> = {
  search: "Web search",
  gear: "Gear",
  instruction: "Instruction",
};

export function Approvals(): JSX.Element {
  useCrumbs(() => [{ name: "Approvals" }]);
  const approvals = approvalsQuery();
  return (
    <Loaded query={approvals} what="list" page="Approvals">
      {(list) => <Waiting list={list()} />}
    </Loaded>
  );
}

function Waiting(props: { readonly list: readonly Approval[] }): JSX.Element {
  const [params, setParams] = useSearchParams<{ item: string }>();
  const [first, setFirst] = createSignal<string>();
  /** Defaults to the oldest, and keeps it. */
  createEffect(() => {
    const oldest = props.list[0];
    if (first() === undefined && oldest) setFirst(keyOf(oldest));
  });
  const key = () => params.item ?? (narrow() ? undefined : first());
  const chosen = createMemo<Approval | undefined>((before) => {
    const wanted = key();
    if (wanted === undefined) return undefined;
    const found = props.list.find((approval) => keyOf(approval) === wanted);
    return found ?? (before && keyOf(before) === wanted ? before : undefined);
  });
  const choose = (item: string | undefined) => setParams({ item }, { scroll: false });
  const next = () => props.list.find((approval) => keyOf(approval) !== key());
  const detail = () => (
    <Show when={chosen()} fallback={<Nothing list={props.list} asked={params.item !== undefined} />}>
      {(approval) => (
        <Detail
          approval={approval()}
          others={props.list.filter((one) => keyOf(one) !== keyOf(approval())).length}
          onNext={() => {
            const following = next();
            choose(following && keyOf(following));
          }}
          onBack={narrow() ? () => choose(undefined) : undefined}
        />
      )}
    </Show>
  );
  const list = () => <List list={props.list} chosen={key()} />;
  return (
    <Show when={props.list.length > 0 || chosen()} fallback={<NothingAtAll />}>
      <Show
        when={narrow()}
        fallback={
          <Split
            name="approvals"
            at="start"
            size={360}
            min={260}
            sideLabel="Pending approvals"
            open
            side={list()}
            main={<div class="approvals-detail">{detail()}</div>}
          />
        }
      >
        <Show
          when={params.item !== undefined}
          fallback={
            <div class="scroll approvals-narrow">
              <div ref={keptScroll}>{list()}</div>
            </div>
          }
        >
          <div class="scroll approvals-narrow approvals-detail">
            <h1 class="visually-hidden">Approvals</h1>
            {detail()}
          </div>
        </Show>
      </Show>
    </Show>
  );
}

function NothingAtAll(): JSX.Element {
  return (
    <div class="body">
      <div class="title">
        <h1>Approvals</h1>
        <div class="end">
          <NotifyButton />
        </div>
      </div>
      <Nothing list={[]} asked={false} />
    </div>
  );
}

function Nothing(props: { readonly list: readonly Approval[]; readonly asked: boolean }): JSX.Element {
  return (
    <Show
      when={props.list.length === 0 || !props.asked}
      fallback={<Empty title="No longer pending">It was decided or has expired.</Empty>}
    >
      <Empty title="Nothing pending" icon={<ShieldCheck aria-hidden="true" />}>
        <Show
          when={isAdmin()}
          fallback="Instructions that agents propose for the library appear here. Admins decide on searches and gears."
        >
          Agents ask for approval before they search the web, run a new gear or change an instruction. You see
          exactly what they want to do.
        </Show>
      </Empty>
    </Show>
  );
}

function List(props: {
  readonly list: readonly Approval[];
  readonly chosen: string | undefined;
}): JSX.Element {
  const workspaces = workspacesQuery();
  const names = createMemo(
    () => new Map(workspaces.data()?.map(({ id, display_name }) => [id, display_name])),
  );
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const links = [...event.currentTarget.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
  };
  return (
    <>
      <div class="approvals-top">
        <h1>Approvals</h1>
        <p class="small muted" role="status">
          {plural(props.list.length, "pending approval")}
          <Show when={props.list.length > 1}>, oldest first</Show>
        </p>
        <NotifyButton />
      </div>
      <ul onKeyDown={onKeyDown}>
        <For each={props.list}>
          {(approval) => (
            <li>
              <Item
                approval={approval}
                chosen={props.chosen === keyOf(approval)}
                workspace={names().get(approval.workspace_id ?? 0)}
              />
            </li>
          )}
        </For>
      </ul>
    </>
  );
}

function Item(props: {
  readonly approval: Approval;
  readonly chosen: boolean;
  readonly workspace: string | undefined;
}): JSX.Element {
  const asker = () => props.approval.agent ?? props.approval.requested_by;
  // Not the router's link, which marks each link to this page as the current one, whichever item it names.
  return (
    <a
      ref={(element) =>
        props.chosen && onceLaidOut(element, () => element.scrollIntoView({ block: "nearest" }))
      }
      href={`/approvals?item=${keyOf(props.approval)}`}
      class="approvals-item"
      classList={{ on: props.chosen }}
      aria-current={props.chosen ? "true" : undefined}
    >
      <Dynamic component={ICONS[props.approval.kind]} aria-hidden="true" />
      <span class="approvals-words">
        <span class="approvals-what" dir="auto">
          {shortTitle(props.approval)}
        </span>
        <span class="small muted ellipsis approvals-from">
          {NAMES[props.approval.kind]} · <bdi>{asker()}</bdi>
          <Show when={props.workspace}>
            {" in "}
            <bdi>{props.workspace}</bdi>
          </Show>
        </span>
      </span>
      <span class="small approvals-when num">
        <Show when={props.approval.expires_at} fallback={<Time time={props.approval.requested_at} />}>
          {(until) => <Left until={until()} />}
        </Show>
      </span>
    </a>
  );
}

/** The kind is shown below. Only the title of an instruction tells whether it is new or changed. */
function shortTitle({ kind, title, subject }: Approval): string {
  return kind === "instruction" ? title : subject;
}

function Left(props: { readonly until: string }): JSX.Element {
  const left = createCountdown(() => props.until);
  return (
    <span class="approvals-left" title="Time left">
      {left() > 0 ? timeLeft(left()) : "expired"}
    </span>
  );
}

function Detail(props: {
  readonly approval: Approval;
  readonly others: number;
  readonly onNext: () => void;
  readonly onBack: (() => void) | undefined;
}): JSX.Element {
  const [settled, setSettled] = createSignal<string>();
  return (
    <>
      <Show when={props.onBack}>
        {(back) => (
          <button type="button" class="btn quiet small approvals-back" onClick={() => back()()}>
            <ArrowLeft aria-hidden="true" />
            All pending
          </button>
        )}
      </Show>
      <h2 class="approvals-heading" dir="auto">
        {NAMES[props.approval.kind]}
      </h2>
      <p class="small muted approvals-asked">
        requested <Time time={props.approval.requested_at} relative />
        {" by "}
        <bdi>{props.approval.agent ?? props.approval.requested_by}</bdi>
      </p>
      <ApprovalCard
        approval={props.approval}
        autofocus={!isTyping()}
        onSettled={() => setSettled(keyOf(props.approval))}
      />
      <Show when={settled() === keyOf(props.approval)}>
        <div class="row approvals-next">
          <Show when={props.others > 0} fallback={<span class="muted small">Nothing else is pending.</span>}>
            <button
              type="button"
              class="btn"
              ref={(element) => queueMicrotask(() => element.focus())}
              onKeyDown={(event) => event.repeat && event.preventDefault()}
              onClick={(event) => event.detail <= 1 && props.onNext()}
            >
              Next
            </button>
            <span class="muted small">{plural(props.others, "more approval")} pending</span>
          </Show>
        </div>
      </Show>
    </>
  );
}
