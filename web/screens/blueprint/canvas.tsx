// The canvas: one layer that pans and zooms, with lines below cards and pills, and toolbars at the edges. Edits go to `Editing`; their
// results return as state.

import { createEffect, createMemo, createSignal, type JSX, on, onMount, Show, untrack } from "solid-js";
import { attempt, tellProblem } from "../../kit/toast.tsx";
import { narrow } from "../../kit/screen.ts";
import { useHere, useSelection } from "../../state/here.ts";
import { isAdmin } from "../../state/session.ts";
import { HELP_ID } from "./card.tsx";
import { createConnecting } from "./connecting.ts";
import { createBox, createDragging, createLookup } from "./dragging.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import type { Figures } from "./figures.ts";
import type { Point } from "./geometry.ts";
import { attachmentsOf, type Shown } from "./graph.ts";
import { createCanvasKeys } from "./keys.ts";
import { Grid, Layer, SelectionBox } from "./layer.tsx";
import { type Live, liveOf } from "../../state/live.ts";
import { Minimap } from "./minimap.tsx";
import { type Item, Palette } from "./palette.tsx";
import { removeSelected } from "../../parts/editing/removal.tsx";
import { createScene } from "./scene.ts";
import { type Stage, StageContext } from "./stage.ts";
import { tidy } from "./tidy.ts";
import { Toolbar } from "./toolbar.tsx";
import { createView } from "./viewport.ts";

/** Room for the toolbar and the minimap beside each other. */
const MINIMAP_FROM_PX = 600;

const NOTHING_LIVE: Live = {
  activity: new Map(),
  wires: new Set(),
  gearBindings: new Set(),
  grants: new Set(),
};

interface CanvasProps {
  readonly shown: Shown;
  readonly readOnly: boolean;
  readonly figures: Figures;
  /** The text after the gate's name; undefined: no gate. */
  readonly gateNote: string | undefined;
  readonly gateClosed: string | undefined;
  readonly onList: () => void;
}

export function Canvas(props: CanvasProps): JSX.Element {
  const here = useHere();
  const [carried, setCarried] = createSignal<Item>();
  const [adding, setAdding] = createSignal(false);
  const { stage, dragging, box, press } = createStage(props);
  const { view, scene, connecting, editing, selection, select } = stage;
  const bind = (agentId: number | null) => {
    const item = carried();
    setCarried(undefined);
    if (item) void editing.bind(item.kind, item.id, agentId, item.name);
  };
  const removeChosen = () => {
    const one = selection();
    if (!props.readOnly && one)
      void removeSelected(here, editing, one).then((gone) => gone && select(undefined));
  };
  const onKeyDown = createCanvasKeys(stage, { remove: removeChosen, close: () => setAdding(false) });
  const { tidying, makeTidy } = createTidy(stage);
  const attach = (pane: HTMLElement) =>
    onMount(() => {
      view.attach(pane);
      keepFitted(stage);
    });
  return (
    <StageContext.Provider value={stage}>
      <div class="blueprint-canvas" classList={{ past: props.readOnly }} onKeyDown={onKeyDown}>
        <Help />
        <Toolbar
          onFit={() => view.fit(scene.bounds())}
          onTidy={() => void makeTidy()}
          tidying={tidying()}
          adding={adding()}
          onAdd={() => setAdding(!adding())}
          onList={props.onList}
        />
        <Show when={adding() && !props.readOnly}>
          <Palette
            shown={props.shown}
            editing={editing}
            onCarry={setCarried}
            onClose={() => setAdding(false)}
          />
        </Show>
        <Show when={carried()}>
          <ForAll onDrop={() => bind(null)} />
        </Show>
        <div
          ref={attach}
          class="blueprint-pane"
          classList={{
            panning: view.panning(),
            connecting: connecting.line() !== undefined,
            carrying: carried() !== undefined,
          }}
          tabIndex={-1}
          onPointerDown={press}
          onClick={(event) => clickPane(stage, event)}
          onFocusIn={(event) => revealFocus(stage, event)}
        >
          <Grid />
          <Layer gateNote={props.gateNote} dragging={dragging()} onDrop={bind} />
          <SelectionBox rect={box.box()} />
        </div>
        <Show when={!narrow() && view.size().width >= MINIMAP_FROM_PX}>
          <Minimap />
        </Show>
      </div>
    </StageContext.Provider>
  );
}

function Help(): JSX.Element {
  return (
    <p id={HELP_ID} class="visually-hidden">
      Enter shows details. Arrow keys move between agents; with Shift they move this agent. The List button
      shows the same as a list.
    </p>
  );
}

function ForAll(props: { readonly onDrop: () => void }): JSX.Element {
  return (
    <div
      class="blueprint-for-all"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => (event.preventDefault(), props.onDrop())}
    >
      Drop to bind to all agents
    </div>
  );
}

/** The stage with what only the pane itself needs: whether cards are dragged, and the box that selects them. */
function createStage(props: CanvasProps) {
  const here = useHere();
  const editing = useEditing();
  const [selection, select] = useSelection();
  const [chosen, choose] = createSignal<ReadonlySet<number>>(new Set());
  const view = createView();
  const scene = createScene({
    shown: () => props.shown,
    positions: () => (props.readOnly ? new Map<number, Point>() : editing.positions()),
    gateNote: () => props.gateNote,
  });
  const lookup = createLookup(scene, chosen, () => !props.readOnly);
  let shift = false;
  const { dragging, draggable } = createDragging({
    view,
    lookup,
    adding: () => shift,
    choose,
    show: editing.drag,
    commit: (moves) => void editing.move(moves),
  });
  const connecting = createConnecting(view, lookup, (from, onto) => {
    if (onto === "gate") void grantOrSay(from);
    else void editing.addWire(from, onto);
  });
  const grantOrSay = async (agentId: number) => {
    if (isAdmin()) await editing.grant(agentId);
    else tellProblem(new Error("Only admins can grant internet access"));
  };
  const box = createBox(view, lookup, choose);
  const stage: Stage = {
    scene,
    view,
    editing,
    figures: props.figures,
    live: createMemo(() => (props.readOnly ? NOTHING_LIVE : liveOf(here.state()))),
    connecting,
    draggable: (element, id) => draggable(element, id),
    chosen,
    choose,
    selection,
    select,
    readOnly: () => props.readOnly,
    gateClosed: () => props.gateClosed,
  };
  const press = (event: PointerEvent) => {
    shift = event.shiftKey;
    if (event.shiftKey && !(event.target as HTMLElement).closest("button, [data-agent]")) box.begin(event);
  };
  return { stage, dragging, box, press };
}

/** A click beside everything clears the selection. */
function clickPane({ choose, selection, select }: Stage, event: MouseEvent): void {
  const beside = !(event.target as Element).closest("button, [data-agent], [data-wire], [data-grant], .gate");
  if (!beside || event.shiftKey) return;
  choose(new Set<number>());
  if (selection()) select(undefined);
}

/** Brings the agent that got the focus by keyboard into view. */
function revealFocus({ scene, view }: Stage, event: FocusEvent): void {
  const element = event.target as HTMLElement;
  const rect = untrack(scene.cards).get(Number(element.dataset["agent"]));
  if (rect && element.matches(":focus-visible")) view.reveal(rect);
}

/** Fits everything at first and after each resize, until the person pans or zooms. */
function keepFitted({ view, scene, selection }: Stage): void {
  let first = true;
  createEffect(
    on(view.size, ({ width, height }) => {
      if (width === 0 || height === 0) return;
      if (first || view.fitted()) view.fit(scene.bounds(), "jump");
      first = false;
      const one = selection();
      const rect = one?.kind === "agent" ? scene.cards().get(one.id) : undefined;
      if (rect) view.reveal(rect);
    }),
  );
  // A gate that appears or moves for a grant is shown with its wires.
  const grants = createMemo(() =>
    scene.gate()
      ? scene
          .shown()
          .grants.map(({ id }) => id)
          .join(" ")
      : undefined,
  );
  createEffect(
    on(
      grants,
      (now) => {
        const gate = untrack(scene.gate);
        if (view.fitted()) view.fit(untrack(scene.bounds));
        else if (now !== undefined && gate) view.reveal(gate);
      },
      { defer: true },
    ),
  );
  // A new agent outside the fitted part must not be missed.
  createEffect(on(scene.agentIds, () => view.fitted() && view.fit(scene.bounds()), { defer: true }));
}

function createTidy(stage: Stage) {
  const [tidying, setTidying] = createSignal(false);
  const makeTidy = async () => {
    setTidying(true);
    await attempt(async () => {
      const shown = stage.scene.shown();
      const places = await tidy(shown, attachmentsOf(shown));
      const moves = shown.agents.flatMap(({ id, position }) => {
        const to = places.get(id);
        return to ? [{ agentId: id, from: position, to }] : [];
      });
      const moved = stage.editing.move(moves, "tidy layout");
      stage.view.fit(stage.scene.bounds());
      await moved;
    });
    setTidying(false);
  };
  return { tidying, makeTidy };
}
