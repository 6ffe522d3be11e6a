// What stands where data will be: not there yet, nothing there, could not be read.

import CircleAlert from "lucide-solid/icons/circle-alert";
import { type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Problem } from "../api/problem.ts";
import type { Query } from "../api/query.ts";
import { Button } from "./button.tsx";

/** Appears only when waiting takes longer than a blink. */
export function Skeleton(props: { readonly label?: string }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label={props.label ?? "Loading"}>
      <i />
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}

/** Says what the thing is and offers the one action. */
export function Empty(props: {
  readonly title: string;
  /** There is no other heading on the page. */
  readonly alone?: boolean;
  readonly icon?: JSX.Element;
  readonly children?: JSX.Element;
  readonly actions?: JSX.Element;
}): JSX.Element {
  return (
    <div class="empty">
      {props.icon}
      <Dynamic component={props.alone ? "h1" : "h2"}>{props.title}</Dynamic>
      <Show when={props.children}>
        <div>{props.children}</div>
      </Show>
      <Show when={props.actions}>
        <div class="actions">{props.actions}</div>
      </Show>
    </div>
  );
}

/** What happened, why, and what now. */
export function ProblemNotice(props: {
  readonly problem: Problem;
  readonly onRetry?: (() => void) | undefined;
}): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <CircleAlert aria-hidden="true" />
      <div>
        <div>{props.problem.message}</div>
        <Show when={props.problem.code === "internal" && props.problem.requestId}>
          <div class="small muted">Request {props.problem.requestId}: the server's log has the details.</div>
        </Show>
      </div>
      <Show when={props.onRetry}>
        <Button small onClick={() => props.onRetry?.()}>
          Try again
        </Button>
      </Show>
    </div>
  );
}

/** Where one goes from something that is not there. */
export interface WayOut {
  readonly name: string;
  readonly go: () => void;
}

/** A thing that does not exist, or not for this person: the server makes no difference either. */
export function NotFound(props: {
  readonly what?: string;
  readonly alone?: boolean;
  readonly out?: WayOut | undefined;
}): JSX.Element {
  return (
    <Empty
      alone={props.alone ?? false}
      title={`This ${props.what ?? "page"} does not exist`}
      actions={props.out && <Button onClick={() => props.out?.go()}>{props.out.name}</Button>}
    >
      It may have been deleted, or it is not shared with you.
    </Empty>
  );
}

/** Data of a query when there is some, else why not. */
export function Loaded<T>(props: {
  readonly query: Query<T>;
  readonly what?: string;
  /** From where it does not exist. */
  readonly out?: WayOut;
  readonly children: (data: () => T) => JSX.Element;
}): JSX.Element {
  const ready = () => {
    const data = props.query.data();
    return data === undefined ? undefined : { data };
  };
  return (
    <Show when={ready()} fallback={<Pending query={props.query} what={props.what} out={props.out} />}>
      {(loaded) => props.children(() => loaded().data)}
    </Show>
  );
}

function Pending(props: {
  readonly query: Query<unknown>;
  readonly what: string | undefined;
  readonly out: WayOut | undefined;
}): JSX.Element {
  return (
    <Show when={props.query.problem()} fallback={<Skeleton />}>
      {(problem) => (
        <Show
          when={problem().code !== "not_found"}
          fallback={<NotFound what={props.what ?? "page"} out={props.out} />}
        >
          <div class="section">
            <ProblemNotice problem={problem()} onRetry={() => void props.query.refresh()} />
          </div>
        </Show>
      )}
    </Show>
  );
}
