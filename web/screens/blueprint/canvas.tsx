// The canvas: one layer that pans and zooms, with lines below cards and pills, and toolbars at the edges. Edits go to `Editing`; their
// results return as state.

import { createEffect, createMemo, createSignal, For, type JSX, on, onMount, Show, untrack } from "solid-js";
import { attempt, tellProblem } from "../../kit/toast.tsx";
import { narrow } from "../../kit/screen.ts";
import { useHere, useSelection } from "../../state/here.ts";
import { isAdmin } from "../../state/session.ts";
import { Card, HELP_ID } from "./card.tsx";
import { createConnecting } from "./connecting.ts";
import { createBox, createDragging, createLookup } from "./dragging.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import type { Figures } from "./figures.ts";
import type { Point } from "./geometry.ts";
import { attachmentsOf, type Shown } from "./graph.ts";
import { createCanvasKeys } from "./keys.ts";
import { Links } from "./links.tsx";
import { type Live, liveOf } from "../../state/live.ts";
import { Minimap } from "./minimap.tsx";
import { type Item, Palette } from "./palette.tsx";
import { Gate, Pill } from "./pill.tsx";
import { removeSelected } from "../../parts/editing/removal.tsx";
import { createScene } from "./scene.ts";
import { type Stage, StageContext, useStage } from "./stage.ts";
import { tidy } from "./tidy.ts";
import { Toolbar } from "./toolbar.tsx";
import { createView } from "./viewport.ts";

/** Below this zoom, cards show only their names, enlarged. */
const FAR_ZOOM = 0.5;
const GRID = 22;
/** Below this zoom the dots would blur into grey. */
const GRID_ZOOM_MIN = 0.3;
const NOTHING_LIVE: Live = {
  activity: new Map(),
  wires: new Set(),
  gearBindings: new Set(),
  grants: new Set(),
};

export interface CanvasProps {
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
  const editing = useEditing();
  const [selection, select] = useSelection();
  const [chosen, choose] = createSignal<ReadonlySet<number>>(new Set());
  const [carried, setCarried] = createSignal<Item>();
  const [adding, setAdding] = createSignal(false);
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
  const far = createMemo(() => view.viewport().zoom < FAR_ZOOM);
  const { tidying, makeTidy } = createTidy(stage);
  const attach = (pane: HTMLElement) =>
    onMount(() => {
      view.attach(pane);
      keepFitted(stage);
    });
  const press = (event: PointerEvent) => {
    shift = event.shiftKey;
    if (event.shiftKey && !(event.target as HTMLElement).closest("button, [data-agent]")) box.begin(event);
  };
  const clickPane = (event: MouseEvent) => {
    if (
      (event.target as Element).closest("button, [data-agent], [data-wire], [data-grant], .gate") ||
      event.shiftKey
    )
      return;
    choose(new Set<number>());
    if (selection()) select(undefined);
  };
  const revealFocus = (event: FocusEvent) => {
    const element = event.target as HTMLElement;
    const id = Number(element.dataset["agent"]);
    const rect = untrack(scene.cards).get(id);
    if (rect && element.matches(":focus-visible")) view.reveal(rect);
  };
  return (
    <StageContext.Provider value={stage}>
      <div class="blueprint-canvas" classList={{ past: props.readOnly }} onKeyDown={onKeyDown}>
        <p id={HELP_ID} class="visually-hidden">
          Enter shows details. Arrow keys move between agents; with Shift they move this agent. The List
          button shows the same as a list.
        </p>
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
          <div
            class="blueprint-for-all"
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => (event.preventDefault(), bind(null))}
          >
            Drop to bind to all agents
          </div>
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
          onClick={clickPane}
          onFocusIn={revealFocus}
        >
          <Grid />
          <div
            class="blueprint-layer"
            classList={{ far: far(), moving: view.moving(), dragging: dragging() }}
            role="group"
            aria-label="Agents"
            style={{
              transform: `translate(${view.viewport().x}px, ${view.viewport().y}px) scale(${view.viewport().zoom})`,
            }}
          >
            <Links />
            <For each={scene.attachmentKeys()}>{(key) => <Pill key_={key} />}</For>
            <Show when={props.gateNote !== undefined}>
              <Gate note={props.gateNote ?? ""} />
            </Show>
            <For each={scene.agentIds()}>
              {(id) => (
                <Card
                  id={id}
                  onDropAttachment={(event, agentId) => (event.preventDefault(), bind(agentId))}
                />
              )}
            </For>
          </div>
          <Show when={box.box()}>
            {(rect) => (
              <div
                class="blueprint-box"
                style={{
                  transform: `translate(${rect().x}px, ${rect().y}px)`,
                  width: `${rect().width}px`,
                  height: `${rect().height}px`,
                }}
              />
            )}
          </Show>
        </div>
        <Show when={!narrow() && view.size().width > 0}>
          <Minimap />
        </Show>
      </div>
    </StageContext.Provider>
  );
}

/** The dots behind; outside the layer, so that only they are repainted. */
function Grid(): JSX.Element {
  const { view } = useStage();
  const size = () => `${GRID * view.viewport().zoom}px`;
  return (
    <div
      class="blueprint-grid"
      classList={{ hidden: view.viewport().zoom < GRID_ZOOM_MIN }}
      style={{
        "background-size": `${size()} ${size()}`,
        "background-position": `${view.viewport().x}px ${view.viewport().y}px`,
      }}
    />
  );
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
