// Places the documents of a picture so that linked ones are close to each other and none hides another. Deterministic: the same links give the same
// picture, whoever asks. Runs in a worker.

import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from "d3-force";
import type { Layout, LayoutInput, Placed } from "./layout-job.ts";

const WIDTH = 1_000;
const HEIGHT_MIN = 320;
const HEIGHT_MAX = 760;
/** Room for the labels of the outermost nodes. */
const MARGIN_X = 70;
const MARGIN_Y = 34;
const TICKS = 180;
const LINK_LENGTH = 54;
const REPULSION = -190;
/** Beyond it, nodes do not repel: separate groups stay near each other. */
const REPULSION_REACH = 420;
const GAP = 7;
/** A screen is wider than high. */
const PULL_X = 0.05;
const PULL_Y = 0.09;
/** Few nodes would fill the picture otherwise. */
const SCALE_MAX = 1.6;

const ZOOMS = [1, 2, 4] as const;
/** Of the label's font, at every zoom. */
const CHARACTER_WIDTH = 6.6;
const LINE_HEIGHT = 13;
/** The labels of the first nodes may cover other nodes; those of the rest wait until there is room. */
const ALWAYS_LABELLED = 6;

interface Node extends SimulationNodeDatum {
  readonly radius: number;
}

export function layOut({ radii, labels, edges }: LayoutInput): Layout {
  const nodes: Node[] = radii.map((radius) => ({ radius }));
  const links: SimulationLinkDatum<Node>[] = edges.map(([source, target]) => ({
    source: source!,
    target: target!,
  }));
  forceSimulation(nodes)
    .force("links", forceLink(links).distance(LINK_LENGTH))
    .force("repulsion", forceManyBody().strength(REPULSION).distanceMax(REPULSION_REACH))
    .force("collision", forceCollide<Node>(({ radius }) => radius + GAP).iterations(2))
    .force("x", forceX().strength(PULL_X))
    .force("y", forceY().strength(PULL_Y))
    .stop()
    .tick(TICKS);
  const { width, height, at } = framed(nodes);
  const spots = nodes.map((node) => at(node));
  const froms = labelsFrom(spots, radii, labels);
  return { width, height, nodes: spots.map((spot, index) => ({ ...spot, labelFrom: froms[index]! })) };
}

type Spot = Pick<Placed, "x" | "y">;

/** Fits the nodes into the picture: as wide as a screen, as high as it needs to be. */
function framed(nodes: readonly Node[]) {
  const [left, right] = rangeOf(nodes.map(({ x }) => x!));
  const [top, bottom] = rangeOf(nodes.map(({ y }) => y!));
  const room = { x: WIDTH - 2 * MARGIN_X, y: HEIGHT_MAX - 2 * MARGIN_Y };
  const scale = Math.min(room.x / (right - left || 1), room.y / (bottom - top || 1), SCALE_MAX);
  const height = Math.round(Math.max(HEIGHT_MIN, (bottom - top) * scale + 2 * MARGIN_Y));
  const at = ({ x, y }: Node): Spot => ({
    x: Math.round(WIDTH / 2 + (x! - (left + right) / 2) * scale),
    y: Math.round(height / 2 + (y! - (top + bottom) / 2) * scale),
  });
  return { width: WIDTH, height, at };
}

function rangeOf(values: readonly number[]): readonly [number, number] {
  return values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Labels keep their size when a person zooms in, so there is room for more of them. A label that is shown stays. */
function labelsFrom(
  spots: readonly Spot[],
  radii: readonly number[],
  labels: readonly number[],
): readonly number[] {
  const froms = spots.map(() => 0);
  for (const zoom of ZOOMS) {
    const taken: Box[] = [];
    const boxOf = (node: number): Box => {
      const half = (labels[node]! * CHARACTER_WIDTH) / 2;
      const x = spots[node]!.x * zoom;
      const top = spots[node]!.y * zoom + radii[node]!;
      return { left: x - half, right: x + half, top, bottom: top + LINE_HEIGHT };
    };
    for (const [node, from] of froms.entries()) if (from > 0) taken.push(boxOf(node));
    const circles = spots.map(({ x, y }, node) => circleBox(x * zoom, y * zoom, radii[node]!));
    for (const node of spots.keys()) {
      if (froms[node]! > 0) continue;
      const box = boxOf(node);
      const isCrowded = node >= ALWAYS_LABELLED && circles.some((circle) => overlaps(box, circle));
      if (isCrowded || taken.some((other) => overlaps(box, other))) continue;
      taken.push(box);
      froms[node] = zoom;
    }
  }
  return froms;
}

/** A little smaller than the circle, because a label begins at its edge. */
function circleBox(x: number, y: number, radius: number): Box {
  const reach = radius - 1;
  return { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
