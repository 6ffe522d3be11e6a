// Keeps the graphs of the spaces that were asked for last. A graph includes every change committed before the question. Edits made by hand on disk
// are looked for again after a short time, because looking touches every file of the space; a server does not let a caller wait for it.

import type { Clock } from "../../kit/clock.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type { FileEngine, Head, Outline, Outlines } from "../versioned-store/engine.ts";
import { found, merged } from "../versioned-store/outlines.ts";
import { LinkGraph, type Sight } from "./link-graph.ts";

/** Files and links together, about 100 bytes each. The graph asked for last always stays. */
const KEPT_MAX = 1_000_000;

/** The readers with rules whose graphs of one space are kept. */
const VIEWS_MAX = 4;

/** All files of a space as they are now, and their graph for a reader who sees everything. */
interface Whole {
  readonly head: Head;
  graph(): Promise<LinkGraph>;
  /** The graph for a reader who does not see everything. `reader`: the same object means the same sight. */
  graphFor(reader: object, sight: Sight): Promise<LinkGraph>;
}

interface Edit {
  readonly outline: Outline;
  /** The recorded outline when the edit was seen. Once it differs, the edit has been recorded or undone. */
  readonly instead: Outline | undefined;
}

interface Kept {
  readonly outlines: Outlines;
  readonly edits: ReadonlyMap<DocumentPath, Edit>;
  /** On the monotonic clock. */
  readonly editsSeen: number;
  readonly whole: Whole & { readonly files: readonly Outline[] };
}

interface RecentGraphsOptions {
  readonly clock: Clock;
  /** How long after a look at all files nobody looks again. */
  readonly editsTrustedMs: number;
  /** Runs work that no caller waits for. Undefined: a caller waits for each look. */
  readonly later?: ((work: () => Promise<void>) => void) | undefined;
}

export class RecentGraphs {
  readonly #clock: Clock;
  readonly #editsTrustedMs: number;
  readonly #later: RecentGraphsOptions["later"];
  /** The one asked for last comes last. */
  readonly #kept = new Map<FileEngine, Kept>();
  readonly #looking = new Set<FileEngine>();
  readonly #running = new Map<FileEngine, Turns>();

  constructor({ clock, editsTrustedMs, later }: RecentGraphsOptions) {
    this.#clock = clock;
    this.#editsTrustedMs = editsTrustedMs;
    this.#later = later;
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
    const outlines = await engine.outlines(this.#kept.get(engine)?.outlines);
    const kept = this.#kept.get(engine);
    const now = this.#clock.elapsed();
    const isDue = kept === undefined || now - kept.editsSeen >= this.#editsTrustedMs;
    if (kept === undefined || (isDue && this.#later === undefined))
      return this.#keep(engine, { outlines, edits: await seen(engine, outlines), editsSeen: now });
    const whole = this.#keep(engine, { ...kept, outlines, edits: still(kept.edits, outlines) });
    if (isDue && !this.#looking.has(engine)) this.#later?.(() => this.#lookAgain(engine, outlines));
    return whole;
  }

  /** Nobody waits for it: the next question has what it finds. */
  async #lookAgain(engine: FileEngine, outlines: Outlines): Promise<void> {
    this.#looking.add(engine);
    try {
      const editsSeen = this.#clock.elapsed();
      const edits = await seen(engine, outlines);
      const kept = this.#kept.get(engine);
      if (kept) this.#keep(engine, { ...kept, edits: still(edits, kept.outlines), editsSeen });
    } finally {
      this.#looking.delete(engine);
    }
  }

  #keep(engine: FileEngine, current: Omit<Kept, "whole">): Whole {
    const before = this.#kept.get(engine);
    const isSame = before?.outlines === current.outlines && isSameEdits(before.edits, current.edits);
    const kept = { ...current, whole: isSame ? before.whole : wholeOf(current.outlines, current.edits) };
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

/** Edits that were seen again as they were are other objects. */
function isSameEdits(one: Kept["edits"], other: Kept["edits"]): boolean {
  if (one === other) return true;
  return (
    one.size === other.size &&
    [...other].every(([path, { outline }]) => Bun.deepEquals(one.get(path)?.outline, outline))
  );
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
