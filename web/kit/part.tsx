// A part of the page that loads when it is opened. While it loads a skeleton stands in for it, and a failure stays inside it: the other
// parts keep working.

import { ErrorBoundary, type JSX, Show, Suspense } from "solid-js";
import { needsReload } from "../api/load-failure.ts";
import { asProblem } from "../api/problem.ts";
import { ProblemNotice, Skeleton } from "./states.tsx";

export function Part(props: {
  /** The whole page: a failure then has the page's heading. */
  readonly alone?: boolean;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <ErrorBoundary
      fallback={(error, reset) => <Broken alone={props.alone ?? false} error={error} onRetry={reset} />}
    >
      <Suspense fallback={<Skeleton />}>{props.children}</Suspense>
    </ErrorBoundary>
  );
}

function Broken(props: {
  readonly alone: boolean;
  readonly error: unknown;
  readonly onRetry: () => void;
}): JSX.Element {
  return (
    <div class="section stack">
      <Show when={props.alone}>
        <h1>Screen unavailable</h1>
      </Show>
      <ProblemNotice
        problem={asProblem(props.error)}
        onRetry={needsReload(props.error) ? () => location.reload() : props.onRetry}
      />
      <p class="muted small">
        This screen could not be shown. If it happens again,{" "}
        <a href={location.href} target="_self">
          reload the page
        </a>
        .
      </p>
    </div>
  );
}
