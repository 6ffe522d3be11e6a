// The parts of every approval card: the frame, the outcome, and the buttons with the hash that a decision names.

import CircleCheck from "lucide-solid/icons/circle-check";
import { createUniqueId, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { Approval } from "../../../src/service/approvals/schema.ts";
import { Button } from "../../kit/button.tsx";
import { shortHash } from "../../kit/format.ts";
import { ProblemNotice } from "../../kit/states.tsx";
import type { Decision } from "./decision.ts";

export interface ApprovalCardProps {
  readonly approval: Approval;
  /** Less spacing, for the conversation. */
  readonly compact?: boolean;
  /** Focuses the safe button when the card appears. */
  readonly autofocus?: boolean;
  /** Called after a decision made here. */
  readonly onSettled?: () => void;
}

export function CardFrame(props: {
  readonly title: JSX.Element;
  readonly compact?: boolean | undefined;
  readonly children: JSX.Element;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <section class="approval" classList={{ compact: props.compact ?? false }} aria-labelledby={id}>
      <div class="approval-title" id={id} dir="auto">
        {props.title}
      </div>
      {props.children}
    </section>
  );
}

/** The outcome, announced to screen readers. It gets the focus of the buttons that it replaces. */
export function Settled(props: { readonly children: JSX.Element }): JSX.Element {
  return (
    <div class="approval-settled" role="status" tabIndex={-1}>
      <CircleCheck aria-hidden="true" />
      <span class="wrap">{props.children}</span>
    </div>
  );
}

interface Choice {
  readonly label: string;
  readonly title?: string;
  /** The outcome, once it is done. */
  readonly done: string;
  readonly send: () => Promise<unknown>;
  readonly disabled?: boolean;
  /** False until the content was on the screen. */
  readonly inviting?: boolean;
}

/** The two buttons. Reject comes first and gets the focus. */
export function DecisionRow(props: {
  readonly decision: Decision;
  /** Undefined when it is rejected already. */
  readonly reject: Choice | undefined;
  /** Undefined when it can only be rejected. */
  readonly approve: Choice | undefined;
  /** Absent when a button names it. */
  readonly hash?: string;
  readonly autofocus?: boolean | undefined;
  /** Facts beside the buttons. */
  readonly children?: JSX.Element;
}): JSX.Element {
  const button = (effect: "rejects" | "approves", choice: () => Choice) => (
    <Button
      kind={effect === "rejects" || choice().inviting === false ? "plain" : "primary"}
      ref={(element) => {
        if (effect === "rejects" && props.autofocus)
          queueMicrotask(() => element.focus({ preventScroll: true }));
      }}
      title={choice().title}
      aria-disabled={props.decision.armed() ? undefined : "true"}
      busy={props.decision.busy() === choice().label}
      disabled={props.decision.busy() !== undefined || choice().disabled}
      // A key held down since before the button had the focus decides nothing.
      onKeyDown={(event) => event.repeat && event.preventDefault()}
      onClick={(event) => props.decision.decide(event, choice().label, choice().done, choice().send)}
    >
      {choice().label}
    </Button>
  );
  let row!: HTMLDivElement;
  onMount(() => handFocusOn(row, () => props.decision.busy() ?? props.decision.settled()));
  return (
    <>
      <Show when={props.decision.problem()}>
        {(problem) => (
          <div class="approval-problem">
            <ProblemNotice problem={problem()} />
          </div>
        )}
      </Show>
      <div class="approval-actions" ref={(element) => (row = element)}>
        <Show when={props.reject}>{(reject) => button("rejects", reject)}</Show>
        <Show when={props.approve}>{(approve) => button("approves", approve)}</Show>
        {props.children}
        <Show when={props.hash}>{(hash) => <HashText hash={hash()} />}</Show>
      </div>
    </>
  );
}

/** When the row goes because of a decision made here, the outcome in its place gets the focus, unless something else has it by then. */
function handFocusOn(row: HTMLElement, decided: () => string | undefined): void {
  const place = row.parentElement;
  onCleanup(() => {
    if (decided() === undefined) return;
    setTimeout(() => {
      if (document.activeElement === document.body)
        place?.querySelector<HTMLElement>(".approval-settled")?.focus({ preventScroll: true });
    });
  });
}

/** The short hash, with the full one as tooltip. */
function HashText(props: { readonly hash: string }): JSX.Element {
  return (
    <span class="approval-hash mono" title={`SHA-256 ${props.hash}`}>
      <span class="visually-hidden">Decides on content with hash </span>
      {shortHash(props.hash)}
    </span>
  );
}

/** Shown in place of the buttons. */
export function WhoCan(props: { readonly children: JSX.Element; readonly hash: string }): JSX.Element {
  return (
    <div class="approval-actions">
      <span class="muted small">{props.children}</span>
      <HashText hash={props.hash} />
    </div>
  );
}
