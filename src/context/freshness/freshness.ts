// The rules of freshness: which documents of a space are stale, as far as a caller may read them. Includes edits by hand that are not recorded yet.

import { rfc3339, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { filteredInTurns } from "../../kit/concurrency/filter-in-turns.ts";
import { inPages, type Listing } from "../../kit/http/list-answer.ts";
import type { Caller } from "../identity/caller.ts";
import type { Spaces } from "../spaces/spaces.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type {
  Declaration,
  EditedOutline,
  EditedOutlines,
  FileEngine,
  Head,
} from "../versioned-store/engine.ts";
import type { TreeMemory } from "../versioned-store/tree-memory.ts";
import { judged, trueUntil } from "./judging.ts";
import { IMPORTANT_MAX, type Freshness as Judgement, type FreshnessAnswer } from "./schema.ts";

interface FreshnessDeps {
  readonly spaces: Pick<Spaces, "looked">;
  readonly clock: Clock;
  /** How long after a look at all files nobody looks again for edits by hand. */
  readonly editsTrustedMs: number;
  /** Runs work that no caller waits for. Undefined: a caller waits for each look. */
  readonly later?: (work: () => Promise<unknown>) => void;
  /** Set where the same process opens the space again. */
  readonly memory?: TreeMemory | undefined;
}

interface Looked {
  readonly edits: EditedOutlines;
  /** Ms since the epoch. */
  readonly seen: number;
  /** On the monotonic clock. */
  readonly at: number;
}

/** All documents of a space, for a reader who sees everything. */
interface Judged {
  readonly head: Head;
  readonly looked: Looked;
  /** Ms since the epoch: true between these times. */
  readonly from: number;
  readonly until: number;
  readonly documents: readonly Judgement[];
  readonly important: readonly DocumentPath[];
}

/** About 2 ms of work to write as JSON. */
const DOCUMENTS_PER_PAGE = 500;
/** Documents of all spaces together, about 500 bytes each. The space asked for last always stays. */
const KEPT_MAX = 100_000;
const KEPT_SPACES_MAX = 100;

export class Freshness {
  readonly #deps: FreshnessDeps;
  readonly #looks = new WeakMap<FileEngine, Looked>();
  readonly #looking = new WeakMap<FileEngine, Promise<Looked>>();
  /** The one asked for last comes last. */
  readonly #judged = new Map<FileEngine, Judged>();

  constructor(deps: FreshnessDeps) {
    this.#deps = deps;
  }

  /** Every document with `stale-after` or with front matter that has a problem, sorted by path. */
  async check(caller: Caller, spaceName: string): Promise<FreshnessAnswer> {
    const { engine } = await this.#deps.spaces.looked(caller, spaceName);
    const { documents, important, now } = await this.#current(engine);
    const isShown = (path: string) => caller.rights.shows(spaceName, path);
    const isWhole = caller.rights.readsAll(spaceName);
    return {
      now: rfc3339(now),
      important: isWhole
        ? important.slice(0, IMPORTANT_MAX)
        : await filteredInTurns(important, isShown, IMPORTANT_MAX),
      documents: isWhole ? documents : await filteredInTurns(documents, ({ path }) => isShown(path)),
    };
  }

  async #current(engine: FileEngine): Promise<Judged & { readonly now: number }> {
    const { clock, memory } = this.#deps;
    const judgedNow = async () => this.#all(engine, await this.#looked(engine), clock.now());
    const isTrue = ({ from, until }: Judged) => from <= clock.now() && clock.now() <= until;
    const all = await (memory?.recall("freshness", engine.head(), judgedNow, isTrue) ?? judgedNow());
    return { ...all, now: Math.min(clock.now(), all.until) };
  }

  async #all(engine: FileEngine, looked: Looked, now: number): Promise<Judged> {
    // Taken first: a change from here on makes another head.
    const head = engine.head();
    const kept = this.#judged.get(engine);
    const isLooked = kept?.looked === looked || (kept?.looked.edits.size === 0 && looked.edits.size === 0);
    const isSame = isLooked && kept.head.seq === head.seq && kept.head.epoch === head.epoch;
    if (isSame && kept.from <= now && now <= kept.until) return kept;
    const declarations = merged(await engine.declarations(), looked);
    const documents: Judgement[] = [];
    const important: DocumentPath[] = [];
    let until = Infinity;
    const stretch = new Stretch();
    for (const declaration of declarations) {
      const judgement = judged(declaration, now);
      if (judgement) documents.push(judgement);
      if (judgement) until = Math.min(until, trueUntil(judgement));
      if (isImportant(declaration)) important.push(declaration.path);
      if (stretch.isOver()) await turnOfOthers();
    }
    return this.#keep(engine, { head, looked, from: now, until, documents, important });
  }

  #keep(engine: FileEngine, all: Judged): Judged {
    this.#judged.delete(engine);
    this.#judged.set(engine, all);
    let [size, spaces] = [0, 0];
    for (const [other, { documents }] of [...this.#judged].toReversed()) {
      size += documents.length;
      spaces += 1;
      if (other !== engine && (size > KEPT_MAX || spaces > KEPT_SPACES_MAX)) this.#judged.delete(other);
    }
    return all;
  }

  /** Edits by hand, as old as they may be; on a server a little older, since it looks for others while it answers. */
  async #looked(engine: FileEngine): Promise<Looked> {
    const { clock, editsTrustedMs, later } = this.#deps;
    const known = this.#looks.get(engine);
    if (known && clock.elapsed() - known.at < editsTrustedMs) return known;
    const running = this.#looking.get(engine);
    const look = running ?? this.#look(engine);
    if (!known || !later) return look;
    if (!running) later(() => look);
    return known;
  }

  #look(engine: FileEngine): Promise<Looked> {
    const { clock } = this.#deps;
    const [seen, at] = [clock.now(), clock.elapsed()];
    const look = engine
      .editedOutlines()
      .then((edits) => {
        const looked = { edits, seen, at };
        this.#looks.set(engine, looked);
        return looked;
      })
      .finally(() => this.#looking.delete(engine));
    this.#looking.set(engine, look);
    return look;
  }

  async listing(caller: Caller, spaceName: string): Promise<Listing<Judgement>> {
    const { now, important, documents } = await this.check(caller, spaceName);
    return { before: { now, important }, field: "documents", pages: inPages(documents, DOCUMENTS_PER_PAGE) };
  }
}

function isImportant({ fields }: Declaration): boolean {
  return typeof fields !== "string" && fields["importance"] === "high";
}

/** Both sorted by path. An edit that was recorded after it was seen is left out. */
function merged(recorded: readonly Declaration[], { edits, seen }: Looked): readonly Declaration[] {
  if (edits.size === 0) return recorded;
  const since = new Set(recorded.filter(({ written }) => written >= seen).map(({ path }) => path));
  const current = [...edits.values()].filter(({ path }) => !since.has(path));
  const edited = new Set(current.map(({ path }) => path));
  const declarations: Declaration[] = [];
  const add = ({ path, fields, written }: EditedOutline) => {
    if (fields !== undefined) declarations.push({ path, fields, written });
  };
  current.sort((a, b) => (a.path < b.path ? -1 : 1));
  let next = 0;
  for (const declaration of recorded) {
    while (next < current.length && current[next]!.path < declaration.path) add(current[next++]!);
    if (!edited.has(declaration.path)) declarations.push(declaration);
  }
  for (const edit of current.slice(next)) add(edit);
  return declarations;
}
