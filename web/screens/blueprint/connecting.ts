// Draws a line from an agent to another one or to the internet. It follows the pointer; dropping it sends the change to the server.

import { ConnectionMode, type ConnectionState, type Handle, XYHandle } from "@xyflow/system";
import { type Accessor, createSignal } from "solid-js";
import type { Point } from "./geometry.ts";
import { GATE_ID, type Lookup, transformOf } from "./dragging.ts";
import { FLOW_ID, LIBRARY, type View } from "./viewport.ts";

/** Distance from a card's centre at which the line snaps; over the card itself it always does. */
const SNAP_RADIUS = 24;

interface Line {
  readonly from: number;
  /** Canvas units. */
  readonly pointer: Point;
  /** The current drop target. */
  readonly onto: number | "gate" | undefined;
}

export interface Connecting {
  readonly line: Accessor<Line | undefined>;
  readonly begin: (event: MouseEvent | TouchEvent, agentId: number) => void;
  readonly cancel: () => void;
}

export function createConnecting(
  view: View,
  lookup: Accessor<Lookup>,
  connect: (from: number, onto: number | "gate") => void,
): Connecting {
  const [line, setLine] = createSignal<Line>();
  let fromHandle: Handle | null = null;
  const end = () => {
    fromHandle = null;
    setLine(undefined);
    view.busy({ connecting: false });
  };
  const show = (state: ConnectionState) => {
    if (!state.inProgress) return end();
    fromHandle = state.fromHandle;
    const [x, y, zoom] = transformOf(view);
    setLine({
      from: Number(state.fromNode.id),
      pointer: { x: (state.pointer.x - x) / zoom, y: (state.pointer.y - y) / zoom },
      onto: state.toNode ? targetOf(state.toNode.id) : undefined,
    });
  };
  return {
    line,
    cancel: end,
    begin: (event, agentId) => {
      const pane = view.pane();
      if (!pane) return;
      view.busy({ connecting: true });
      XYHandle.onPointerDown(event, {
        autoPanOnConnect: true,
        connectionMode: ConnectionMode.Strict,
        connectionRadius: SNAP_RADIUS,
        domNode: pane as HTMLDivElement,
        handleId: null,
        nodeId: String(agentId),
        isTarget: false,
        nodeLookup: lookup(),
        lib: LIBRARY,
        flowId: FLOW_ID,
        updateConnection: show,
        panBy: view.panBy,
        cancelConnection: end,
        onConnect: ({ source, target }) => connect(Number(source), targetOf(target)),
        getTransform: () => transformOf(view),
        getFromHandle: () => fromHandle,
        handleDomNode: event.currentTarget as Element,
      });
    },
  };
}

function targetOf(nodeId: string): number | "gate" {
  return nodeId === GATE_ID ? "gate" : Number(nodeId);
}
