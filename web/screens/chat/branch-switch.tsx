// Switches between the continuations of one place of the conversation: the same question in other words, or asked again.

import ChevronLeft from "lucide-solid/icons/chevron-left";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import { openTurn } from "../../state/workspace-state.ts";
import { useRoom } from "./room.ts";

export function BranchSwitch(props: { readonly turnId: number }): JSX.Element {
  const here = useHere();
  const { branches } = useRoom();
  const all = createMemo(() => branches.beside(props.turnId));
  const index = createMemo(() => all()?.findIndex(({ id }) => id === props.turnId) ?? -1);
  const [busy, setBusy] = createSignal(false);
  const isOpen = createMemo(() => openTurn(here.state()) !== undefined);
  const step = (by: number) => {
    const other = all()?.[index() + by];
    return {
      disabled: other === undefined || busy() || isOpen(),
      go: async () => {
        if (!other) return;
        setBusy(true);
        await attempt(() => branches.switchTo(other.id));
        setBusy(false);
      },
    };
  };
  return (
    <Show when={all()}>
      {(turns) => (
        <span class="chat-branch" role="group" aria-label="Branches from here">
          <button
            type="button"
            class="btn quiet icon small"
            aria-label="Previous branch"
            disabled={step(-1).disabled}
            onClick={() => void step(-1).go()}
          >
            <ChevronLeft aria-hidden="true" />
          </button>
          <span title={isOpen() ? "Branches can be switched when no turn is running" : undefined}>
            {index() + 1} of {turns().length}
          </span>
          <button
            type="button"
            class="btn quiet icon small"
            aria-label="Next branch"
            disabled={step(1).disabled}
            onClick={() => void step(1).go()}
          >
            <ChevronRight aria-hidden="true" />
          </button>
        </span>
      )}
    </Show>
  );
}
