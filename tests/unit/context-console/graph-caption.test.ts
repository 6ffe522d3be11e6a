// Goal: the caption of a picture of links counts what it leaves out, also a single document.

import { expect, test } from "bun:test";
import { renderToString } from "preact-render-to-string";
import { GraphBody } from "../../../src/context/console/pages/graph.tsx";
import type { PictureNode } from "../../../src/context/graph/pictures.ts";

const node = (path: string): PictureNode => ({
  path,
  links: 1,
  linked: 1,
  broken: 0,
  label: path,
  size: 0,
  radius: 4,
  x: 0,
  y: 0,
  labelFrom: 0,
});

function caption(leftOut: number): string | undefined {
  const page = renderToString(
    GraphBody({
      space: "team",
      totals: { documents: 2 + leftOut, links: 2, broken: 0, orphans: 0 },
      picture: { width: 100, height: 100, nodes: [node("a.md"), node("b.md")], edges: [], leftOut },
      list: "linked",
      offset: 0,
      rows: {},
      look: undefined,
    }),
  );
  return /<figcaption[^>]*>(.*?)<\/figcaption>/s.exec(page)?.[1];
}

test("counts the documents that are left out", () => {
  const most = "The 2 most linked documents;";
  expect([0, 1, 1_200].map(caption)).toEqual([
    "All 2 documents. Larger: more links.",
    `${most} 1 other is left out. Larger: more links.`,
    `${most} 1,200 others are left out. Larger: more links.`,
  ]);
});
