// Switches between the continuations of one place of the conversation: the same question in other words, or asked again.

import ChevronLeft from "lucide-solid/icons/chevron-left";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { PlainButton } from "../../kit/button.tsx";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import { openTurn } from "../../state/workspace-state.ts";
import type { Arrow } from "./branches.ts";
import { useRoom } from "./room.ts";

export function BranchSwitch(props: { readonly turnId: number }): JSX.Element {
  const here = useHere();
  const { branches } = useRoom();
  const all = createMemo(() => branches.beside(props.turnId));
  const index = createMemo(() => all()?.findIndex(({ id }) => id === props.turnId) ?? -1);
  const [busy, setBusy] = createSignal(false);
  const isOpen = createMemo(() => openTurn(here.state()) !== undefined);
  const arrow = (which: Arrow) => {
    const other = () => all()?.[index() + (which === "previous" ? -1 : 1)];
    const go = async (button: HTMLElement) => {
      const to = other();
      if (!to) return;
      setBusy(true);
      const hasFocus = document.activeElement === button;
      await attempt(() => (hasFocus ? branches.stepTo(to.id, which) : branches.switchTo(to.id)));
      setBusy(false);
    };
    return (
      <PlainButton
        class="btn quiet icon small"
        aria-label={which === "previous" ? "Previous branch" : "Next branch"}
        disabled={other() === undefined || busy() || isOpen()}
        onClick={(event) => void go(event.currentTarget)}
      >
        {which === "previous" ? <ChevronLeft aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
      </PlainButton>
    );
  };
  /** The switch of the branch before is gone, with the focus. */
  const takeFocus = (group: HTMLElement) => {
    const by = branches.arrivedBy(props.turnId);
    if (by === undefined) return;
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const [previous, next] = group.querySelectorAll("button");
      const [same, opposite] = by === "previous" ? [previous, next] : [next, previous];
      (same?.disabled ? opposite : same)?.focus({ preventScroll: true });
    });
  };
  return (
    <Show when={all()}>
      {(turns) => (
        <span class="chat-branch" role="group" aria-label="Branches from here" ref={takeFocus}>
          {arrow("previous")}
          <span title={isOpen() ? "Branches can be switched when no turn is running" : undefined}>
            {index() + 1} of {turns().length}
          </span>
          {arrow("next")}
        </span>
      )}
    </Show>
  );
}
