// Goal: a new agent is placed near the orchestrator without covering another, and many agents form a compact shape.

import { expect, test } from "bun:test";
import { emptySpot } from "../../../src/service/blueprint/layout.ts";
import type { Position } from "../../../src/service/blueprint/schema.ts";

function placed(count: number): Position[] {
  const taken: Position[] = [{ x: 0, y: 0 }];
  for (let made = 0; made < count; made++) taken.push(emptySpot(taken));
  return taken.slice(1);
}

test("places the first agents left and right below the orchestrator, four in a row", () => {
  expect(placed(6)).toEqual([
    { x: -140, y: 180 },
    { x: 140, y: 180 },
    { x: -420, y: 180 },
    { x: 420, y: 180 },
    { x: -140, y: 360 },
    { x: 140, y: 360 },
  ]);
});

test("arranges 200 agents about as wide as deep, without overlaps", () => {
  const all = placed(200);
  const width = Math.max(...all.map(({ x }) => x)) - Math.min(...all.map(({ x }) => x));
  const depth = Math.max(...all.map(({ y }) => y));
  expect([width, depth]).toEqual([4200, 2340]);
  const covered = all.filter((one, index) =>
    all.slice(index + 1).some((other) => Math.abs(one.x - other.x) < 280 && Math.abs(one.y - other.y) < 180),
  );
  expect(covered).toEqual([]);
});

test("skips taken spots and reuses freed ones first", () => {
  const taken = [
    { x: 0, y: 0 },
    { x: -100, y: 200 },
    { x: 300, y: 180 },
  ];
  expect(emptySpot(taken)).toEqual({ x: -420, y: 180 });
  expect(
    emptySpot([
      { x: 0, y: 0 },
      { x: 140, y: 180 },
    ]),
  ).toEqual({ x: -140, y: 180 });
});
