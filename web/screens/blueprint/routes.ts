// How wires run from card to card: straight where nothing stands between, else around it. Pure, in canvas units.

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

/** How far two wires that run against each other keep apart from the middle. */
const REVERSE_SHIFT = 10;
/** A wire that goes around: its lane from the cards, more for each card passed, its corners, its ports from the middle of a side. */
const LANE_DISTANCE = 28;
export const LANE_STEP = 12;
const LANE_CORNER = 12;
const LANE_PORT = 24;
const LANE_PORT_STEP = 7;
const CURVE_STEPS = 24;

/** The sides of a wire, and whether a card stands in the way so that it goes around. */
export interface Route {
  readonly leaves: Position;
  readonly arrives: Position;
  /** The cards that it passes; empty: it runs straight. */
  readonly passed: readonly Rect[];
}

/**
 * A wire passes over or beside what stands between its ends, never under it: there its direction could not be seen. Sideways first, then
 * down or up where there is room, and around the cards when both are barred.
 */
export function routeOf(from: Rect, to: Rect, others: Iterable<Rect>): Route {
  const side = sideTowards(from, to);
  const cards = [...others].filter((other) => !sameRect(other, from) && !sameRect(other, to));
  const passed = barredBy(from, to, side, cards);
  if (passed.length === 0) return { leaves: side, arrives: OPPOSITE[side], passed };
  const other = levelSideTowards(from, to, side);
  if (other !== undefined && barredBy(from, to, other, cards).length === 0)
    return { leaves: other, arrives: OPPOSITE[other], passed: [] };
  // Those that run forward go over the row, those that run back under it, so both are told apart.
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

/** The cards under the curve that leaves by this side. */
function barredBy(from: Rect, to: Rect, side: Position, cards: readonly Rect[]): Rect[] {
  const a = portOf(from, side);
  const b = portOf(to, OPPOSITE[side]);
  const between = boundsOf([
    { ...a, width: 0, height: 0 },
    { ...b, width: 0, height: 0 },
  ])!;
  return cards.filter((card) => touches(card, between) && onCurve(card, a, b, !isLevel(side)));
}

/** For a wire that would leave sideways: down or up, when there is room between the two cards. */
function levelSideTowards(from: Rect, to: Rect, side: Position): Position | undefined {
  if (isLevel(side)) return undefined;
  if (to.y - (from.y + from.height) > 0) return Position.Bottom;
  return from.y - (to.y + to.height) > 0 ? Position.Top : undefined;
}

/** Of a side whose lane runs level. */
function isLevel(side: Position): boolean {
  return side === Position.Top || side === Position.Bottom;
}

function touches(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;
}

/** Whether the straight curve from `a` to `b` runs through it; its middle half is nearly a line, its ends are level. */
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

/** Where a wire that goes around runs along. */
export interface Lane {
  /** How high its level part is, or how far to the side. */
  readonly at: number;
  /** How many other lanes it keeps clear of on the inside. */
  readonly rank: number;
}

/** From where to where a lane runs, and where it would be were it alone: the more it passes, the further out. */
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

/** `reversed`: there is a wire the other way too, so both keep apart. `others`: cards, among which its own two may be. */
export function wirePath(from: Rect, to: Rect, reversed: boolean, others: Iterable<Rect> = []): string {
  return routePath(from, to, reversed, routeOf(from, to, others));
}

/** `lane`: among other wires (lanes.ts); without one it runs as if it were alone. */
export function routePath(from: Rect, to: Rect, reversed: boolean, route: Route, lane?: Lane): string {
  const { leaves, arrives, passed } = route;
  if (passed.length > 0) return around(from, to, leaves, lane ?? { at: laneOf(from, to, route).at, rank: 0 });
  // Each of the two is the first one for itself: the sign comes from the direction, not from the order.
  const forward = leaves === Position.Right || leaves === Position.Bottom;
  const shift = reversed ? (forward ? -REVERSE_SHIFT : REVERSE_SHIFT) : 0;
  return curve(portOf(from, leaves, shift), leaves, portOf(to, arrives, shift), arrives);
}

/** Out of a side, along a lane clear of all, and into the same side of the other. */
function around(from: Rect, to: Rect, side: Position, { at: lane, rank }: Lane): string {
  const level = isLevel(side);
  const forward = level ? to.x > from.x : to.y > from.y;
  // It leaves nearer to where it goes and arrives nearer to where it came from: the ends of several do not lie on each other. Further out is
  // nearer to the middle, so that it crosses none of those inside.
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
