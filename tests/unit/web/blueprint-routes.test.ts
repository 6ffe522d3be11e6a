// Goal: a wire of the blueprint takes the way on which its direction can be seen: level, else down or up, else beside the cards.

import { expect, test } from "bun:test";
import { Position } from "@xyflow/system";
import { cardAt } from "../../../web/screens/blueprint/geometry.ts";
import { routeOf } from "../../../web/screens/blueprint/routes.ts";

test("where the row is barred, a wire goes down or up; a lane beside the cards is taken on the side that is free", () => {
  const above = cardAt({ x: 0, y: 0 });
  const near = cardAt({ x: -140, y: 180 });
  const far = cardAt({ x: -420, y: 180 });
  expect(routeOf(above, far, [above, near, far])).toEqual({
    leaves: Position.Bottom,
    arrives: Position.Top,
    passed: [],
  });
  expect(routeOf(far, above, [above, near, far]).leaves).toBe(Position.Top);
  const below = cardAt({ x: -140, y: 360 });
  const beside = cardAt({ x: 140, y: 180 });
  expect(routeOf(above, below, [above, near, below])).toMatchObject({
    leaves: Position.Right,
    passed: [near],
  });
  expect(routeOf(above, below, [above, near, beside, far, below])).toMatchObject({ leaves: Position.Left });
});
