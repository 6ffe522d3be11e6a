// The positions of cards and pills as signals. Each component reads only its own rectangle, so dragging a card updates only that card and
// its lines.

import { type Accessor, createMemo } from "solid-js";
import type { Agent } from "../../../src/service/blueprint/schema.ts";
import { boundsOf, cardAt, type Point, type Rect, sameRect } from "./geometry.ts";
import {
  type Attachment,
  attachmentsOf,
  type DrawnWire,
  drawnWires,
  gateRect,
  type Shown,
  sidesOf,
  stack,
} from "./graph.ts";
import { lanesOf } from "./lanes.ts";
import { type Lane, type Route, routeOf } from "./routes.ts";
import type { Position } from "@xyflow/system";
import { sameList } from "../../kit/same-list.ts";

interface PlacedAttachment {
  readonly attachment: Attachment;
  readonly rect: Rect;
  readonly side: Position;
  /** Its index in its group, and the size of the group. */
  readonly index: number;
  readonly group: number;
}

export interface Scene {
  readonly shown: Accessor<Shown>;
  readonly agentIds: Accessor<readonly number[]>;
  readonly agents: Accessor<ReadonlyMap<number, Agent>>;
  readonly cards: Accessor<ReadonlyMap<number, Rect>>;
  readonly wires: Accessor<ReadonlyMap<number, DrawnWire>>;
  /** The route of each wire, computed for all of them together. */
  readonly routes: Accessor<ReadonlyMap<number, { readonly route: Route; readonly lane: Lane | undefined }>>;
  readonly attachmentKeys: Accessor<readonly string[]>;
  readonly attachments: Accessor<ReadonlyMap<string, PlacedAttachment>>;
  /** Undefined if not drawn. */
  readonly gate: Accessor<Rect | undefined>;
  readonly bounds: Accessor<Rect | undefined>;
}

interface SceneOptions {
  readonly shown: Accessor<Shown>;
  /** Positions that override those of the records. */
  readonly positions: Accessor<ReadonlyMap<number, Point>>;
  /** The text after the gate's name; undefined: no gate. */
  readonly gateNote: Accessor<string | undefined>;
}

const samePlaces = (a: ReadonlyMap<number, Rect>, b: ReadonlyMap<number, Rect>) =>
  a.size === b.size && [...a].every(([id, rect]) => sameRect(rect, b.get(id)));

export function createScene({ shown, positions, gateNote }: SceneOptions): Scene {
  const agentList = createMemo(() => shown().agents);
  const agents = createMemo(() => new Map(agentList().map((agent) => [agent.id, agent])));
  const agentIds = createMemo(() => agentList().map(({ id }) => id), undefined, { equals: sameList });
  // A move is put, confirmed and recorded without another change of place: the routes of all wires are computed once.
  const cards = createMemo(
    () => new Map(agentList().map(({ id, position }) => [id, cardAt(positions().get(id) ?? position)])),
    undefined,
    { equals: samePlaces },
  );
  const wireList = createMemo(() => shown().wires);
  const wires = createMemo(() => new Map(drawnWires(wireList()).map((wire) => [wire.id, wire])));
  const routes = createMemo(() => {
    const routed = [...wires().values()].flatMap(({ id, from: fromId, to: toId }) => {
      const [from, to] = [cards().get(fromId), cards().get(toId)];
      return from && to ? [{ id, from, to, route: routeOf(from, to, cards().values()) }] : [];
    });
    const lanes = lanesOf(routed);
    return new Map(routed.map(({ id, route }) => [id, { route, lane: lanes.get(id) }]));
  });
  const groups = createMemo(() => attachmentsOf(shown()));
  // From the records alone, ignoring dragged positions.
  const sides = createMemo(() =>
    sidesOf({ agents: agentList(), wires: wireList(), grants: shown().grants }, groups()),
  );
  const attachments = createMemo(() => {
    const placed = new Map<string, PlacedAttachment>();
    for (const [key, group] of groups()) {
      const card = cards().get(group[0]!.owner);
      const side = sides().get(key);
      if (!card || !side) continue;
      const rects = stack(card, side, group);
      group.forEach((attachment, index) =>
        placed.set(attachment.key, { attachment, side, rect: rects[index]!, index, group: group.length }),
      );
    }
    return placed;
  });
  const attachmentKeys = createMemo(() => [...attachments().keys()], undefined, { equals: sameList });
  const drawn = createMemo(() => [
    ...cards().values(),
    ...[...attachments().values()].map(({ rect }) => rect),
  ]);
  const gate = createMemo(() => {
    const note = gateNote();
    if (note === undefined) return undefined;
    const asking = shown().grants.flatMap(({ agent_id: id }) => cards().get(id) ?? []);
    return gateRect(drawn(), asking, note);
  });
  const bounds = createMemo(() => boundsOf([...drawn(), ...(gate() ? [gate()!] : [])]));
  return { shown, agentIds, agents, cards, wires, routes, attachmentKeys, attachments, gate, bounds };
}
