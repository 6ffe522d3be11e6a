// Computes a tidy layout, left to right along the wires. The library decides rank and order; large ranks are split into columns. Loaded
// on first use.

import type { Wire } from "../../../src/service/blueprint/schema.ts";
import { CARD_HEIGHT, CARD_WIDTH, type Point } from "./geometry.ts";
import { type Attachment, PILL_HEIGHT, pillWidth, type Shown } from "./graph.ts";

const RANK_GAP = 112;
const NODE_GAP = 48;
/** A larger rank is split into several columns. */
const PER_COLUMN_MIN = 8;
const COLUMN_GAP = 36;
const PILL_DISTANCE = 36;

/** The space of a card with its pills. */
interface Room {
  readonly id: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Placed extends Room {
  rank: number;
  order: number;
  x: number;
  y: number;
}

/** New positions for all agents; the orchestrator keeps its own. */
export async function tidy(
  shown: Pick<Shown, "agents" | "wires">,
  groups: ReadonlyMap<number, readonly Attachment[]>,
): Promise<ReadonlyMap<number, Point>> {
  const rooms = roomsOf(shown, groups);
  const placed = await ranked(rooms, shown.wires);
  const columns = Map.groupBy(placed, ({ rank }) => rank);
  const most = perColumn(placed.length);
  if ([...columns.values()].some((column) => column.length > most)) inColumns(columns, most);
  const orchestrator = shown.agents.find((agent) => agent.orchestrator);
  const anchor = placed.find(({ id }) => id === orchestrator?.id);
  const dx = (orchestrator?.position.x ?? 0) - (anchor?.x ?? 0);
  const dy = (orchestrator?.position.y ?? 0) - (anchor?.y ?? 0);
  return new Map(placed.map(({ id, x, y }) => [id, { x: Math.round(x + dx), y: Math.round(y + dy) }]));
}

/** About twice as wide as high, like screens. */
function perColumn(cards: number): number {
  return Math.max(PER_COLUMN_MIN, Math.ceil(Math.sqrt(cards)));
}

function roomsOf(
  { agents, wires }: Pick<Shown, "agents" | "wires">,
  groups: ReadonlyMap<number, readonly Attachment[]>,
): readonly Room[] {
  const delegating = new Set(wires.map(({ from_agent_id: from }) => from));
  const first = agents.toSorted((a, b) => Number(b.orchestrator) - Number(a.orchestrator));
  return first.map(({ id, orchestrator }) => {
    const own = groups.get(id) ?? [];
    const all = orchestrator ? (groups.get(0) ?? []) : [];
    const high = (group: readonly unknown[]) =>
      group.length === 0 ? 0 : PILL_DISTANCE + group.length * (PILL_HEIGHT + 8);
    const below = delegating.has(id);
    const wide =
      own.length === 0 ? 0 : PILL_DISTANCE + Math.max(...own.map((one) => pillWidth(one.label, one.note)));
    return { id, right: below ? 0 : wide, bottom: below ? high(own) : 0, top: high(all) };
  });
}

async function ranked(rooms: readonly Room[], wires: readonly Wire[]): Promise<Placed[]> {
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", ranksep: RANK_GAP, nodesep: NODE_GAP });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, right, top, bottom } of rooms)
    graph.setNode(String(id), { width: CARD_WIDTH + right, height: CARD_HEIGHT + top + bottom });
  const levels = levelsOf(rooms, wires);
  // Only wires between adjacent levels count: a cycle would stretch the layout to its own length.
  for (const { from_agent_id: from, to_agent_id: to } of wires)
    if (levels.get(to) === levels.get(from)! + 1) graph.setEdge(String(from), String(to));
  layout(graph);
  const placed = rooms.map((room): Placed => {
    const { x, y, width, height, rank } = graph.node(String(room.id)) as Required<
      Record<"x" | "y" | "width" | "height" | "rank", number>
    >;
    // The library puts the first at the bottom; reversing restores the order.
    return { ...room, rank: rank ?? 0, order: -y, x: x - width / 2, y: -y - height / 2 + room.top };
  });
  return placed;
}

/** The number of wires between the orchestrator and each agent; unreachable agents start at 0, after the orchestrator. */
function levelsOf(rooms: readonly Room[], wires: readonly Wire[]): ReadonlyMap<number, number> {
  const out = Map.groupBy(wires, (wire) => wire.from_agent_id);
  const reached = new Set(wires.map((wire) => wire.to_agent_id));
  const [first, ...others] = rooms;
  const starts = [first, ...others.filter(({ id }) => !reached.has(id)), ...others];
  const levels = new Map<number, number>();
  for (const start of starts) {
    if (!start || levels.has(start.id)) continue;
    levels.set(start.id, 0);
    for (const queue = [start.id]; queue.length > 0;) {
      const from = queue.shift()!;
      for (const { to_agent_id: to } of out.get(from) ?? []) {
        if (levels.has(to)) continue;
        levels.set(to, levels.get(from)! + 1);
        queue.push(to);
      }
    }
  }
  return levels;
}

/** Places ranks left to right, each in as many columns as needed, centred vertically. */
function inColumns(ranks: ReadonlyMap<number, Placed[]>, most: number): void {
  let x = 0;
  for (const rank of [...ranks.keys()].sort((a, b) => a - b)) {
    const all = ranks.get(rank)!.sort((a, b) => a.order - b.order);
    const count = Math.ceil(all.length / most);
    const each = Math.ceil(all.length / count);
    for (let column = 0; column < count; column++) {
      const cards = all.slice(column * each, (column + 1) * each);
      const heights = cards.map(({ top, bottom }) => top + CARD_HEIGHT + bottom);
      let y = -(heights.reduce((sum, high) => sum + high + NODE_GAP, -NODE_GAP) / 2);
      cards.forEach((card, index) => {
        card.x = x;
        card.y = y + card.top;
        y += heights[index]! + NODE_GAP;
      });
      x += CARD_WIDTH + Math.max(0, ...cards.map(({ right }) => right)) + COLUMN_GAP;
    }
    x += RANK_GAP - COLUMN_GAP;
  }
}
