// The frame around every screen: the rail on the left, the top line, the screen below. Without a session it shows the login.

import { A, type RouteSectionProps } from "@solidjs/router";
import { type Component, type JSX, Show, Suspense } from "solid-js";
import { Dynamic } from "solid-js/web";
import { ConfirmHost } from "../kit/dialog.tsx";
import { Part } from "../kit/part.tsx";
import { Empty, ProblemNotice, Skeleton } from "../kit/states.tsx";
import { ToastHost } from "../kit/toast.tsx";
import { loadSession, me, sessionProblem, signedOut } from "../state/session.ts";
import { CommandHost } from "./commands.tsx";
import { Rail, railOpen } from "./rail.tsx";
import { TopLine, useCrumbs } from "./top-line.tsx";

/** `login`: shown whenever no one is signed in. */
export function Shell(props: RouteSectionProps & { readonly login: Component }): JSX.Element {
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
              <Part alone>{props.children}</Part>
            </main>
          </div>
        </div>
        <CommandHost />
      </Show>
      <Show when={signedOut()}>
        <Suspense>
          <Dynamic component={props.login} />
        </Suspense>
      </Show>
      <ConfirmHost />
      <ToastHost />
    </>
  );
}

/** Shown until the session is known, or when the server could not be reached. */
function Nobody(): JSX.Element {
  return (
    <Show when={!signedOut()}>
      <main class="alone">
        <Show when={sessionProblem()} fallback={<Skeleton label="Signing in" />}>
          {(problem) => (
            <>
              <h1 class="visually-hidden">Cairn</h1>
              <ProblemNotice problem={problem()} onRetry={() => void loadSession()} />
            </>
          )}
        </Show>
      </main>
    </Show>
  );
}

/** Moves the focus without changing the address, which would add a history entry. */
function toContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

export function Missing(): JSX.Element {
  useCrumbs(() => [{ name: "Not found" }]);
  return (
    <Empty
      alone
      title="Page not found"
      actions={
        <A class="btn" href="/workspaces">
          All workspaces
        </A>
      }
    >
      Check the address, or go back to your workspaces.
    </Empty>
  );
}
