// Activity: the turns of the workspace, and one of them step by step. The address names the turn, so that it can be linked to.

import { useSearchParams } from "@solidjs/router";
import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import { useHere } from "../../state/here.ts";
import { TurnList } from "./turn-list.tsx";
import { TurnView } from "./turn-view.tsx";
import "./activity.css";

export function Activity(): JSX.Element {
  const here = useHere();
  const [params, setParams] = useSearchParams<{ turn: string }>();
  const asked = () => (/^[1-9]\d*$/.test(params.turn ?? "") ? Number(params.turn) : undefined);
  const [turnId, setTurnId] = createSignal(asked());
  // The address belongs to the view in front: while another one is, this view stays as it was.
  createEffect(
    on([asked, here.view], ([id, view]) => {
      if (view === "activity") setTurnId(id);
    }),
  );
  const open = (id: number | undefined) => setParams({ turn: id }, { scroll: false });
  return (
    <div class="activity">
      <h1 class="visually-hidden">Activity in {here.state().workspace.display_name}</h1>
      <Show when={turnId()} fallback={<TurnList onOpen={open} />}>
        {(id) => <TurnView id={id()} onOpen={open} />}
      </Show>
    </div>
  );
}
