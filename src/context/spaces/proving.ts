// For health: do the spaces take writes? Each that is open is read; of each disk that they lie on one space is written to.

import { statSync } from "node:fs";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { probeSpace } from "./space-file.ts";
import type { OpenSpace } from "./open-space.ts";

/** Raises what the first that does not answer or does not take a write raises. */
export async function proveSpaces(
  open: Iterable<OpenSpace>,
  folderOf: (space: OpenSpace) => string,
): Promise<void> {
  const ofDisks = new Map<number, OpenSpace>();
  const stretch = new Stretch();
  for (const space of open) {
    const { engine } = space;
    await engine.log(Math.max(0, engine.head().seq - 1), 1);
    ofDisks.set(statSync(folderOf(space)).dev, space);
    if (stretch.isOver()) await turnOfOthers();
  }
  for (const space of ofDisks.values()) {
    await space.engine.metadata.prove();
    await probeSpace(folderOf(space));
  }
}
