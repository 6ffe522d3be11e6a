// For health: can the spaces be used, and do they take writes? Each that is open is read; of each disk that spaces lie on one is written to.
// The start opens every space, so one that is not open could not be opened: its disk is written to all the same, and nothing tries to open
// it, since that may be much work. Whoever asks for it does.

import { statSync } from "node:fs";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { HealthProblem } from "../../kit/health.ts";
import { probeSpace } from "./space-file.ts";
import type { OpenSpace } from "./open-space.ts";

/** Spaces that could not be opened when somebody last tried. */
export class Unopened {
  readonly #names = new Set<string>();
  readonly #isSpace: (name: string) => boolean;

  /** `isSpace`: one may be removed while somebody waits to open it. */
  constructor(isSpace: (name: string) => boolean) {
    this.#isSpace = isSpace;
  }

  get names(): Iterable<string> {
    return this.#names;
  }

  async opening<T>(name: string, open: () => Promise<T>): Promise<T> {
    try {
      const opened = await open();
      this.#names.delete(name);
      return opened;
    } catch (error) {
      if (this.#isSpace(name)) this.#names.add(name);
      throw error;
    }
  }

  /** The others are served, so this keeps nobody from working. */
  problems(): HealthProblem[] {
    return this.#names.size === 0 ? [] : [{ what: "spaces", reason: "broken" }];
  }
}

/** Raises what the first that does not answer or does not take a write raises. */
export async function proveSpaces(
  open: Iterable<OpenSpace>,
  unopened: Iterable<string>,
  folderOf: (name: string) => string,
): Promise<void> {
  const ofDisks = new Map<number, string | OpenSpace>();
  const stretch = new Stretch();
  for (const name of unopened) {
    const disk = statSync(folderOf(name), { throwIfNoEntry: false })?.dev;
    if (disk !== undefined) ofDisks.set(disk, name);
    if (stretch.isOver()) await turnOfOthers();
  }
  for (const space of open) {
    const { engine, name } = space;
    await engine.log(Math.max(0, engine.head().seq - 1), 1);
    ofDisks.set(statSync(folderOf(name)).dev, space);
    if (stretch.isOver()) await turnOfOthers();
  }
  for (const space of ofDisks.values()) {
    if (typeof space !== "string") await space.engine.metadata.prove();
    await probeSpace(folderOf(typeof space === "string" ? space : space.name));
  }
}
