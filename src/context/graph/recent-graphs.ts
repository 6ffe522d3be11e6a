// Keeps the graphs of the spaces that were asked for last. A graph includes every change committed before the question. Edits made by hand on disk
// are looked for again after a short time, because looking touches every file of the space.

import type { Clock } from "../../kit/clock.ts";
import type { DocumentPath } from "../../kit/paths.ts";
import type { FileEngine, Head, Outline, Outlines } from "../versioned-store/engine.ts";
import { found, merged } from "../versioned-store/outlines.ts";
import { LinkGraph, type Sight } from "./link-graph.ts";

/** Files and links together, about 100 bytes each. The graph asked for last always stays. */
const KEPT_MAX = 1_000_000;

/** The readers with rules whose graphs of one space are kept. */
const VIEWS_MAX = 4;

/** All files of a space as they are now, and their graph for a reader who sees everything. */
export interface Whole {
  readonly head: Head;
  graph(): Promise<LinkGraph>;
  /** The graph for a reader who does not see everything. `reader`: the same object means the same sight. */
  graphFor(reader: object, sight: Sight): Promise<LinkGraph>;
}

interface Edit {
  readonly outline: Outline;
  /** What was recorded when the edit was seen. If something else is now, the edit is recorded, too, or undone. */
  readonly instead: Outline | undefined;
}

interface Kept {
  readonly outlines: Outlines;
  readonly edits: ReadonlyMap<DocumentPath, Edit>;
  /** On the monotonic clock. */
  readonly editsSeen: number;
  readonly whole: Whole & { readonly files: readonly Outline[] };
}

export class RecentGraphs {
  readonly #clock: Clock;
  readonly #editsTrustedMs: number;
  /** The one asked for last comes last. */
  readonly #kept = new Map<FileEngine, Kept>();
  readonly #running = new Map<FileEngine, Turns>();

  /** `editsTrustedMs`: how long after a look at all files nobody looks again. */
  constructor(clock: Clock, editsTrustedMs: number) {
    this.#clock = clock;
    this.#editsTrustedMs = editsTrustedMs;
  }

  of(engine: FileEngine): Promise<Whole> {
    let turns = this.#running.get(engine);
    if (!turns) {
      turns = new Turns(() => this.#current(engine));
      this.#running.set(engine, turns);
    }
    return turns.next(() => this.#running.delete(engine));
  }

  async #current(engine: FileEngine): Promise<Whole> {
    const kept = this.#kept.get(engine);
    const outlines = await engine.outlines(kept?.outlines);
    const now = this.#clock.elapsed();
    const isTrusted = kept !== undefined && now - kept.editsSeen < this.#editsTrustedMs;
    if (isTrusted && kept.outlines === outlines) return this.#keep(engine, kept);
    const edits = isTrusted ? still(kept.edits, outlines) : await seen(engine, outlines);
    const isSame = kept?.outlines === outlines && edits.size === 0 && kept.edits.size === 0;
    const whole = isSame ? kept.whole : wholeOf(outlines, edits);
    const editsSeen = isTrusted ? kept.editsSeen : now;
    return this.#keep(engine, { outlines, edits, editsSeen, whole });
  }

  #keep(engine: FileEngine, kept: Kept): Whole {
    this.#kept.delete(engine);
    this.#kept.set(engine, kept);
    let size = 0;
    for (const [other, { whole }] of [...this.#kept].toReversed()) {
      size += sizeOf(whole.files);
      if (size > KEPT_MAX && other !== engine) this.#kept.delete(other);
    }
    return kept.whole;
  }
}

async function seen(engine: FileEngine, outlines: Outlines): Promise<Kept["edits"]> {
  const edited = await engine.editedOutlines();
  return new Map(
    [...edited].map(([path, outline]) => [path, { outline, instead: found(outlines.files, path) }]),
  );
}

function still(edits: Kept["edits"], { files }: Outlines): Kept["edits"] {
  return new Map([...edits].filter(([path, { instead }]) => found(files, path) === instead));
}

function wholeOf({ head, files: recorded }: Outlines, edits: Kept["edits"]): Kept["whole"] {
  const files = merged(recorded, new Map([...edits].map(([path, { outline }]) => [path, outline])));
  let graph: Promise<LinkGraph> | undefined;
  const views = new Map<object, Promise<LinkGraph>>();
  return {
    head,
    files,
    graph: () => (graph ??= LinkGraph.of(files)),
    graphFor(reader, sight) {
      const view = views.get(reader) ?? LinkGraph.of(files, sight);
      views.delete(reader);
      views.set(reader, view);
      if (views.size > VIEWS_MAX) views.delete(views.keys().next().value!);
      return view;
    },
  };
}

const sizes = new WeakMap<readonly Outline[], number>();

function sizeOf(files: readonly Outline[]): number {
  let size = sizes.get(files);
  if (size === undefined) {
    size = files.reduce((sum, { links }) => sum + links.length, files.length);
    sizes.set(files, size);
  }
  return size;
}

/** Callers who come while one is served share the next turn, which begins after they came. */
class Turns {
  readonly #run: () => Promise<Whole>;
  #now: Promise<unknown> | undefined;
  #next: Promise<Whole> | undefined;

  constructor(run: () => Promise<Whole>) {
    this.#run = run;
  }

  next(idle: () => void): Promise<Whole> {
    if (!this.#now) return this.#begin(idle);
    return (this.#next ??= this.#now.then(() => {
      this.#next = undefined;
      return this.#begin(idle);
    }));
  }

  #begin(idle: () => void): Promise<Whole> {
    const turn = this.#run();
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (this.#now !== ended) return;
        this.#now = undefined;
        if (!this.#next) idle();
      });
    this.#now = ended;
    return turn;
  }
}
