// Where a new agent is put when nobody said: the next free place below the orchestrator, so that cards never overlap.

import type { Position } from "./schema.ts";

const COLUMN_WIDTH = 280;
const ROW_HEIGHT = 180;
export function emptySpot(taken: readonly Position[]): Position {
  for (const spot of spots()) if (!taken.some((other) => overlaps(spot, other))) return spot;
  throw new Error("unreachable: there is always a further place");
}

/**
 * Rows of four at first, and wider and deeper at once when these are full, so that many agents make no tower. In a row from the middle
 * outwards: the first two stand on both sides below the orchestrator.
 */
function* spots(): Generator<Position> {
  for (let size = 1; ; size++) {
    for (let row = 1; row <= 2 * size; row++)
      for (let column = 0; column <= size; column++) {
        const isOfSmaller = row <= 2 * (size - 1) && column < size;
        if (isOfSmaller) continue;
        const x = (column + 0.5) * COLUMN_WIDTH;
        const y = row * ROW_HEIGHT;
        yield { x: -x, y };
        yield { x, y };
      }
  }
}

function overlaps(a: Position, b: Position): boolean {
  return Math.abs(a.x - b.x) < COLUMN_WIDTH && Math.abs(a.y - b.y) < ROW_HEIGHT;
}
