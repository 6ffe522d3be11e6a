// The navigation rail. It collapses to icons; on narrow screens it is a sheet over the page.

import { A, useNavigate } from "@solidjs/router";
import LogOut from "lucide-solid/icons/log-out";
import PanelLeft from "lucide-solid/icons/panel-left";
import X from "lucide-solid/icons/x";
import { createEffect, createSignal, For, type JSX, onCleanup, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Approval } from "../../src/service/approvals/schema.ts";
import type { Query } from "../api/query.ts";
import { createAction } from "../kit/action.ts";
import { IconButton } from "../kit/button.tsx";
import { onLeaving } from "../kit/leaving.ts";
import { Avatar } from "../kit/pieces.tsx";
import { narrow } from "../kit/screen.ts";
import { stored } from "../kit/storage.ts";
import { approvalsQuery } from "../state/lists.ts";
import { notifies } from "../state/notify.ts";
import { me, signOut } from "../state/session.ts";
import { Mark } from "./mark.tsx";
import { mayOpen, type Place, places } from "./places.ts";
import { setPending } from "./tab-title.ts";

/** The places that agents work with; the rest is about the server. */
const SECOND_GROUP_FROM = "/models";
const COUNT_SHOWN_MAX = 99;
/** Returns a count as a badge shows it. */
export const shownCount = (count: number): string =>
  count > COUNT_SHOWN_MAX ? `${COUNT_SHOWN_MAX}+` : String(count);
const [folded, setFolded] = stored("rail.folded", false);
const isFolded = () => folded() && !narrow();
const [asked, setAsked] = createSignal(false);
let before: HTMLElement | undefined;

/** On narrow screens: the sheet is open and the page behind it is inert. */
export const railOpen = () => narrow() && asked();

export function openRail(): void {
  before = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
  setAsked(true);
}

/** Restores the focus. A click on a link closes the sheet without this, so that the focus stays on the link. */
function closeRail(): void {
  setAsked(false);
  before?.focus();
}

export function Rail(): JSX.Element {
  const approvals = approvalsQuery();
  let rail: HTMLElement | undefined;
  onLeaving(() => void setAsked(false));
  createEffect(() => {
    if (railOpen()) (rail?.querySelector<HTMLElement>(".rail-link.on") ?? rail?.querySelector("a"))?.focus();
  });
  const shown = () => places.filter(mayOpen);
  const firstGroup = () => shown().findIndex(({ path }) => path === SECOND_GROUP_FROM);
  const main = () => shown().slice(0, firstGroup());
  const rest = () => shown().slice(firstGroup(), -1);
  const waiting = () => approvals.data()?.length ?? 0;
  createEffect(() => void setPending(waiting()));
  onCleanup(() => void setPending(0));
  tellWhenHidden(approvals);
  return (
    <>
      <Show when={railOpen()}>
        <div class="overlay" onClick={closeRail} />
      </Show>
      <nav
        class="rail"
        ref={(element) => (rail = element)}
        classList={{ folded: isFolded(), sheet: narrow(), open: railOpen() }}
        inert={narrow() && !railOpen() ? true : undefined}
        aria-hidden={narrow() && !railOpen() ? "true" : undefined}
        aria-label="Main"
        onKeyDown={(event) => event.key === "Escape" && closeRail()}
      >
        <div class="rail-head">
          <Mark />
          <span class="rail-word brand">Cairn</span>
          <Show
            when={!narrow()}
            fallback={
              <IconButton small label="Close menu" onClick={closeRail}>
                <X aria-hidden="true" />
              </IconButton>
            }
          >
            <IconButton
              small
              label={folded() ? "Expand sidebar" : "Collapse sidebar"}
              onClick={() => setFolded(!folded())}
            >
              <PanelLeft aria-hidden="true" />
            </IconButton>
          </Show>
        </div>
        <For each={main()}>
          {(place) => <PlaceLink place={place} count={place.path === "/approvals" ? waiting() : 0} />}
        </For>
        <div class="rail-line" />
        <For each={rest()}>{(place) => <PlaceLink place={place} count={0} />}</For>
        <div class="rail-gap" />
        <PlaceLink place={places.at(-1)!} count={0} />
        <Me />
      </nav>
    </>
  );
}

/** Shows notifications about new approvals, if this person turned them on. */
function tellWhenHidden(approvals: Query<readonly Approval[]>): void {
  const navigate = useNavigate();
  createEffect(() => {
    const list = approvals.data();
    if (!list || !notifies()) return;
    // A notification that cannot be loaded is not worth a message.
    import("./notifier.ts").then(({ tellNew }) => tellNew(list, (path) => navigate(path))).catch(() => {});
  });
}

function PlaceLink(props: { readonly place: Place; readonly count: number }): JSX.Element {
  return (
    <A
      href={props.place.path}
      class="rail-link"
      activeClass="on"
      title={isFolded() ? props.place.name : undefined}
      onClick={() => setAsked(false)}
    >
      <Dynamic component={props.place.icon} aria-hidden="true" />
      <span class="rail-word">{props.place.name}</span>
      <Show when={props.count > 0}>
        <span class="rail-count">
          {shownCount(props.count)}
          <span class="visually-hidden"> pending</span>
        </span>
      </Show>
    </A>
  );
}

const HOW: Readonly<Record<string, string>> = {
  loopback: "this machine",
  session: "signed in",
  token: "token",
};

function Me(): JSX.Element {
  const leaving = createAction(signOut);
  return (
    <Show when={me()}>
      {(who) => (
        <div class="rail-me">
          <Avatar name={who().name} />
          <span class="rail-word small muted">
            <span class="ellipsis rail-name" title={who().name} dir="auto">
              {who().name}
            </span>
            <span class="ellipsis">
              {who().role} · {HOW[who().auth]}
            </span>
          </span>
          <Show when={who().auth === "session"}>
            <IconButton small label="Sign out" busy={leaving.busy()} onClick={() => void leaving.run()}>
              <LogOut aria-hidden="true" />
            </IconButton>
          </Show>
        </div>
      )}
    </Show>
  );
}
