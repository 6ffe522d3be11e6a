// Drags one card or all selected ones, and draws a box that selects several. The library does the arithmetic; `Editing` receives each
// move as one step.

import {
  getNodesInside,
  type InternalNodeBase,
  type NodeBase,
  type NodeDragItem,
  Position,
  XYDrag,
  type XYDragInstance,
} from "@xyflow/system";
import { type Accessor, createMemo, createSignal, onCleanup } from "solid-js";
import type { Point, Rect } from "./geometry.ts";
import type { Move } from "../../parts/editing/history.ts";
import type { Scene } from "./scene.ts";
import { NO_DRAG, type View } from "./viewport.ts";

const DRAG_THRESHOLD_PX = 3;
const CLICK_DISTANCE_PX = 3;
export const GATE_ID = "gate";

export type Lookup = Map<string, InternalNodeBase>;

/** The cards and the gate as the library needs them, by its own ids. */
export function createLookup(
  scene: Scene,
  chosen: Accessor<ReadonlySet<number>>,
  movable: Accessor<boolean>,
): Accessor<Lookup> {
  return createMemo(() => {
    const lookup: Lookup = new Map();
    for (const [id, rect] of scene.cards())
      lookup.set(String(id), node(String(id), rect, { selected: chosen().has(id), movable: movable() }));
    const gate = scene.gate();
    if (gate) lookup.set(GATE_ID, node(GATE_ID, gate, { selected: false, movable: false }));
    return lookup;
  });
}

function node(
  id: string,
  rect: Rect,
  { selected, movable }: { readonly selected: boolean; readonly movable: boolean },
): InternalNodeBase {
  const { x, y, width, height } = rect;
  const position = { x, y };
  const user: NodeBase = { id, position, data: {}, selected, draggable: movable, selectable: movable };
  const whole = { nodeId: id, id: null, x: 0, y: 0, width, height, position: Position.Left };
  // Lines end anywhere on a node. They start at the dot at its right edge; none starts at the gate.
  const leaving = { ...whole, x: width, width: 0, position: Position.Right, type: "source" as const };
  return {
    ...user,
    measured: { width, height },
    internals: {
      positionAbsolute: position,
      z: 0,
      userNode: user,
      handleBounds: { source: movable ? [leaving] : [], target: [{ ...whole, type: "target" as const }] },
    },
  };
}

interface DragOptions {
  readonly view: View;
  readonly lookup: Accessor<Lookup>;
  readonly adding: () => boolean;
  readonly choose: (ids: ReadonlySet<number>) => void;
  readonly show: (moves: ReadonlyMap<number, Point>) => void;
  readonly commit: (moves: readonly Move[]) => void;
}

/** Makes an element the card of this agent; called by the component that owns the element. */
export type MakeDraggable = (element: HTMLElement, agentId: number) => void;

export function createDragging(options: DragOptions): {
  dragging: Accessor<boolean>;
  draggable: MakeDraggable;
} {
  const { view, lookup, show, commit } = options;
  const [dragging, setDragging] = createSignal(false);
  let before = new Map<number, Point>();
  const store = () => ({
    nodes: [],
    edges: [],
    nodeLookup: lookup(),
    nodeExtent: [
      [-1e6, -1e6],
      [1e6, 1e6],
    ] as [[number, number], [number, number]],
    snapGrid: [1, 1] as [number, number],
    snapToGrid: true,
    nodeOrigin: [0, 0] as [number, number],
    multiSelectionActive: options.adding(),
    domNode: view.pane() ?? null,
    transform: transformOf(view),
    autoPanOnNodeDrag: true,
    // Each node decides for itself.
    nodesDraggable: false,
    selectNodesOnDrag: false,
    nodeDragThreshold: DRAG_THRESHOLD_PX,
    panBy: view.panBy,
    unselectNodesAndEdges: () => options.choose(new Set()),
    updateNodePositions: (items: Map<string, NodeDragItem | InternalNodeBase>) =>
      show(new Map([...items].map(([id, { position }]) => [Number(id), { x: position.x, y: position.y }]))),
  });
  const start = (items: Map<string, NodeDragItem>) => {
    before = new Map([...items].map(([id, { position }]) => [Number(id), { ...position }]));
    setDragging(true);
  };
  const stop = (items: Map<string, NodeDragItem>) => {
    setDragging(false);
    const moves = [...items].map(([id, { position }]) => ({
      agentId: Number(id),
      from: before.get(Number(id))!,
      to: { x: position.x, y: position.y },
    }));
    commit(moves.filter(({ agentId }) => lookup().has(String(agentId))));
  };
  return {
    dragging,
    draggable: (element, agentId) => {
      const instance: XYDragInstance = XYDrag({
        getStoreItems: store,
        onDragStart: (_, items) => start(items),
        onDragStop: (_, items) => stop(items),
      });
      instance.update({
        domNode: element,
        nodeId: String(agentId),
        isSelectable: true,
        noDragClassName: NO_DRAG,
        nodeClickDistance: CLICK_DISTANCE_PX,
      });
      onCleanup(() => instance.destroy());
    },
  };
}

export function transformOf(view: View): [number, number, number] {
  const { x, y, zoom } = view.viewport();
  return [x, y, zoom];
}

/** The box drawn with Shift and the pointer, in pixels of the pane; undefined: none. */
export function createBox(view: View, lookup: Accessor<Lookup>, choose: (ids: ReadonlySet<number>) => void) {
  const [box, setBox] = createSignal<Rect>();
  const begin = (event: PointerEvent) => {
    const pane = view.pane();
    if (!pane || event.button !== 0) return;
    const { left, top } = pane.getBoundingClientRect();
    const from = { x: event.clientX - left, y: event.clientY - top };
    pane.setPointerCapture(event.pointerId);
    view.busy({ selecting: true });
    const move = ({ clientX, clientY }: PointerEvent) => {
      const to = { x: clientX - left, y: clientY - top };
      const rect = {
        x: Math.min(from.x, to.x),
        y: Math.min(from.y, to.y),
        width: Math.abs(to.x - from.x),
        height: Math.abs(to.y - from.y),
      };
      setBox(rect);
      const inside = getNodesInside(lookup(), rect, transformOf(view), true);
      choose(new Set(inside.filter(({ id }) => id !== GATE_ID).map(({ id }) => Number(id))));
    };
    const end = () => {
      setBox(undefined);
      view.busy({ selecting: false });
      pane.removeEventListener("pointermove", move);
    };
    pane.addEventListener("pointermove", move);
    pane.addEventListener("lostpointercapture", end, { once: true });
  };
  return { box, begin };
}
