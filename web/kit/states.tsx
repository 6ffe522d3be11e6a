// States in place of data: loading, empty, failed, not found.

import CircleAlert from "lucide-solid/icons/circle-alert";
import { type JSX, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Problem } from "../api/problem.ts";
import type { Query } from "../api/query.ts";
import { Button } from "./button.tsx";
import { capitalized, startsLower } from "./format.ts";

/** Appears after a short delay, so that fast loads do not flicker. */
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

/** Explains what belongs here and offers the one action. */
export function Empty(props: {
  readonly title: string;
  /** The only heading of the page. */
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

/** The server does not tell these apart. */
const GONE = "It may have been deleted, or it is not shared with you.";

/** Says what happened, why, and what to do. */
export function ProblemNotice(props: {
  readonly problem: Problem;
  readonly onRetry?: (() => void) | undefined;
}): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <CircleAlert aria-hidden="true" />
      <div>
        <div classList={{ "from-server": startsLower(props.problem.message) }}>{props.problem.message}</div>
        <Show when={props.problem.code === "not_found"}>
          <div class="small muted">{GONE}</div>
        </Show>
        <Show when={props.problem.code === "internal" && props.problem.requestId}>
          <div class="small muted">The server log has details under request {props.problem.requestId}.</div>
        </Show>
      </div>
      <Show when={props.onRetry}>
        <Button small onClick={() => props.onRetry?.()}>
          Retry
        </Button>
      </Show>
    </div>
  );
}

/** The recorded reason of a failure, which nobody can retry here. */
export function FailureNotice(props: { readonly reason: string }): JSX.Element {
  return (
    <div class="notice bad">
      <CircleAlert aria-hidden="true" />
      <div class="wrap" classList={{ "from-server": startsLower(props.reason) }} dir="auto">
        {props.reason}
      </div>
    </div>
  );
}

/** The way out of something that was not found. */
interface WayOut {
  readonly name: string;
  readonly go: () => void;
}

/** A thing that does not exist or that this person may not see; the server does not tell these apart either. */
export function NotFound(props: {
  readonly what?: string;
  readonly alone?: boolean;
  readonly out?: WayOut | undefined;
}): JSX.Element {
  return (
    <Empty
      alone={props.alone ?? false}
      title={`${capitalized(props.what ?? "page")} not found`}
      actions={props.out && <Button onClick={() => props.out?.go()}>{props.out.name}</Button>}
    >
      {GONE}
    </Empty>
  );
}

/** Renders a query's data, or its state while there is none. */
export function Loaded<T>(props: {
  readonly query: Query<T>;
  readonly what?: string;
  /** The heading of an error, on a screen whose own heading comes with the data. */
  readonly page?: string;
  /** Offered when the thing was not found. */
  readonly out?: WayOut;
  readonly children: (data: () => T) => JSX.Element;
}): JSX.Element {
  const ready = () => {
    const data = props.query.data();
    return data === undefined ? undefined : { data };
  };
  return (
    <Show
      when={ready()}
      fallback={<Pending query={props.query} what={props.what} page={props.page} out={props.out} />}
    >
      {(loaded) => props.children(() => loaded().data)}
    </Show>
  );
}

function Pending(props: {
  readonly query: Query<unknown>;
  readonly what: string | undefined;
  readonly page: string | undefined;
  readonly out: WayOut | undefined;
}): JSX.Element {
  return (
    <Show when={props.query.problem()} fallback={<Skeleton />}>
      {(problem) => (
        <Show
          when={problem().code !== "not_found"}
          fallback={<NotFound what={props.what ?? "page"} alone={props.page !== undefined} out={props.out} />}
        >
          <Failed page={props.page} problem={problem()} onRetry={() => void props.query.refresh()} />
        </Show>
      )}
    </Show>
  );
}

/** A problem in place of a screen, or of a part of one that has its own heading. */
export function Failed(props: {
  readonly page: string | undefined;
  readonly problem: Problem;
  readonly onRetry: () => void;
}): JSX.Element {
  return (
    <div class={props.page === undefined ? "section part-failed" : "body"}>
      <Show when={props.page}>
        <div class="title">
          <h1>{props.page}</h1>
        </div>
      </Show>
      <ProblemNotice problem={props.problem} onRetry={() => props.onRetry()} />
    </div>
  );
}
