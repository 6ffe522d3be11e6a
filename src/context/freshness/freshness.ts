// The rules of freshness: which documents of a space are stale, as far as a caller may read them. Includes edits by hand that are not recorded yet.

import { rfc3339, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { pagesOf, type Listing } from "../../kit/http/list-answer.ts";
import type { Caller } from "../identity/caller.ts";
import type { Spaces } from "../spaces/spaces.ts";
import type { Declaration, EditedOutline, FileEngine } from "../versioned-store/engine.ts";
import { judged } from "./judging.ts";
import { IMPORTANT_MAX, type Freshness as Judgement, type FreshnessAnswer } from "./schema.ts";

interface FreshnessDeps {
  readonly spaces: Pick<Spaces, "looked">;
  readonly clock: Clock;
}

/** About 2 ms of work to write as JSON. */
const DOCUMENTS_PER_PAGE = 500;

export class Freshness {
  readonly #deps: FreshnessDeps;

  constructor(deps: FreshnessDeps) {
    this.#deps = deps;
  }

  /** Every document with `stale-after` or with front matter that has a problem, sorted by path. */
  async check(caller: Caller, spaceName: string): Promise<FreshnessAnswer> {
    const { engine } = await this.#deps.spaces.looked(caller, spaceName);
    const declarations = await current(engine);
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

  async listing(caller: Caller, spaceName: string): Promise<Listing<Judgement>> {
    const { now, important, documents } = await this.check(caller, spaceName);
    return { before: { now, important }, field: "documents", pages: pagesOf(documents, DOCUMENTS_PER_PAGE) };
  }
}

function isImportant({ fields }: Declaration): boolean {
  return typeof fields !== "string" && fields["importance"] === "high";
}

/** Sorted by path. */
async function current(engine: FileEngine): Promise<readonly Declaration[]> {
  const recorded = await engine.declarations();
  const edited = await engine.editedOutlines();
  if (edited.size === 0) return recorded;
  const edits = [...edited.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const declarations: Declaration[] = [];
  const add = ({ path, fields, written }: EditedOutline) => {
    if (fields !== undefined) declarations.push({ path, fields, written });
  };
  let next = 0;
  for (const declaration of recorded) {
    while (next < edits.length && edits[next]!.path < declaration.path) add(edits[next++]!);
    if (!edited.has(declaration.path)) declarations.push(declaration);
  }
  for (const edit of edits.slice(next)) add(edit);
  return declarations;
}
