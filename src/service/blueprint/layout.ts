// Where a new agent is put when nobody said: the next free place in rows below the orchestrator, so that cards never overlap.

import type { Position } from "./schema.ts";

const COLUMN_WIDTH = 280;
const ROW_HEIGHT = 180;
/** From the middle outwards, in widths of a column: the first two stand on both sides below the orchestrator. */
const COLUMNS = [-0.5, 0.5, -1.5, 1.5];

export function emptySpot(taken: readonly Position[]): Position {
  for (let index = 0; ; index++) {
    const row = Math.floor(index / COLUMNS.length) + 1;
    const spot = { x: COLUMNS[index % COLUMNS.length]! * COLUMN_WIDTH, y: row * ROW_HEIGHT };
    if (!taken.some((other) => overlaps(spot, other))) return spot;
  }
}

function overlaps(a: Position, b: Position): boolean {
  return Math.abs(a.x - b.x) < COLUMN_WIDTH && Math.abs(a.y - b.y) < ROW_HEIGHT;
}
