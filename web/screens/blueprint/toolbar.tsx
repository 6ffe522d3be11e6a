// The toolbar of the canvas: zoom, fit, tidy, add, undo, and the switch to the list.

import Redo from "lucide-solid/icons/redo-2";
import Undo from "lucide-solid/icons/undo-2";
import { type JSX, Show } from "solid-js";
import { PlainButton } from "../../kit/button.tsx";
import type { Editing } from "../../parts/editing/editing.ts";
import { useStage } from "./stage.ts";
import "./toolbar.css";

export function Toolbar(props: {
  readonly onFit: () => void;
  readonly onTidy: () => void;
  readonly tidying: boolean;
  readonly adding: boolean;
  readonly onAdd: () => void;
  readonly onList: () => void;
}): JSX.Element {
  const { view, readOnly, editing } = useStage();
  const zoom = () => `${Math.round(view.viewport().zoom * 100)}%`;
  return (
    <div class="blueprint-tools" role="toolbar" aria-label="Canvas">
      <button type="button" aria-label="Zoom out" aria-keyshortcuts="-" onClick={view.zoomOut}>
        −
      </button>
      <button
        type="button"
        class="blueprint-tools-zoom num"
        aria-label={`Zoom ${zoom()}, reset to 100%`}
        aria-keyshortcuts="0"
        onClick={view.zoomToFull}
      >
        {zoom()}
      </button>
      <button type="button" aria-label="Zoom in" aria-keyshortcuts="+" onClick={view.zoomIn}>
        +
      </button>
      <button type="button" onClick={() => props.onFit()}>
        Fit
      </button>
      <Show when={!readOnly()}>
        <PlainButton disabled={props.tidying} aria-busy={props.tidying} onClick={() => props.onTidy()}>
          Tidy
        </PlainButton>
        <button type="button" aria-expanded={props.adding} onClick={() => props.onAdd()}>
          Add
        </button>
      </Show>
      <button type="button" onClick={() => props.onList()}>
        List
      </button>
      <Show when={!readOnly()}>
        <UndoButtons editing={editing} />
      </Show>
    </div>
  );
}

export function UndoButtons(props: { readonly editing: Editing }): JSX.Element {
  const last = () => props.editing.history().done.at(-1)?.label;
  const next = () => props.editing.history().undone.at(-1)?.label;
  return (
    <>
      <PlainButton
        aria-label={last() === undefined ? "Undo" : `Undo: ${last()}`}
        title={last() === undefined ? "Nothing to undo" : `Undo: ${last()}`}
        aria-keyshortcuts="Control+Z"
        disabled={last() === undefined}
        onClick={() => void props.editing.undo()}
      >
        <Undo size={15} aria-hidden="true" />
      </PlainButton>
      <PlainButton
        aria-label={next() === undefined ? "Redo" : `Redo: ${next()}`}
        title={next() === undefined ? "Nothing to redo" : `Redo: ${next()}`}
        aria-keyshortcuts="Control+Shift+Z"
        disabled={next() === undefined}
        onClick={() => void props.editing.redo()}
      >
        <Redo size={15} aria-hidden="true" />
      </PlainButton>
    </>
  );
}
