// Goal: the positions of the cards determine the routes of wires: straight, vertical, or around cards, each in its own lane.

import { describe, expect, test } from "bun:test";
import { Position } from "@xyflow/system";
import { cardAt, type Rect } from "../../../web/screens/blueprint/geometry.ts";
import { lanesOf } from "../../../web/screens/blueprint/lanes.ts";
import { routeOf, routePath, wirePath } from "../../../web/screens/blueprint/routes.ts";

describe("wires", () => {
  test("separates two opposite wires", () => {
    const from = cardAt({ x: 0, y: 0 });
    const to = cardAt({ x: 400, y: 0 });
    const ends = (path: string) => path.match(/-?[\d.]+/g)!.map(Number);
    const there = ends(wirePath(from, to, { reversed: true }));
    const back = ends(wirePath(to, from, { reversed: true }));
    expect([there.slice(0, 2), there.slice(-2)]).toEqual([
      [214, 36],
      [400, 36],
    ]);
    expect([back.slice(0, 2), back.slice(-2)]).toEqual([
      [400, 56],
      [214, 56],
    ]);
    expect(ends(wirePath(from, to)).slice(0, 2)).toEqual([214, 46]);
  });

  test("routes a wire around the cards in between, and the reverse one on the other side; keeps straight ones straight", () => {
    const row = [0, 300, 600].map((x) => cardAt({ x, y: 0 }));
    const [first, middle, last] = row as [Rect, Rect, Rect];
    expect(routeOf(first, last, row)).toEqual({
      leaves: Position.Top,
      arrives: Position.Top,
      passed: [middle],
    });
    expect(routeOf(last, first, row).leaves).toBe(Position.Bottom);
    expect(wirePath(first, last, { others: row })).toBe("M131,0V-16Q131,-28 143,-28H671Q683,-28 683,-16V0");
    expect(wirePath(first, middle, { others: row })).toBe(wirePath(first, middle));
    const column = [0, 200, 400].map((y) => cardAt({ x: 0, y }));
    expect(routeOf(column[0]!, column[2]!, column).leaves).toBe(Position.Right);
    expect(routeOf(column[2]!, column[0]!, column).leaves).toBe(Position.Left);
  });

  test("gives wires that pass as many cards their own lanes, shorter ones inside, without crossings", () => {
    const row = [0, 300, 600, 900].map((x) => cardAt({ x, y: 0 }));
    const between = (id: number, a: number, b: number) => {
      const ends = { from: row[a]!, to: row[b]! };
      return { id, ...ends, route: routeOf(ends.from, ends.to, row) };
    };
    // 0 → 2 and 1 → 3 pass one card each, 0 → 3 two; 2 → 0 runs below.
    const wires = [between(1, 0, 3), between(2, 0, 2), between(3, 1, 3), between(4, 2, 0), between(5, 0, 1)];
    const lanes = lanesOf(wires);
    expect(Object.fromEntries(lanes)).toEqual({
      2: { at: -28, rank: 0 },
      3: { at: -40, rank: 1 },
      1: { at: -52, rank: 2 },
      4: { at: 120, rank: 0 },
    });
    expect(lanesOf(wires.toReversed())).toEqual(lanes);
    const path = (one: (typeof wires)[number]) =>
      routePath(one.from, one.to, one.route, { reversed: false, lane: lanes.get(one.id) });
    expect(path(wires[0]!)).toBe("M117,0V-40Q117,-52 129,-52H985Q997,-52 997,-40V0");
    expect(path(wires[1]!)).toBe("M131,0V-16Q131,-28 143,-28H671Q683,-28 683,-16V0");
  });

  test("keeps lanes that do not run side by side close to the cards", () => {
    const row = [0, 300, 600, 900, 1200, 1500].map((x) => cardAt({ x, y: 0 }));
    const between = (id: number, a: number, b: number) => {
      const ends = { from: row[a]!, to: row[b]! };
      return { id, ...ends, route: routeOf(ends.from, ends.to, row) };
    };
    const lanes = lanesOf([between(1, 0, 2), between(2, 3, 5)]);
    expect([...lanes.values()]).toEqual([
      { at: -28, rank: 0 },
      { at: -28, rank: 0 },
    ]);
  });

  test("routes vertically if the row is blocked, and takes the free side beside the cards", () => {
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
});
