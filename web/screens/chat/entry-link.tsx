// Opens the conversation at one entry: `?entry=ID`. Earlier pages are read until it is there. An entry on another branch is offered with the switch to
// that branch, because switching changes the conversation for everyone. Loads with the first such address.

import { useLocation } from "@solidjs/router";
import { createEffect, createMemo, createSignal, type JSX, Match, on, onCleanup, Switch } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { Button } from "../../kit/button.tsx";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import type { Item } from "../../state/transcript.ts";
import { openTurn } from "../../state/workspace-state.ts";
import { useRoom } from "./room.ts";

const FRAMES_MAX = 60;
/** Rows above it may still be measured. */
const STEADY_FRAMES = 4;
/** Its place in the view. */
const VIEW_SHARE = 0.2;
const FOUND_SHOWN_MS = 4_000;
const FOUND = "chat-found";

type State =
  | { readonly kind: "looking" | "shown" | "missing" }
  | { readonly kind: "aside"; readonly turnId: number }
  | { readonly kind: "failed"; readonly problem: Problem };

export function EntryLink(props: {
  readonly id: number;
  readonly items: readonly Item[];
  /** Counts what the person does (kit/focus.ts), and the count when the address was opened. */
  readonly acts: () => number;
  readonly openedAt: number;
  readonly onClose: () => void;
}): JSX.Element {
  const here = useHere();
  const location = useLocation();
  const [state, setState] = createSignal<State>({ kind: "looking" });
  const find = createLook(
    () => props.items,
    (next) => setState(next),
    props.acts,
  );
  const look = (id: number) => find(id, props.acts());
  // The same address may be opened again, after scrolling away.
  createEffect(on([() => props.id, () => location.state], ([id]) => find(id, props.openedAt)));
  // Without the memo, every event of the workspace would look again.
  const branch = createMemo(() => here.state().branchChanges);
  createEffect(on(branch, () => look(props.id), { defer: true }));
  // After a switch of the branch, its entries arrive later.
  createEffect(
    on(
      () => props.items,
      () => state().kind === "aside" && look(props.id),
      { defer: true },
    ),
  );
  const turnId = () => {
    const now = state();
    return now.kind === "aside" ? now.turnId : undefined;
  };
  const problem = () => {
    const now = state();
    return now.kind === "failed" ? now.problem : undefined;
  };
  return (
    <Switch>
      <Match when={state().kind === "looking"}>
        <div class="notice" role="status">
          <div>Looking for the linked message…</div>
        </div>
      </Match>
      <Match when={turnId()}>{(id) => <Aside turnId={id()} onClose={props.onClose} />}</Match>
      <Match when={state().kind === "missing"}>
        <div class="notice" role="status">
          <div>The linked message is not in this workspace. It may have been deleted.</div>
          <Button small onClick={() => props.onClose()}>
            Dismiss
          </Button>
        </div>
      </Match>
      <Match when={problem()}>
        {(why) => (
          <div class="notice bad" role="alert">
            <div>{why().message}</div>
            <Button small onClick={() => look(props.id)}>
              Retry
            </Button>
          </div>
        )}
      </Match>
    </Switch>
  );
}

function Aside(props: { readonly turnId: number; readonly onClose: () => void }): JSX.Element {
  const here = useHere();
  const { branches } = useRoom();
  const isBusy = () => openTurn(here.state()) !== undefined;
  return (
    <div class="notice" role="status">
      <div>
        The linked message is on another branch.
        {isBusy() ? " Branches can be switched when no turn is running." : ""}
      </div>
      <Button small disabled={isBusy()} onClick={() => void attempt(() => branches.switchTo(props.turnId))}>
        Switch to it
      </Button>
      <Button small onClick={() => props.onClose()}>
        Dismiss
      </Button>
    </div>
  );
}

/** Returns what looks for an entry; a newer look ends the one before. The entry gets the focus unless the person has done something `since`. */
function createLook(
  items: () => readonly Item[],
  setState: (state: State) => void,
  acts: () => number,
): (id: number, since: number) => void {
  const here = useHere();
  const room = useRoom();
  let turn = 0;
  onCleanup(() => (turn += 1));
  const find = async (id: number, isOver: () => boolean): Promise<State> => {
    if (itemWith(items(), id)) return { kind: "shown" };
    const entry = await take(api.entries({ id }).get());
    if (entry.workspace_id !== here.id) return { kind: "missing" };
    if (entry.aside) return { kind: "aside", turnId: entry.turn_id };
    await here.feed.branchRead();
    const count = () => here.state().entries.length;
    for (let known = -1; count() > known && here.state().hasEarlier;) {
      if (isOver() || itemWith(items(), id)) break;
      known = count();
      await here.feed.loadEarlier();
    }
    return { kind: itemWith(items(), id) ? "shown" : "missing" };
  };
  const run = async (id: number, since: number) => {
    const own = (turn += 1);
    const isOver = () => own !== turn;
    setState({ kind: "looking" });
    const next = await find(id, isOver).catch(failure);
    if (isOver()) return;
    setState(next);
    const key = next.kind === "shown" ? itemWith(items(), id)?.key : undefined;
    if (key !== undefined)
      reveal(id, { toRow: () => room.reveal(key), isOver, mayFocus: () => acts() === since });
  };
  return (id, since) => void run(id, since);
}

function failure(error: unknown): State {
  const problem = asProblem(error);
  return problem.code === "not_found" ? { kind: "missing" } : { kind: "failed", problem };
}

function itemWith(items: readonly Item[], id: number): Item | undefined {
  const isIt = (entry: Entry | undefined) => entry?.id === id;
  return items.find((item) => {
    if (item.kind === "message") return isIt(item.entry);
    if (item.kind !== "bubble") return false;
    return (
      isIt(item.task) ||
      item.segments.some(({ entry, chips }) => isIt(entry) || chips.some(({ result }) => isIt(result)))
    );
  });
}

interface Revealing {
  /** Scrolls the row of the entry into the view. */
  readonly toRow: () => void;
  readonly isOver: () => boolean;
  /** False once the person does something else, such as typing. */
  readonly mayFocus: () => boolean;
}

/** Scrolls until the entry stands still in the view, then marks and focuses it. */
function reveal(id: number, { toRow, isOver, mayFocus }: Revealing): void {
  let steady = 0;
  const step = (frame: number) => {
    if (isOver()) return;
    const element = document.querySelector<HTMLElement>(`.chat-scroll [data-entry~="${id}"]`);
    const scroller = element?.closest<HTMLElement>(".chat-scroll");
    if (!element || !scroller) toRow();
    else {
      const wanted = scroller.getBoundingClientRect().top + scroller.clientHeight * VIEW_SHARE;
      const before = scroller.scrollTop;
      scroller.scrollTop += element.getBoundingClientRect().top - wanted;
      steady = Math.abs(scroller.scrollTop - before) < 1 ? steady + 1 : 0;
      if (steady >= STEADY_FRAMES) return show(element, mayFocus());
    }
    if (frame < FRAMES_MAX) requestAnimationFrame(() => step(frame + 1));
    else if (element) show(element, mayFocus());
  };
  toRow();
  requestAnimationFrame(() => step(0));
}

function show(element: HTMLElement, mayFocus: boolean): void {
  element.tabIndex = -1;
  if (mayFocus) element.focus({ preventScroll: true });
  element.classList.add(FOUND);
  setTimeout(() => element.classList.remove(FOUND), FOUND_SHOWN_MS);
}
