// Turns the records of a blueprint into the cards, pills and lines to draw. Pure.

import { Position } from "@xyflow/system";
import type { Agent, Wire } from "../../../src/service/blueprint/schema.ts";
import type { BlueprintRecord } from "../../../src/service/snapshot/schema.ts";
import type { EgressGrant } from "../../../src/service/egress/schema.ts";
import type { GearBinding } from "../../../src/service/gears/schema.ts";
import type { InstructionBinding } from "../../../src/service/library/schema.ts";
import {
  boundsOf,
  cardAt,
  centreOf,
  curve,
  inflated,
  OPPOSITE,
  overlap,
  portOf,
  type Rect,
} from "./geometry.ts";
import { routeOf } from "./routes.ts";

/** The records to draw, of now or of an earlier turn. */
export interface Shown {
  readonly agents: readonly Agent[];
  readonly wires: readonly Wire[];
  readonly gearBindings: readonly GearBinding[];
  readonly instructionBindings: readonly InstructionBinding[];
  readonly grants: readonly EgressGrant[];
}

export function shownOf(record: BlueprintRecord): Shown {
  return {
    agents: record.agents.toSorted((a, b) => a.id - b.id),
    wires: record.wires,
    gearBindings: record.gear_bindings,
    instructionBindings: record.instruction_bindings,
    grants: record.egress_grants,
  };
}

export interface Attachment {
  /** `gear-binding-3`; stable and unique on the canvas. */
  readonly key: string;
  readonly kind: "gear-binding" | "instruction-binding" | "more";
  /** The id of the binding; the id of the agent for a pill that counts the rest. */
  readonly id: number;
  readonly label: string;
  /** A notable status, or that it applies to all agents; shown after the label. */
  readonly note: string;
  /** The agent that it is drawn beside. */
  readonly owner: number;
  readonly forAll: boolean;
}

/** Further pills beside one card are only counted; the list and the inspector name all of them. */
export const ATTACHMENTS_DRAWN_MAX = 5;

/** Keyed by agent; bindings to all agents are drawn beside the orchestrator, under the key 0. */
export function attachmentsOf(shown: Shown): ReadonlyMap<number, readonly Attachment[]> {
  const orchestrator = shown.agents.find((agent) => agent.orchestrator)?.id;
  const known = new Set(shown.agents.map(({ id }) => id));
  const groups = new Map<number, Attachment[]>();
  const add = (agentId: number | null, one: Omit<Attachment, "owner" | "forAll" | "note">, note: string) => {
    const owner = agentId ?? orchestrator;
    if (owner === undefined || !known.has(owner)) return;
    const group = agentId ?? 0;
    const words = [note, agentId === null ? "all agents" : ""].filter(Boolean).join(", ");
    const attachment = { ...one, owner, forAll: agentId === null, note: words };
    groups.set(group, [...(groups.get(group) ?? []), attachment]);
  };
  for (const { id, gear_name: label, gear_status: status, agent_id: agentId } of shown.gearBindings) {
    const gear = { key: `gear-binding-${id}`, kind: "gear-binding", id, label } as const;
    add(agentId, gear, status === "approved" ? "" : status);
  }
  for (const { id, name: label, agent_id: agentId } of shown.instructionBindings)
    add(agentId, { key: `instruction-binding-${id}`, kind: "instruction-binding", id, label }, "");
  return new Map([...groups].map(([group, all]) => [group, bounded(all)]));
}

function bounded(all: readonly Attachment[]): readonly Attachment[] {
  if (all.length <= ATTACHMENTS_DRAWN_MAX) return all;
  const drawn = all.slice(0, ATTACHMENTS_DRAWN_MAX - 1);
  const { owner, forAll } = all[0]!;
  const rest = all.length - drawn.length;
  const key = `more-${forAll ? "all" : owner}`;
  const note = forAll ? "all agents" : "";
  return [...drawn, { key, kind: "more", id: owner, label: `${rest} more`, note, owner, forAll }];
}

export const PILL_HEIGHT = 28;
const PILL_STEP = PILL_HEIGHT + 8;
const PILL_WIDTH_MAX = 208;
/** The width of icon, padding and gaps, and the average width of a character at 12 px. */
const PILL_FRAME = 50;
const CHARACTER_WIDTH = 6.5;
const NOTE_GAP = 8;
const DISTANCE = 36;
const DISTANCE_BELOW = 24;
/** Lines to pills start at the pill's height, but not at a corner of the card. */
const CORNER = 14;
/** Above and below a card, several lines run side by side before they turn. */
const TRUNK_INSET = 14;
const TRUNK_STEP = 8;
const TRUNK_TURN = 6;
/** The minimum gap around cards. */
const AIR = 6;
const GATE_DISTANCE = 72;
export const GATE_LABEL = "internet";

export function pillWidth(label: string, note: string): number {
  const characters = [...label].length + [...note].length;
  const width = PILL_FRAME + characters * CHARACTER_WIDTH + (note === "" ? 0 : NOTE_GAP);
  return Math.round(Math.min(PILL_WIDTH_MAX, width));
}

/** The position of a group of pills relative to its card. */
export function stack(card: Rect, side: Position, group: readonly Attachment[]): readonly Rect[] {
  const widths = group.map(({ label, note }) => pillWidth(label, note));
  const high = group.length * PILL_STEP - (PILL_STEP - PILL_HEIGHT);
  const middle = centreOf(card);
  const indent = group.length === 1 ? AIR * 2 : TRUNK_INSET + group.length * TRUNK_STEP;
  return widths.map((width, index) => {
    const down = index * PILL_STEP;
    switch (side) {
      case Position.Right:
        return pill(card.x + card.width + DISTANCE, middle.y - high / 2 + down, width);
      case Position.Left:
        return pill(card.x - DISTANCE - width, middle.y - high / 2 + down, width);
      case Position.Bottom:
        return pill(card.x + indent, card.y + card.height + DISTANCE_BELOW + down, width);
      case Position.Top: {
        const x = group.length === 1 ? middle.x - width / 2 : card.x + indent;
        return pill(x, card.y - DISTANCE - PILL_HEIGHT - down, width);
      }
    }
  });
}

interface Pill {
  readonly rect: Rect;
  readonly side: Position;
  /** As in `stack`. */
  readonly index: number;
  /** The pills at this side. */
  readonly group: number;
}

/** The line from a card to one pill of a group; lines of a group never overlap. */
export function attachmentPath(card: Rect, { rect: node, side, index, group }: Pill): string {
  const middle = centreOf(node);
  if (side === Position.Left || side === Position.Right) {
    const edge = portOf(card, side);
    const y = Math.min(card.y + card.height - CORNER, Math.max(card.y + CORNER, middle.y));
    return curve({ x: edge.x, y }, side, portOf(node, OPPOSITE[side]), OPPOSITE[side]);
  }
  const below = side === Position.Bottom;
  const start = below ? card.y + card.height : card.y;
  if (group === 1) {
    const x = below ? node.x + CORNER * 2 : middle.x;
    return `M${x},${start}V${below ? node.y : node.y + node.height}`;
  }
  // The line to the nearest pill turns first and is the innermost.
  const x = card.x + TRUNK_INSET + (group - 1 - index) * TRUNK_STEP;
  const turn = below ? -TRUNK_TURN : TRUNK_TURN;
  return `M${x},${start}V${middle.y + turn}Q${x},${middle.y} ${x + TRUNK_TURN},${middle.y}H${node.x}`;
}

function pill(x: number, y: number, width: number): Rect {
  return { x: Math.round(x), y: Math.round(y), width, height: PILL_HEIGHT };
}

const BESIDE = [Position.Right, Position.Bottom, Position.Left, Position.Top] as const;
const ABOVE = [Position.Top, Position.Left, Position.Bottom, Position.Right] as const;
const WIRE_COST = 400;
const COVER_COST = 100;

/**
 * Chooses a side for each group, by its key: the first without cards or wires of its card. Uses the resting positions, so that pills do
 * not jump while a card is dragged.
 */
export function sidesOf(
  shown: Pick<Shown, "agents" | "wires"> & Partial<Pick<Shown, "grants">>,
  groups: ReadonlyMap<number, readonly Attachment[]>,
): ReadonlyMap<number, Position> {
  const cards = new Map(shown.agents.map((agent) => [agent.id, cardAt(agent.position)]));
  const owners = new Set([...groups.values()].map(([first]) => first!.owner));
  const ofOwners = shown.wires.filter(
    (wire) => owners.has(wire.from_agent_id) || owners.has(wire.to_agent_id),
  );
  const wired = wiredSides(ofOwners, cards);
  // The gate is right of everything else.
  for (const { agent_id: id } of shown.grants ?? [])
    wired.set(id, (wired.get(id) ?? new Set()).add(Position.Right));
  const taken = [...cards].map(([id, rect]) => ({ id, rect: inflated(rect, AIR) }));
  const sides = new Map<number, Position>();
  for (const [key, group] of groups) {
    const owner = group[0]!.owner;
    const card = cards.get(owner)!;
    const costs = (key === 0 ? ABOVE : BESIDE).map((side) => {
      const rects = stack(card, side, group);
      const covered = rects.reduce(
        (sum, rect) =>
          sum + taken.reduce((all, other) => (other.id === owner ? all : all + overlap(rect, other.rect)), 0),
        0,
      );
      const wires = wired.get(owner)?.has(side) ? WIRE_COST : 0;
      return { side, rects, cost: covered * COVER_COST + wires };
    });
    const best = costs.reduce((least, one) => (one.cost < least.cost ? one : least));
    sides.set(key, best.side);
    // A group's own card is no obstacle; other groups of the same card are.
    taken.push(...best.rects.map((rect) => ({ id: -key - 1, rect: inflated(rect, AIR) })));
  }
  return sides;
}

function wiredSides(wires: readonly Wire[], cards: ReadonlyMap<number, Rect>) {
  const sides = new Map<number, Set<Position>>();
  const use = (id: number, side: Position) => sides.set(id, (sides.get(id) ?? new Set()).add(side));
  for (const { from_agent_id: from, to_agent_id: to } of wires) {
    const [a, b] = [cards.get(from), cards.get(to)];
    if (!a || !b) continue;
    const { leaves, arrives } = routeOf(a, b, cards.values());
    use(from, leaves);
    use(to, arrives);
  }
  return sides;
}

/** The text after the gate's name; undefined: no gate. */
export function gateNote(on: boolean, grants: number): string | undefined {
  if (on) return "asks";
  return grants > 0 ? "off" : undefined;
}

/**
 * Places the gate beside everything, level with the agents that have a grant: on the right, or on the first side where more of their lines
 * are straight.
 */
export function gateRect(others: readonly Rect[], asking: readonly Rect[], note: string): Rect {
  const bounds = boundsOf(others) ?? cardAt({ x: 0, y: 0 });
  const beside = asking.length > 0 ? asking : [bounds];
  const mean = (axis: "x" | "y") =>
    beside.reduce((sum, rect) => sum + centreOf(rect)[axis], 0) / beside.length;
  const width = pillWidth(GATE_LABEL, note);
  const [left, top] = [mean("x") - width / 2, mean("y") - PILL_HEIGHT / 2];
  const places = [
    pill(bounds.x + bounds.width + GATE_DISTANCE, top, width),
    pill(left, bounds.y - GATE_DISTANCE - PILL_HEIGHT, width),
    pill(left, bounds.y + bounds.height + GATE_DISTANCE, width),
    pill(bounds.x - GATE_DISTANCE - width, top, width),
  ];
  const barred = places.map((place) =>
    asking.filter((card) => routeOf(card, place, others).passed.length > 0),
  );
  return places[barred.findIndex(({ length }) => length === Math.min(...barred.map((one) => one.length)))]!;
}

/** A wire, and whether a reverse wire exists. */
export interface DrawnWire {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly reversed: boolean;
}

export function drawnWires(wires: readonly Wire[]): readonly DrawnWire[] {
  const pairs = new Set(wires.map((wire) => `${wire.from_agent_id}>${wire.to_agent_id}`));
  return wires.map(({ id, from_agent_id: from, to_agent_id: to }) => ({
    id,
    from,
    to,
    reversed: pairs.has(`${to}>${from}`),
  }));
}
