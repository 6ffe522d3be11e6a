// Geometry of the canvas: cards, the sides where wires start and end, and the nearest card in a direction. Pure; all values are in
// canvas units.

import { getBezierPath, Position } from "@xyflow/system";
import type { Point } from "../../parts/editing/history.ts";

export type { Point };

export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

/** Must equal the sizes in card.css and pill.css. */
export const CARD_WIDTH = 214;
export const CARD_HEIGHT = 92;
/** Two cards with less horizontal space between them count as stacked. */
const SIDEWAYS_GAP_MIN = 40;
/** Maximum ratio of a neighbour's offset across the direction to its offset along it. */
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

/** The bounding box; undefined for an empty list. */
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

/** The side of `from` where a wire to `to` starts; it ends on the opposite side. */
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

/** The centre of a side, moved along it by `shift`. */
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

export type Direction = "left" | "right" | "up" | "down";

/** The nearest card in this direction; undefined at the edge. */
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

/** The shift that brings a rectangle (in pixels) into view; zero if it is visible. */
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
