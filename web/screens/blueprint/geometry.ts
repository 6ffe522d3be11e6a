// Where things stand on the canvas: cards, the sides on which wires leave and arrive, and who is next in a direction. Pure: canvas units
// in, canvas units out; nothing here knows the screen.

import { getBezierPath, Position } from "@xyflow/system";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

/** The same in blueprint.css. */
export const CARD_WIDTH = 214;
export const CARD_HEIGHT = 92;
/** With less room between them sideways, two cards count as one above the other. */
const SIDEWAYS_GAP_MIN = 40;
/** How far two wires that run against each other keep apart from the middle. */
const REVERSE_SHIFT = 10;
/** A wire that goes around: its lane from the cards, more for each card passed, its corners, its ports from the middle of a side. */
const LANE_DISTANCE = 28;
const LANE_STEP = 12;
const LANE_CORNER = 12;
const LANE_PORT = 24;
const CURVE_STEPS = 24;
/** A neighbour may be so many times further off the direction than along it. */
const CONE = 2;

export function cardAt({ x, y }: Point): Rect {
  return { x, y, width: CARD_WIDTH, height: CARD_HEIGHT };
}

export function centreOf({ x, y, width, height }: Rect): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

export function sameRect(a: Rect | undefined, b: Rect | undefined): boolean {
  return a?.x === b?.x && a?.y === b?.y && a?.width === b?.width && a?.height === b?.height;
}

/** The smallest that holds all; undefined of nothing. */
export function boundsOf(rects: readonly Rect[]): Rect | undefined {
  if (rects.length === 0) return undefined;
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  for (const { x, y, width, height } of rects) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export function overlap(a: Rect, b: Rect): number {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

export function inflated({ x, y, width, height }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** On which side a wire leaves `from` towards `to`; it arrives on the opposite one. */
export function sideTowards(from: Rect, to: Rect): Position {
  const a = centreOf(from);
  const b = centreOf(to);
  const sideways = Math.max(to.x - (from.x + from.width), from.x - (to.x + to.width));
  const upwards = Math.max(to.y - (from.y + from.height), from.y - (to.y + to.height));
  if (sideways < SIDEWAYS_GAP_MIN && upwards > 0) return b.y >= a.y ? Position.Bottom : Position.Top;
  return b.x >= a.x ? Position.Right : Position.Left;
}

export const OPPOSITE: Readonly<Record<Position, Position>> = {
  [Position.Left]: Position.Right,
  [Position.Right]: Position.Left,
  [Position.Top]: Position.Bottom,
  [Position.Bottom]: Position.Top,
};

/** The middle of a side, moved along it by `shift`. */
export function portOf({ x, y, width, height }: Rect, side: Position, shift = 0): Point {
  switch (side) {
    case Position.Left:
      return { x, y: y + height / 2 + shift };
    case Position.Right:
      return { x: x + width, y: y + height / 2 + shift };
    case Position.Top:
      return { x: x + width / 2 + shift, y };
    case Position.Bottom:
      return { x: x + width / 2 + shift, y: y + height };
  }
}

export function curve(source: Point, leaves: Position, target: Point, arrives: Position): string {
  const [path] = getBezierPath({
    sourceX: source.x,
    sourceY: source.y,
    sourcePosition: leaves,
    targetX: target.x,
    targetY: target.y,
    targetPosition: arrives,
  });
  return path;
}

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
  const barred = (by: Position) => cards.some((card) => touches(card, laneOf(from, to, by, passed)));
  const taken = barred(besides) && !barred(OPPOSITE[besides]) ? OPPOSITE[besides] : besides;
  return { leaves: taken, arrives: taken, passed };
}

/** The long part of a wire that goes around: a line clear of its own two cards and of those that it passes. */
function laneOf(from: Rect, to: Rect, side: Position, passed: readonly Rect[]): Rect {
  const bounds = boundsOf([from, to, ...passed])!;
  const away = LANE_DISTANCE + (passed.length - 1) * LANE_STEP;
  const a = centreOf(from);
  const b = centreOf(to);
  const left = Math.min(a.x, b.x);
  const top = Math.min(a.y, b.y);
  switch (side) {
    case Position.Top:
      return { x: left, y: bounds.y - away, width: Math.abs(a.x - b.x), height: 0 };
    case Position.Bottom:
      return { x: left, y: bounds.y + bounds.height + away, width: Math.abs(a.x - b.x), height: 0 };
    case Position.Left:
      return { x: bounds.x - away, y: top, width: 0, height: Math.abs(a.y - b.y) };
    case Position.Right:
      return { x: bounds.x + bounds.width + away, y: top, width: 0, height: Math.abs(a.y - b.y) };
  }
}

/** The cards under the curve that leaves by this side. */
function barredBy(from: Rect, to: Rect, side: Position, cards: readonly Rect[]): Rect[] {
  const sideways = side === Position.Left || side === Position.Right;
  const a = portOf(from, side);
  const b = portOf(to, OPPOSITE[side]);
  const between = boundsOf([
    { ...a, width: 0, height: 0 },
    { ...b, width: 0, height: 0 },
  ])!;
  return cards.filter((card) => touches(card, between) && onCurve(card, a, b, sideways));
}

/** For a wire that would leave sideways: down or up, when there is room between the two cards. */
function levelSideTowards(from: Rect, to: Rect, side: Position): Position | undefined {
  if (side === Position.Top || side === Position.Bottom) return undefined;
  if (to.y - (from.y + from.height) > 0) return Position.Bottom;
  return from.y - (to.y + to.height) > 0 ? Position.Top : undefined;
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

/** `reversed`: there is a wire the other way too, so both keep apart. `others`: cards, among which its own two may be. */
export function wirePath(from: Rect, to: Rect, reversed: boolean, others: Iterable<Rect> = []): string {
  const { leaves, arrives, passed } = routeOf(from, to, others);
  if (passed.length > 0) return around(from, to, leaves, passed);
  // Each of the two is the first one for itself: the sign comes from the direction, not from the order.
  const forward = leaves === Position.Right || leaves === Position.Bottom;
  const shift = reversed ? (forward ? -REVERSE_SHIFT : REVERSE_SHIFT) : 0;
  return curve(portOf(from, leaves, shift), leaves, portOf(to, arrives, shift), arrives);
}

/** Out of a side, along a lane clear of all, and into the same side of the other. The more it passes, the further out is its lane. */
function around(from: Rect, to: Rect, side: Position, passed: readonly Rect[]): string {
  const line = laneOf(from, to, side, passed);
  const level = side === Position.Top || side === Position.Bottom;
  const forward = level ? to.x > from.x : to.y > from.y;
  // It leaves nearer to where it goes and arrives nearer to where it came from: the ends of several do not lie on each other.
  const shift = forward ? LANE_PORT : -LANE_PORT;
  const start = portOf(from, side, shift);
  const end = portOf(to, side, -shift);
  const turn = forward ? LANE_CORNER : -LANE_CORNER;
  if (level) {
    const lane = line.y;
    const back = side === Position.Top ? LANE_CORNER : -LANE_CORNER;
    return `M${start.x},${start.y}V${lane + back}Q${start.x},${lane} ${start.x + turn},${lane}H${end.x - turn}Q${end.x},${lane} ${end.x},${lane + back}V${end.y}`;
  }
  const lane = line.x;
  const back = side === Position.Left ? LANE_CORNER : -LANE_CORNER;
  return `M${start.x},${start.y}H${lane + back}Q${lane},${start.y} ${lane},${start.y + turn}V${end.y - turn}Q${lane},${end.y} ${lane + back},${end.y}H${end.x}`;
}

export type Direction = "left" | "right" | "up" | "down";

/** The nearest card that lies in this direction; undefined at the edge. */
export function neighbourOf(
  id: number,
  direction: Direction,
  cards: ReadonlyMap<number, Rect>,
): number | undefined {
  const own = cards.get(id);
  if (!own) return undefined;
  const from = centreOf(own);
  let best: { id: number; distance: number } | undefined;
  for (const [other, rect] of cards) {
    if (other === id) continue;
    const to = centreOf(rect);
    const dx = to.x - from.x;
    const dy = to.y - from.y;
    const along = { left: -dx, right: dx, up: -dy, down: dy }[direction];
    const off = Math.abs(direction === "left" || direction === "right" ? dy : dx);
    if (along <= 0 || off > along * CONE) continue;
    const distance = along + CONE * off;
    if (!best || distance < best.distance) best = { id: other, distance };
  }
  return best?.id;
}

/** How the view has to move so that the rectangle (in its pixels) stands inside; zero when it does already. */
export function panInto(rect: Rect, view: { width: number; height: number }, margin: number): Point {
  return {
    x: panAlong(rect.x, rect.width, view.width, margin),
    y: panAlong(rect.y, rect.height, view.height, margin),
  };
}

function panAlong(start: number, size: number, room: number, margin: number): number {
  if (size + 2 * margin > room || start < margin) return start < margin || start > room ? margin - start : 0;
  const over = start + size + margin - room;
  return over > 0 ? -over : 0;
}
