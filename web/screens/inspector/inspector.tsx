// The inspector shows details of the selected thing, with one component per kind. Escape closes it when the focus is inside.

import { createEffect, type JSX, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { narrow } from "../../kit/screen.ts";
import { type Selection, useSelection } from "../../state/here.ts";
import {
  GearBindingInspector,
  GrantInspector,
  InstructionBindingInspector,
  WireInspector,
} from "./connections.tsx";
import { AgentInspector } from "./agent.tsx";
import { CallInspector } from "./call.tsx";
import { EntryInspector } from "./entry.tsx";
import { CloseContext, InspectorHeader } from "./header.tsx";
import { ToolInspector } from "./tool.tsx";
import { WorkspaceInspector } from "./workspace.tsx";
import "./inspector.css";

/** Titles of the kinds whose component has no header. */
const TITLES: Partial<Record<Selection["kind"], string>> = {
  wire: "Wire",
  "gear-binding": "Gear",
  "instruction-binding": "Instruction",
  grant: "Internet",
};

export function Inspector(props: {
  readonly selection: Selection;
  /** The element that had the focus in the views last, to restore it when the inspector is closed from inside. */
  readonly cameFrom: () => HTMLElement | undefined;
}): JSX.Element {
  const [, select] = useSelection();
  let element: HTMLDivElement;
  let goesBack = false;
  const is = (...kinds: readonly Selection["kind"][]) => kinds.includes(props.selection.kind);
  const close = () => {
    goesBack = element.contains(document.activeElement);
    select(undefined);
  };
  // After unmounting, because the covered page cannot take the focus before.
  onCleanup(() => {
    if (goesBack) requestAnimationFrame(() => props.cameFrom()?.focus());
  });
  const onKeyDown = (event: KeyboardEvent) => {
    // Events of overlays bubble up to here, but come from outside.
    const inside = event.target instanceof Node && element.contains(event.target);
    if (event.key !== "Escape" || event.defaultPrevented || !inside) return;
    event.preventDefault();
    close();
  };
  // On narrow screens it covers the page, so the focus must move into it.
  const takeFocus = () => {
    if (narrow()) element.focus();
  };
  onMount(takeFocus);
  createEffect(on(narrow, takeFocus, { defer: true }));
  return (
    <CloseContext.Provider value={close}>
      <div ref={(made) => (element = made)} class="inspector" tabIndex={-1} onKeyDown={onKeyDown}>
        <Show when={TITLES[props.selection.kind]}>{(title) => <InspectorHeader title={title()} />}</Show>
        <Switch>
          <Match when={is("workspace")}>
            <WorkspaceInspector />
          </Match>
          <Match when={is("agent")}>
            <AgentInspector id={props.selection.id} />
          </Match>
          <Match when={is("call")}>
            <CallInspector id={props.selection.id} />
          </Match>
          <Match when={is("tool")}>
            <ToolInspector turnId={props.selection.turnId!} number={props.selection.id} />
          </Match>
          <Match when={is("entry")}>
            <EntryInspector id={props.selection.id} />
          </Match>
          <Match when={is("wire")}>
            <WireInspector id={props.selection.id} />
          </Match>
          <Match when={is("gear-binding")}>
            <GearBindingInspector id={props.selection.id} />
          </Match>
          <Match when={is("instruction-binding")}>
            <InstructionBindingInspector id={props.selection.id} />
          </Match>
          <Match when={is("grant")}>
            <GrantInspector id={props.selection.id} />
          </Match>
        </Switch>
      </div>
    </CloseContext.Provider>
  );
}
