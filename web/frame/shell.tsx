// The frame around every screen: the rail on the left, the line at the top, the screen below. Without a session: the login instead.

import { A, type RouteSectionProps } from "@solidjs/router";
import { ErrorBoundary, type JSX, lazy, Show, Suspense } from "solid-js";
import { asProblem, Problem } from "../api/problem.ts";
import { ConfirmHost } from "../kit/dialog.tsx";
import { Empty, ProblemNotice, Skeleton } from "../kit/states.tsx";
import { ToastHost } from "../kit/toast.tsx";
import { loadSession, me, sessionProblem, signedOut } from "../state/session.ts";
import { CommandHost } from "./commands.tsx";
import { Rail, railOpen } from "./rail.tsx";
import { TopLine, useCrumbs } from "./top-line.tsx";

const Login = lazy(async () => ({ default: (await import("../screens/login/login.tsx")).Login }));

export function Shell(props: RouteSectionProps): JSX.Element {
  return (
    <>
      <Show when={me()?.id} keyed fallback={<Nobody />}>
        <div
          class="app"
          classList={{ away: signedOut() }}
          inert={signedOut() ? true : undefined}
          aria-hidden={signedOut() ? "true" : undefined}
        >
          <a class="skip" href="#main" target="_self" onClick={toContent}>
            Skip to content
          </a>
          <Rail />
          <div class="page" inert={railOpen() ? true : undefined}>
            <TopLine />
            <main id="main" class="screen" tabIndex={-1}>
              <ErrorBoundary fallback={(error, reset) => <Broken error={error} onRetry={reset} />}>
                <Suspense fallback={<Skeleton />}>{props.children}</Suspense>
              </ErrorBoundary>
            </main>
          </div>
        </div>
        <CommandHost />
      </Show>
      <Show when={signedOut()}>
        <Suspense>
          <Login />
        </Suspense>
      </Show>
      <ConfirmHost />
      <ToastHost />
    </>
  );
}

/** Not known yet, or the server could not be asked. */
function Nobody(): JSX.Element {
  return (
    <Show when={!signedOut()}>
      <main class="alone">
        <Show when={sessionProblem()} fallback={<Skeleton label="Signing in" />}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={() => void loadSession()} />}
        </Show>
      </main>
    </Show>
  );
}

/** Without a change of the address: that would be a step of the history. */
function toContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
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

export function Missing(): JSX.Element {
  useCrumbs(() => [{ name: "Not found" }]);
  return (
    <Empty
      alone
      title="This page does not exist"
      actions={
        <A class="btn" href="/workspaces">
          Workspaces
        </A>
      }
    >
      Nothing is at this address. It may have been typed wrong.
    </Empty>
  );
}
