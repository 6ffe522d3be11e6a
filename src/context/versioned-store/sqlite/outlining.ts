// Reads the links and the front matter of all documents at once. A reading of the links can be kept current: later only the files that have
// changed are read again.

import { Stretch, turnOfOthers } from "../../../kit/clock.ts";
import { sortedInTurns } from "../../../kit/concurrency/sort-in-turns.ts";
import { isBefore, merged } from "../outlines.ts";
import { AppError } from "../../../kit/error.ts";
import { pagesOf } from "../../../kit/storage/pages.ts";
import type { DocumentPath } from "../../../kit/text/paths.ts";
import { DOCUMENT_BYTES_MAX } from "../document-files.ts";
import type { Declaration, EditedOutline, EditedOutlines, Outline, Outlines } from "../engine.ts";
import { LINKS_PER_SPACE_MAX, tooManyLinks, type Link } from "../links.ts";
import { derivedOf, type Derived } from "./documents.ts";
import { unpackedLinks } from "./link-lists.ts";
import type { Mirror } from "./mirror.ts";
import type { Reading } from "./reading.ts";
import type { SpaceStore } from "./store.ts";
import type { TreeFile } from "./tree-file.ts";

/** The rows read between two yields: about 2 ms of work. */
const ROWS_PER_STRETCH = 2_000;
/** About 5 ms of work. */
const LINKS_PER_STRETCH = 5_000;
/** Writers may change files meanwhile. Those that change during the last round are not in the reading yet. */
const ROUNDS_MAX = 3;
const NO_LINKS: readonly Link[] = [];

export class Outlining {
  readonly #store: SpaceStore;
  readonly #mirror: Mirror;

  readonly #reader: Pick<Reading, "recall">;

  constructor(store: SpaceStore, mirror: Mirror, reader: Pick<Reading, "recall">) {
    this.#store = store;
    this.#mirror = mirror;
    this.#reader = reader;
  }

  /** Contains every change committed before the call. Returns `before` itself if there is none since. Pauses. */
  async outlines(before?: Outlines): Promise<Outlines> {
    const { epoch, seq } = this.#store.space.get()!;
    let outlines = before?.head.epoch === epoch ? before : { head: { epoch, seq }, files: await this.#all() };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const now = this.#store.space.get()!.seq;
      if (now === outlines.head.seq) break;
      const changed = await this.#changedSince(outlines.head.seq);
      outlines = { head: { epoch, seq: now }, files: merged(outlines.files, changed) };
    }
    return outlines;
  }

  /** Pauses. A file too large to be a document, or one that cannot be read, has no links. */
  async edited(): Promise<EditedOutlines> {
    await this.#reader.recall();
    await this.#mirror.following.settled();
    const live = await this.#liveHashes();
    const edited = new Map<DocumentPath, EditedOutline>();
    const stretch = new Stretch();
    for (const entry of await this.#mirror.entries()) {
      const mayDiffer = !("refused" in entry) && live.get(entry.path) !== entry.hash;
      const outline = mayDiffer ? this.#editOf(entry) : undefined;
      if (outline) edited.set(outline.path, outline);
      if (stretch.isOver()) await turnOfOthers();
    }
    return edited;
  }

  async #liveHashes(): Promise<ReadonlyMap<string, string>> {
    const hashes = new Map<string, string>();
    for (const rows of stretchesOf(this.#store.liveHashes)) {
      for (const [, path, hash] of rows) hashes.set(path, hash);
      await turnOfOthers();
    }
    return hashes;
  }

  /** See `FileEngine.outline`. */
  outline(path: DocumentPath): Outline | undefined {
    const copy = this.#mirror.look(path);
    const edit = copy && this.#editOf(copy);
    if (edit) return { path, version: edit.version, links: edit.links };
    const row = this.#store.file.get(path);
    return row && row.live !== null ? { path, version: row.live, links: this.#linksOf(row.id) } : undefined;
  }

  #editOf(copy: TreeFile): EditedOutline | undefined {
    const { path, modified: written } = copy;
    const row = this.#store.file.get(path);
    const state = this.#mirror.trusting.stateOf(row, copy);
    if (state === undefined || state === "live" || state === "missing") return undefined;
    const { links = NO_LINKS, fields } = this.#derivedOnDisk(copy) ?? {};
    return { path, version: row?.live ?? null, links, written, ...(fields !== undefined && { fields }) };
  }

  #derivedOnDisk({ path, size }: TreeFile): Derived | undefined {
    if (size > DOCUMENT_BYTES_MAX) return undefined;
    try {
      const read = this.#mirror.read(path);
      return read && derivedOf(path, read.bytes);
    } catch (error) {
      // Removed, locked or grown meanwhile.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  /** Pauses. */
  async declarations(): Promise<Declaration[]> {
    const declarations: Declaration[] = [];
    for (const rows of stretchesOf(this.#store.declarations)) {
      for (const [, path, fields, written] of rows)
        if (fields !== null)
          declarations.push({
            path: path as DocumentPath,
            fields: JSON.parse(fields) as Declaration["fields"],
            written,
          });
      await turnOfOthers();
    }
    return sortedInTurns(declarations, isBefore);
  }

  async #all(): Promise<readonly Outline[]> {
    const linked = await this.#allLinks();
    const files: Outline[] = [];
    for (const rows of stretchesOf(this.#store.liveNames)) {
      for (const [id, path, version] of rows)
        files.push({ path: path as DocumentPath, version, links: linked.get(id) ?? NO_LINKS });
      await turnOfOthers();
    }
    return sortedInTurns(files, isBefore);
  }

  async #allLinks(): Promise<ReadonlyMap<number, readonly Link[]>> {
    const linked = new Map<number, readonly Link[]>();
    let total = 0;
    for (const counts of stretchesOf(this.#store.linkCounts)) {
      for (const [, count] of counts) total += count;
      if (total > LINKS_PER_SPACE_MAX) throw tooManyLinks();
      for (const [first, last] of portionsOf(counts)) {
        for (const [id, links] of this.#store.linksBetween.values(first, last))
          linked.set(id, unpackedLinks(links));
        await turnOfOthers();
      }
    }
    return linked;
  }

  /** By path; null: the file is deleted. */
  async #changedSince(seq: number): Promise<Map<DocumentPath, Outline | null>> {
    const changed = new Map<DocumentPath, Outline | null>();
    const stretch = new Stretch();
    for (const { id } of this.#store.idsChangedSince.all(seq)) {
      const row = this.#store.fileById.get(id)!;
      const path = row.path as DocumentPath;
      changed.set(path, row.live === null ? null : { path, version: row.live, links: this.#linksOf(id) });
      if (stretch.isOver()) await turnOfOthers();
    }
    return changed;
  }

  #linksOf(file: number): readonly Link[] {
    const row = this.#store.linksOf.values(file)[0];
    return row ? unpackedLinks(row[0]) : NO_LINKS;
  }
}

/** The rows of a query by file id, in pages that are read in one stretch. */
function stretchesOf<Row extends readonly [id: number, ...unknown[]]>(query: {
  values(after: number, limit: number): Row[];
}): Generator<Row[], void> {
  return pagesOf(
    (after) => query.values(after, ROWS_PER_STRETCH),
    ([id]) => id,
    0,
    ROWS_PER_STRETCH,
  );
}

/** Splits documents, by the first and last id, into portions that are read in one stretch: of this many links, or one document. */
function* portionsOf(counts: readonly [file: number, count: number][]): Generator<[number, number]> {
  let first = counts[0]?.[0];
  if (first === undefined) return;
  let last = first;
  let links = 0;
  for (const [id, count] of counts) {
    if (links > 0 && links + count > LINKS_PER_STRETCH) {
      yield [first, last];
      [first, links] = [id, 0];
    }
    last = id;
    links += count;
  }
  yield [first, last];
}
