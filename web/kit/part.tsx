// A part of the page that is fetched when it is opened: while it is on its way, and when it could not be fetched or has a defect, something
// stands in its place, and the other parts go on.

import { ErrorBoundary, type JSX, Suspense } from "solid-js";
import { asProblem, Problem } from "../api/problem.ts";
import { ProblemNotice, Skeleton } from "./states.tsx";

export function Part(props: { readonly children: JSX.Element }): JSX.Element {
  return (
    <ErrorBoundary fallback={(error, reset) => <Broken error={error} onRetry={reset} />}>
      <Suspense fallback={<Skeleton />}>{props.children}</Suspense>
    </ErrorBoundary>
  );
}

/** What browsers say when a part of the page can't be fetched: the server is away, or is another version by now. */
const NOT_LOADED = /dynamically imported module|module script/i;
/** The same of its style sheet, which is asked for again. */
const NOT_STYLED = /preload CSS/i;
const NOT_LOADED_WORDS =
  "This part of the interface could not be fetched: the server can't be reached, or is another version by now.";

/** A defect of ours, or a part of the interface that could not be loaded since the server is a newer one now. */
function Broken(props: { readonly error: unknown; readonly onRetry: () => void }): JSX.Element {
  const problem = () => asProblem(props.error);
  const notLoaded = () => NOT_LOADED.test(problem().message);
  const words = () =>
    notLoaded() || NOT_STYLED.test(problem().message) ? new Problem(NOT_LOADED_WORDS, "offline") : problem();
  return (
    <div class="section stack">
      <ProblemNotice
        problem={words()}
        // A part that could not be loaded is not asked for again by the page that failed to.
        onRetry={notLoaded() ? () => location.reload() : props.onRetry}
      />
      <p class="muted small">
        This screen could not be shown. If it happens again,{" "}
        <a href={location.href} target="_self">
          load the page anew
        </a>
        .
      </p>
    </div>
  );
}
