// The rules of freshness: which documents of a space are stale, as far as a caller may read them. Includes edits by hand that are not recorded yet.

import { rfc3339, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { pagesOf, type Listing } from "../../kit/http/list-answer.ts";
import type { Caller } from "../identity/caller.ts";
import type { Spaces } from "../spaces/spaces.ts";
import type { Declaration, EditedOutline, EditedOutlines, FileEngine } from "../versioned-store/engine.ts";
import { judged } from "./judging.ts";
import { IMPORTANT_MAX, type Freshness as Judgement, type FreshnessAnswer } from "./schema.ts";

interface FreshnessDeps {
  readonly spaces: Pick<Spaces, "looked">;
  readonly clock: Clock;
  /** How long after a look at all files nobody looks again for edits by hand. */
  readonly editsTrustedMs: number;
}

interface Looked {
  readonly edits: Promise<EditedOutlines>;
  /** Ms since the epoch. */
  readonly seen: number;
  /** On the monotonic clock. */
  readonly at: number;
}

/** About 2 ms of work to write as JSON. */
const DOCUMENTS_PER_PAGE = 500;

export class Freshness {
  readonly #deps: FreshnessDeps;
  readonly #edits = new WeakMap<FileEngine, Looked>();

  constructor(deps: FreshnessDeps) {
    this.#deps = deps;
  }

  /** Every document with `stale-after` or with front matter that has a problem, sorted by path. */
  async check(caller: Caller, spaceName: string): Promise<FreshnessAnswer> {
    const { engine } = await this.#deps.spaces.looked(caller, spaceName);
    const looked = this.#looked(engine);
    const edits = await looked.edits;
    const declarations = merged(await engine.declarations(), { edits, seen: looked.seen });
    const now = this.#deps.clock.now();
    const documents: Judgement[] = [];
    const important: string[] = [];
    const stretch = new Stretch();
    for (const declaration of declarations) {
      const judgement = judged(declaration, now);
      const isNamed = isImportant(declaration) && important.length < IMPORTANT_MAX;
      if ((judgement || isNamed) && caller.rights.may("read", spaceName, declaration.path)) {
        if (judgement) documents.push(judgement);
        if (isNamed) important.push(declaration.path);
      }
      if (stretch.isOver()) await turnOfOthers();
    }
    return { now: rfc3339(now), important, documents };
  }

  #looked(engine: FileEngine): Looked {
    const { clock, editsTrustedMs } = this.#deps;
    const known = this.#edits.get(engine);
    if (known && clock.elapsed() - known.at < editsTrustedMs) return known;
    const looked = { edits: engine.editedOutlines(), seen: clock.now(), at: clock.elapsed() };
    this.#edits.set(engine, looked);
    // A failed look is no look.
    looked.edits.catch(() => this.#edits.delete(engine));
    return looked;
  }

  async listing(caller: Caller, spaceName: string): Promise<Listing<Judgement>> {
    const { now, important, documents } = await this.check(caller, spaceName);
    return { before: { now, important }, field: "documents", pages: pagesOf(documents, DOCUMENTS_PER_PAGE) };
  }
}

function isImportant({ fields }: Declaration): boolean {
  return typeof fields !== "string" && fields["importance"] === "high";
}

/** Both sorted by path. An edit that was recorded after it was seen is left out. */
function merged(
  recorded: readonly Declaration[],
  { edits, seen }: Pick<Looked, "seen"> & { readonly edits: EditedOutlines },
): readonly Declaration[] {
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
