// Two panes with a handle between them for the pointer and the arrow keys. The size is stored by name in this browser. On narrow screens the
// side pane is a sheet over the main one, or stacked with it if it cannot be closed.

import { createEffect, createSignal, type JSX, on, Show } from "solid-js";
import { holdFocus } from "./focus.ts";
import { narrow } from "./screen.ts";
import { stored } from "./storage.ts";

const STEP_PX = 24;

interface Sizes {
  /** The storage key of the size. */
  readonly name: string;
  readonly at?: "end" | "start";
  readonly size?: number;
  readonly min?: number;
  readonly max?: number;
}

interface SplitProps extends Sizes {
  readonly main: JSX.Element;
  readonly side: JSX.Element;
  readonly sideLabel: string;
  readonly open: boolean;
  /** Closes the sheet on narrow screens. */
  readonly onClose?: () => void;
}

export function Split(props: SplitProps): JSX.Element {
  const { size, min, max, atEnd, dragging, onPointerDown, onKeyDown } = createHandle(props);
  const isSheet = () => narrow() && props.open && props.onClose !== undefined;
  const focus = createPaneFocus(props, isSheet);
  const handle = () => (
    <Show when={props.open}>
      <div
        class="split-handle"
        role="separator"
        aria-orientation="vertical"
        aria-label={`Resize ${props.sideLabel}`}
        aria-valuenow={size()}
        aria-valuemin={min()}
        aria-valuemax={max()}
        tabIndex={0}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}
      />
    </Show>
  );
  const aside = () => (
    <Show when={props.open}>
      <Show when={narrow() && props.onClose}>
        <button
          type="button"
          class="split-veil"
          aria-label={`Close ${props.sideLabel}`}
          onClick={() => props.onClose?.()}
        />
      </Show>
      <aside class="split-side" aria-label={props.sideLabel} tabIndex={-1} ref={focus.side}>
        {props.side}
      </aside>
    </Show>
  );
  // In the order in which they are seen, which is that of the Tab key and of screen readers.
  return (
    <div
      class="split"
      classList={{
        "at-start": !atEnd(),
        closed: !props.open,
        dragging: dragging(),
        narrow: narrow(),
        stacked: narrow() && props.onClose === undefined,
      }}
      style={{ "--side": `${size()}px` }}
    >
      <Show when={!atEnd()}>
        {aside()}
        {handle()}
      </Show>
      <div
        class="split-main"
        tabIndex={-1}
        inert={isSheet() ? true : undefined}
        ref={focus.main}
        onFocusIn={focus.onMainFocused}
      >
        {props.main}
      </div>
      <Show when={atEnd()}>
        {handle()}
        {aside()}
      </Show>
    </div>
  );
}

/** A sheet takes the focus. When the side closes with the focus in it, what opened it gets the focus back. */
function createPaneFocus(props: Pick<SplitProps, "open">, isSheet: () => boolean) {
  let main!: HTMLElement;
  let side: HTMLElement | undefined;
  let opener: HTMLElement | undefined;
  createEffect(on(isSheet, (now) => now && side?.focus()));
  createEffect(
    on(
      () => props.open,
      (open, before) => {
        if (open || !before || document.activeElement !== document.body) return;
        (opener?.isConnected ? opener : main).focus({ preventScroll: true });
      },
    ),
  );
  return {
    main: (element: HTMLElement) => (main = element),
    side: (element: HTMLElement) => holdFocus((side = element)),
    onMainFocused: ({ target }: FocusEvent) => (opener = target as HTMLElement),
  };
}

/** The handle between the panes, and the size that it sets. */
function createHandle(props: Sizes) {
  const min = () => props.min ?? 240;
  const max = () => props.max ?? 720;
  const [wanted, setWanted] = stored<number>(`split.${props.name}`, props.size ?? 340);
  const [dragging, setDragging] = createSignal(false);
  const bounded = (value: number) => Math.round(Math.min(max(), Math.max(min(), value)));
  const size = () => bounded(wanted());
  const atEnd = () => props.at !== "start";
  const onPointerDown = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const handle = event.currentTarget;
    const from = event.clientX;
    const before = size();
    handle.setPointerCapture(event.pointerId);
    setDragging(true);
    const move = ({ clientX }: PointerEvent) =>
      setWanted(bounded(before + (atEnd() ? from - clientX : clientX - from)));
    const end = () => {
      setDragging(false);
      handle.removeEventListener("pointermove", move);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("lostpointercapture", end, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setWanted(bounded(size() + (atEnd() ? -step : step)));
  };
  return { size, min, max, atEnd, dragging, onPointerDown, onKeyDown };
}
