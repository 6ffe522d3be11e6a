// The edges of an element on the screen. A page is drawn anew at any moment: compare edges within `eventually`.

import type { Locator } from "playwright-core";

interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** In CSS pixels of the viewport. Waits for the element; raises if it is not drawn. */
export async function edgesOf(element: Locator): Promise<Edges> {
  const { x: left, y: top, width, height } = (await element.boundingBox())!;
  return { left, top, right: left + width, bottom: top + height, width, height };
}
