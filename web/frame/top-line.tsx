// The line above every screen: breadcrumbs, search, and a lost connection.

import { A } from "@solidjs/router";
import MenuIcon from "lucide-solid/icons/menu";
import Search from "lucide-solid/icons/search";
import { createEffect, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { storedAt } from "../api/reach.ts";
import { IconButton } from "../kit/button.tsx";
import { plural } from "../kit/format.ts";
import { narrow } from "../kit/screen.ts";
import type { Connection } from "../state/feed.ts";
import { openCommands } from "./commands.tsx";
import { OfflineNote } from "./offline-note.tsx";
import { openRail, railOpen, shownCount } from "./rail.tsx";
import { pending, tabTitle } from "./tab-title.ts";

interface Crumb {
  readonly name: string;
  /** Absent on the last crumb, the current page. */
  readonly path?: string;
}

const [crumbs, setCrumbs] = createSignal<readonly Crumb[]>([]);
const [connection, setConnection] = createSignal<{ state: () => Connection; retry: () => void }>();

/** Sets the breadcrumbs and the page title for as long as the screen is mounted. `view`: the part of the screen that is shown. Tracked. */
export function useCrumbs(trail: () => readonly Crumb[], view?: () => string | undefined): void {
  createEffect(() => setCrumbs(trail()));
  createEffect(() => (document.title = tabTitle(trail().at(-1)?.name, view?.())));
}

/** For a screen that follows events: the line shows when the stream is lost. */
export function showConnection(state: () => Connection, retry: () => void): void {
  const own = { state, retry };
  setConnection(own);
  // The next screen may have set its own already.
  onCleanup(() => setConnection((shown) => (shown === own ? undefined : shown)));
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function TopLine(): JSX.Element {
  return (
    <header class="top">
      <Show when={narrow()}>
        <IconButton label="Menu" onClick={openRail} aria-expanded={railOpen()}>
          <MenuIcon aria-hidden="true" />
        </IconButton>
        <Show when={pending() > 0}>
          <A
            href="/approvals"
            class="top-pending"
            activeClass=""
            aria-label={plural(pending(), "pending approval")}
          >
            <span class="rail-count" aria-hidden="true">
              {shownCount(pending())}
            </span>
          </A>
        </Show>
      </Show>
      <nav class="crumbs" aria-label="Breadcrumbs">
        <ol>
          <For each={crumbs()}>
            {(crumb) => (
              <li class="ellipsis" title={crumb.name}>
                <Show when={crumb.path} fallback={<span aria-current="page">{crumb.name}</span>}>
                  <a href={crumb.path}>{crumb.name}</a>
                </Show>
              </li>
            )}
          </For>
        </ol>
      </nav>
      <OfflineNote />
      <Show when={connection()}>
        {(shown) => <ConnectionState state={shown().state()} retry={shown().retry} />}
      </Show>
      <button
        type="button"
        class="top-search"
        onClick={openCommands}
        aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
      >
        <Search size={14} aria-hidden="true" />
        <span class="top-search-text">Search or run a command</span>
        <span class="kbd" aria-hidden="true">
          {isApple ? "⌘ K" : "Ctrl K"}
        </span>
      </button>
    </header>
  );
}

/** Renders nothing while the connection is live. The note beside it says more where answers are stored. */
function ConnectionState(props: { readonly state: Connection; readonly retry: () => void }): JSX.Element {
  return (
    <div role="status" class="top-connection">
      <Show when={props.state === "lost"}>
        <Show when={storedAt() === undefined}>
          <span class="dot bad" />
          <span class="top-connection-text">Connection lost. Reconnecting…</span>
        </Show>
        <button type="button" class="btn small" onClick={props.retry}>
          Retry
        </button>
      </Show>
    </div>
  );
}
