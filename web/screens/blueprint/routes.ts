// Routes of wires: straight if no card is in between, otherwise around it. Pure; values are in canvas units.

import { Position } from "@xyflow/system";
import {
  boundsOf,
  centreOf,
  curve,
  OPPOSITE,
  type Point,
  portOf,
  type Rect,
  sameRect,
  sideTowards,
} from "./geometry.ts";

/** The distance of opposite wires from the centre line. */
const REVERSE_SHIFT = 10;
/** For routes around cards: distance of the lane, extra distance per passed card, corner radius, distance of ports from a side's centre. */
const LANE_DISTANCE = 28;
export const LANE_STEP = 12;
const LANE_CORNER = 12;
const LANE_PORT = 24;
const LANE_PORT_STEP = 7;
const CURVE_STEPS = 24;

/** The sides of a wire, and whether it routes around cards. */
export interface Route {
  readonly leaves: Position;
  readonly arrives: Position;
  /** The cards that it passes; empty for a straight wire. */
  readonly passed: readonly Rect[];
}

/**
 * Routes a wire over or beside cards, never under them, where its direction would be hidden. Sideways first, then vertically if there is
 * space, and around the cards if both are blocked.
 */
export function routeOf(from: Rect, to: Rect, others: Iterable<Rect>): Route {
  const side = sideTowards(from, to);
  const cards = [...others].filter((other) => !sameRect(other, from) && !sameRect(other, to));
  const passed = barredBy(from, to, side, cards);
  if (passed.length === 0) return { leaves: side, arrives: OPPOSITE[side], passed };
  const other = levelSideTowards(from, to, side);
  if (other !== undefined && barredBy(from, to, other, cards).length === 0)
    return { leaves: other, arrives: OPPOSITE[other], passed: [] };
  // Forward wires pass above the row and backward ones below, to tell them apart.
  const besides = {
    [Position.Right]: Position.Top,
    [Position.Left]: Position.Bottom,
    [Position.Bottom]: Position.Right,
    [Position.Top]: Position.Left,
  }[side];
  const going = (by: Position): Route => ({ leaves: by, arrives: by, passed });
  const barred = (by: Position) => cards.some((card) => touches(card, laneRect(from, to, going(by))));
  return going(barred(besides) && !barred(OPPOSITE[besides]) ? OPPOSITE[besides] : besides);
}

/** The cards under the curve that starts at this side. */
function barredBy(from: Rect, to: Rect, side: Position, cards: readonly Rect[]): Rect[] {
  const a = portOf(from, side);
  const b = portOf(to, OPPOSITE[side]);
  const between = boundsOf([
    { ...a, width: 0, height: 0 },
    { ...b, width: 0, height: 0 },
  ])!;
  return cards.filter((card) => touches(card, between) && onCurve(card, a, b, !isLevel(side)));
}

/** Down or up instead of sideways, if there is space between the two cards. */
function levelSideTowards(from: Rect, to: Rect, side: Position): Position | undefined {
  if (isLevel(side)) return undefined;
  if (to.y - (from.y + from.height) > 0) return Position.Bottom;
  return from.y - (to.y + to.height) > 0 ? Position.Top : undefined;
}

/** True for a side with a horizontal lane. */
function isLevel(side: Position): boolean {
  return side === Position.Top || side === Position.Bottom;
}

function touches(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;
}

/** True if the straight curve from `a` to `b` crosses it. The middle half of the curve is almost a line; its ends are horizontal. */
function onCurve(rect: Rect, a: Point, b: Point, sideways: boolean): boolean {
  for (let step = 1; step < CURVE_STEPS; step++) {
    const t = step / CURVE_STEPS;
    const even = 1.5 * t - 1.5 * t ** 2 + t ** 3;
    const ease = 3 * t ** 2 - 2 * t ** 3;
    const x = a.x + (b.x - a.x) * (sideways ? even : ease);
    const y = a.y + (b.y - a.y) * (sideways ? ease : even);
    if (x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height) return true;
  }
  return false;
}

/** The lane of a wire that routes around cards. */
export interface Lane {
  /** The position of its long part: y if horizontal, x if vertical. */
  readonly at: number;
  /** The number of other lanes inside it. */
  readonly rank: number;
}

/** The extent of a lane, and its position when alone: further out the more cards it passes. */
export function laneOf(
  from: Rect,
  to: Rect,
  { leaves, passed }: Route,
): { at: number; start: number; end: number } {
  const bounds = boundsOf([from, to, ...passed])!;
  const away = LANE_DISTANCE + (passed.length - 1) * LANE_STEP;
  const ends = isLevel(leaves) ? [centreOf(from).x, centreOf(to).x] : [centreOf(from).y, centreOf(to).y];
  const at = {
    [Position.Top]: bounds.y - away,
    [Position.Bottom]: bounds.y + bounds.height + away,
    [Position.Left]: bounds.x - away,
    [Position.Right]: bounds.x + bounds.width + away,
  }[leaves];
  return { at, start: Math.min(...ends), end: Math.max(...ends) };
}

function laneRect(from: Rect, to: Rect, route: Route): Rect {
  const { at, start, end } = laneOf(from, to, route);
  return isLevel(route.leaves)
    ? { x: start, y: at, width: end - start, height: 0 }
    : { x: at, y: start, width: 0, height: end - start };
}

/** `reversed`: a reverse wire exists, so both move apart. `others`: cards, possibly including its own two. */
export function wirePath(
  from: Rect,
  to: Rect,
  { reversed = false, others = [] }: { readonly reversed?: boolean; readonly others?: Iterable<Rect> } = {},
): string {
  return routePath(from, to, routeOf(from, to, others), { reversed });
}

interface Beside {
  readonly reversed: boolean;
  /** Its lane among other wires (lanes.ts); if absent, it routes as if alone. */
  readonly lane?: Lane | undefined;
}

export function routePath(from: Rect, to: Rect, route: Route, { reversed, lane }: Beside): string {
  const { leaves, arrives, passed } = route;
  if (passed.length > 0) return around(from, to, leaves, lane ?? { at: laneOf(from, to, route).at, rank: 0 });
  // The sign depends on the direction, not the order, because each of the two wires sees itself as first.
  const forward = leaves === Position.Right || leaves === Position.Bottom;
  const shift = reversed ? (forward ? -REVERSE_SHIFT : REVERSE_SHIFT) : 0;
  return curve(portOf(from, leaves, shift), leaves, portOf(to, arrives, shift), arrives);
}

/** Starts at a side, follows a lane clear of cards, and ends at the same side of the other card. */
function around(from: Rect, to: Rect, side: Position, { at: lane, rank }: Lane): string {
  const level = isLevel(side);
  const forward = level ? to.x > from.x : to.y > from.y;
  // Ports are shifted towards the other card, so that the ends of several wires do not overlap. Outer lanes have ports nearer to the centre,
  // so that they cross no inner ones.
  const port = Math.max(0, LANE_PORT - rank * LANE_PORT_STEP);
  const shift = forward ? port : -port;
  const start = portOf(from, side, shift);
  const end = portOf(to, side, -shift);
  const turn = forward ? LANE_CORNER : -LANE_CORNER;
  if (level) {
    const back = side === Position.Top ? LANE_CORNER : -LANE_CORNER;
    return `M${start.x},${start.y}V${lane + back}Q${start.x},${lane} ${start.x + turn},${lane}H${end.x - turn}Q${end.x},${lane} ${end.x},${lane + back}V${end.y}`;
  }
  const back = side === Position.Left ? LANE_CORNER : -LANE_CORNER;
  return `M${start.x},${start.y}H${lane + back}Q${lane},${start.y} ${lane},${start.y + turn}V${end.y - turn}Q${lane},${end.y} ${lane + back},${end.y}H${end.x}`;
}
