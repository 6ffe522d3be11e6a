// Places a new agent that has no position: at the next free spot below the orchestrator, so that cards never overlap.

import type { Position } from "./schema.ts";

const COLUMN_WIDTH = 280;
const ROW_HEIGHT = 180;
export function emptySpot(taken: readonly Position[]): Position {
  for (const spot of spots()) if (!taken.some((other) => overlaps(spot, other))) return spot;
  throw new Error("unreachable: spots are unlimited");
}

/**
 * Yields rows of four at first, and wider and deeper ones when those are full, so that many agents do not form a tower. Each row goes from the
 * middle outwards: the first two spots are left and right below the orchestrator.
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
