// What all cards are made of: the frame with its title, the place for what was decided or refused, and the row of buttons with the hash
// that a decision names.

import CircleCheck from "lucide-solid/icons/circle-check";
import { createUniqueId, type JSX, Show } from "solid-js";
import type { Approval } from "../../../src/service/approvals/schema.ts";
import { Button } from "../../kit/button.tsx";
import { shortHash } from "../../kit/format.ts";
import { ProblemNotice } from "../../kit/states.tsx";
import type { Decision } from "./decision.ts";

export interface ApprovalCardProps {
  readonly approval: Approval;
  /** In a conversation: less around it. */
  readonly compact?: boolean;
  /** The focus goes to the safe button when the card appears. */
  readonly autofocus?: boolean;
  /** After a decision that was made here. */
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

/** What came of it. `role=status`: it is told when it appears. */
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
  /** Said when it was done. */
  readonly done: string;
  readonly send: () => Promise<unknown>;
}

/** The two buttons. The first is the safe one and gets the focus. */
export function DecisionRow(props: {
  readonly decision: Decision;
  readonly refuse: Choice;
  /** Left out: it can only be refused. */
  readonly accept: Choice | undefined;
  readonly hash: string;
  readonly autofocus?: boolean | undefined;
}): JSX.Element {
  const button = (choice: Choice, safe: boolean) => (
    <Button
      kind={safe ? "plain" : "primary"}
      ref={(element) => {
        if (safe && props.autofocus) queueMicrotask(() => element.focus({ preventScroll: true }));
      }}
      aria-disabled={props.decision.armed() ? undefined : "true"}
      busy={props.decision.busy() === choice.label}
      disabled={props.decision.busy() !== undefined}
      // A key that is held down since before the button had the focus decides nothing.
      onKeyDown={(event) => event.repeat && event.preventDefault()}
      onClick={(event) => props.decision.decide(event, choice.label, choice.done, choice.send)}
    >
      {choice.label}
    </Button>
  );
  return (
    <>
      <Show when={props.decision.problem()}>
        {(problem) => (
          <div class="approval-problem">
            <ProblemNotice problem={problem()} />
          </div>
        )}
      </Show>
      <div class="approval-actions">
        {button(props.refuse, true)}
        <Show when={props.accept}>{(accept) => button(accept(), false)}</Show>
        <HashText hash={props.hash} />
      </div>
    </>
  );
}

/** The short form, with the whole as its title. */
export function HashText(props: { readonly hash: string }): JSX.Element {
  return (
    <span class="approval-hash mono" title={`SHA-256 ${props.hash}`}>
      <span class="visually-hidden">The decision is about the content with the hash </span>
      {shortHash(props.hash)}
    </span>
  );
}

/** Instead of the buttons. */
export function WhoCan(props: { readonly children: JSX.Element; readonly hash: string }): JSX.Element {
  return (
    <div class="approval-actions">
      <span class="muted small">{props.children}</span>
      <HashText hash={props.hash} />
    </div>
  );
}
