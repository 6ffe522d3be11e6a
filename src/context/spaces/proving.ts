// The health check of the spaces: reads every open space, and writes to one space on each disk. Startup opens every space, so a space that is not
// open failed to open. The check still writes to its disk, but does not try to open it, because that may take long; the next request for the
// space does.

import { statSync } from "node:fs";
import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import type { HealthProblem } from "../../kit/health.ts";
import type { Caller } from "../identity/caller.ts";
import { probeSpace } from "./space-file.ts";
import type { OpenSpace } from "./open-space.ts";

/** Tracks the spaces whose last attempt to open failed. */
export class Unopened {
  readonly #names = new Set<string>();
  readonly #isSpace: (name: string) => boolean;

  /** `isSpace`: a space may be removed while a caller waits to open it. */
  constructor(isSpace: (name: string) => boolean) {
    this.#isSpace = isSpace;
  }

  get names(): Iterable<string> {
    return this.#names;
  }

  /** Sorted. */
  seenBy({ rights }: Caller): string[] {
    return [...this.#names].filter((name) => rights.sees(name)).sort();
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

  /** Reported as a problem; the other spaces still work. */
  problems(): HealthProblem[] {
    return this.#names.size === 0 ? [] : [{ what: "spaces", reason: "broken" }];
  }
}

/** Raises the error of the first space that cannot be read or written. */
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
