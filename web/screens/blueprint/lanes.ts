// Lanes of wires that route around cards: overlapping ones are moved apart, shorter ones inside. Pure; values are in canvas units.

import { Position } from "@xyflow/system";
import type { Rect } from "./geometry.ts";
import { type Lane, LANE_STEP, laneOf, type Route } from "./routes.ts";

interface RoutedWire {
  readonly id: number;
  readonly from: Rect;
  readonly to: Rect;
  readonly route: Route;
}

/** Lanes by wire id, without straight wires. The result does not depend on the order of the wires. */
export function lanesOf(wires: readonly RoutedWire[]): ReadonlyMap<number, Lane> {
  const lanes = new Map<number, Lane>();
  const sides = Map.groupBy(
    wires.filter(({ route }) => route.passed.length > 0),
    ({ route }) => route.leaves,
  );
  for (const [side, around] of sides) {
    const outwards = side === Position.Top || side === Position.Left ? -1 : 1;
    const wanted = around
      .map(({ id, from, to, route }) => ({ id, ...laneOf(from, to, route) }))
      .toSorted((a, b) => a.end - a.start - (b.end - b.start) || a.start - b.start || a.id - b.id);
    const placed: { at: number; start: number; end: number }[] = [];
    for (const { id, start, end, at: alone } of wanted) {
      const beside = placed
        .filter((other) => other.start < end && start < other.end)
        .toSorted((a, b) => (a.at - b.at) * outwards);
      let at = alone;
      for (const other of beside)
        if (Math.abs(other.at - at) < LANE_STEP) at = other.at + outwards * LANE_STEP;
      placed.push({ at, start, end });
      lanes.set(id, { at, rank: beside.length });
    }
  }
  return lanes;
}
