// Finds what the caller may see, over all workspaces. Rights come from the store, before the index is asked and again before the answer. No query is
// an error, and none takes long: the index is asked for the newest matches of a kind, and these are ranked.

import { rfc3339OrNull, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { FileLooks } from "./file-looks.ts";
import type { Indexing } from "./indexing.ts";
import { rangeOf, subjectOf } from "./items.ts";
import { marked, matchesIn, snippetOf } from "./marks.ts";
import { scoreOf } from "./ranking.ts";
import {
  PIECES_MAX,
  RESULTS_PER_KIND_DEFAULT,
  searchKinds,
  type FoundEntry,
  type SearchAnswer,
  type SearchGroup,
  type SearchKind,
  type SearchParams,
  type SearchResult,
} from "./schema.ts";
import type { FoundEntryRow, FoundRow, SearchStore } from "./store.ts";
import { termsOf, type Terms } from "./terms.ts";
import { joined } from "./texts.ts";

/** The newest matches of a kind, which are ranked. */
const CANDIDATES_MAX = 60;
/** Entries are searched in slices, because words that are frequent but not together take the index longest. */
const SLICE_ENTRIES = 32_768;
/** Someone who sees more workspaces searches all, and what they do not see is left out. */
const PLACES_MAX = 64;
/** Portions of matches for someone who sees little of what matches. */
const PORTIONS_MAX = 500;
const WITHOUT_WORKSPACE: readonly SearchKind[] = ["gear", "instruction"];

interface SearchDeps {
  readonly store: SearchStore;
  readonly access: Access;
  readonly indexing: Indexing;
  readonly looks: FileLooks;
  readonly clock: Clock;
}

interface Asked {
  readonly caller: Caller;
  readonly terms: Terms;
  /** Limits the index to workspaces; undefined: not limited. */
  readonly places: string | undefined;
  readonly sees: (workspaceId: number) => boolean;
  readonly stretch: Stretch;
}

interface Scored {
  readonly result: SearchResult;
  readonly score: number;
}

export class Search {
  readonly #deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  async find(
    caller: Caller,
    { q, kind, limit = RESULTS_PER_KIND_DEFAULT }: SearchParams,
  ): Promise<SearchAnswer> {
    const { access, indexing, looks } = this.#deps;
    const ids = access.visibleIds(caller, PLACES_MAX + 1);
    await indexing.catchUp();
    looks.look();
    const terms = termsOf(q);
    if (!terms) return { groups: [], indexing: indexing.left };
    const isLimited = ids !== undefined && ids.length <= PLACES_MAX;
    const places = isLimited ? ids.map((id) => `"w${id}"`).join(" OR ") : undefined;
    const asked = { caller, terms, places, sees: access.sight(caller), stretch: new Stretch() };
    const groups: { readonly score: number; readonly group: SearchGroup }[] = [];
    for (const one of kind === undefined ? searchKinds : [kind]) {
      const found = (await this.#found(one, asked)).sort((a, b) => b.score - a.score);
      const results = found.slice(0, limit).map(({ result }) => result);
      const group = { kind: one, results, more: found.length > results.length };
      if (found.length > 0) groups.push({ score: found[0]!.score, group });
    }
    const best = groups.sort((a, b) => b.score - a.score).map(({ group }) => group);
    return { groups: this.#seenStill(caller, best), indexing: indexing.left };
  }

  /** Other work ran since the rights were asked. */
  #seenStill(caller: Caller, groups: readonly SearchGroup[]): SearchGroup[] {
    const sees = this.#deps.access.sight(caller);
    const isSeen = ({ workspace_id: id }: SearchResult) => id === null || sees(id);
    return groups
      .map((group) => ({ ...group, results: group.results.filter(isSeen) }))
      .filter(({ results }) => results.length > 0);
  }

  async #found(kind: SearchKind, asked: Asked): Promise<Scored[]> {
    const found = new Map<number, Scored>();
    const isPlaced = asked.places !== undefined && !WITHOUT_WORKSPACE.includes(kind);
    if (isPlaced && asked.places === "") return [];
    const place = isPlaced ? `place : (${asked.places}) AND ` : "";
    // Names first, so that no number of texts hides them.
    const columns = kind === "entry" ? ["body"] : ["title", "title body"];
    for (const column of columns) {
      const expression = `${place}{${column}} : (${asked.terms.expression})`;
      for (const [from, to] of this.#slices(kind)) {
        await this.#collect(kind, { expression, from, to }, asked, found);
        if (found.size >= CANDIDATES_MAX) break;
      }
    }
    return [...found.values()];
  }

  /** Ranges of ids, the newest first. */
  *#slices(kind: SearchKind): Generator<readonly [number, number]> {
    if (kind !== "entry") return yield rangeOf(kind);
    const size = SLICE_ENTRIES * PIECES_MAX;
    const last = ((this.#deps.store.lastEntry.get()?.id ?? 0) + 1) * PIECES_MAX;
    for (let to = last; to > 0; to -= size) yield [Math.max(0, to - size), to - 1];
  }

  /** Adds matches of one range, until there are enough. */
  async #collect(
    kind: SearchKind,
    { expression, from, to }: { readonly expression: string; readonly from: number; readonly to: number },
    asked: Asked,
    found: Map<number, Scored>,
  ): Promise<void> {
    let last = to;
    for (let portion = 0; portion < PORTIONS_MAX && found.size < CANDIDATES_MAX; portion += 1) {
      const matches = this.#deps.store.matches.all({ expression, from, to: last, limit: CANDIDATES_MAX });
      for (const { id: item } of matches) {
        const { id } = subjectOf(item);
        const scored = found.has(id) ? undefined : this.#scored(kind, id, item, asked);
        if (scored) found.set(id, scored);
        if (asked.stretch.isOver()) await turnOfOthers();
        if (found.size >= CANDIDATES_MAX) return;
      }
      if (matches.length < CANDIDATES_MAX) return;
      last = matches.at(-1)!.id - 1;
      if (asked.stretch.isOver()) await turnOfOthers();
    }
  }

  #scored(kind: SearchKind, id: number, item: number, { terms, sees }: Asked): Scored | undefined {
    const { store, clock } = this.#deps;
    const row = FOUND[kind](store, id);
    if (!row || (row.workspace_id !== null && !sees(row.workspace_id))) return undefined;
    const body = joined(store.body.get(item)?.body ?? "");
    const entry = kind === "entry" ? entryOf(row as FoundEntryRow) : null;
    const bodyMatches = matchesIn(body, terms);
    const titleMatches = matchesIn(row.title, terms);
    const fit = { kind, title: row.title, titleMatches, body, bodyMatches, entry, time: row.time };
    const shownTitle = entry?.user ?? row.title;
    return {
      score: scoreOf(fit, terms, clock.now()),
      result: {
        kind,
        id: kind === "file" ? null : id,
        workspace_id: row.workspace_id,
        workspace: row.workspace,
        title: entry ? { text: shownTitle, ranges: [] } : marked(shownTitle, terms),
        snippet: body.trim() === "" ? null : snippetOf(body, bodyMatches),
        entry,
        time: rfc3339OrNull(row.time),
      },
    };
  }
}

const FOUND: Readonly<Record<SearchKind, (store: SearchStore, id: number) => FoundRow | null>> = {
  entry: (store, id) => store.foundEntry.get(id),
  file: (store, id) => store.foundFile.get(id),
  instruction: (store, id) => store.foundInstruction.get(id),
  gear: (store, id) => store.foundGear.get(id),
  agent: (store, id) => store.foundAgent.get(id),
  workspace: (store, id) => store.foundWorkspace.get(id),
};

function entryOf(row: FoundEntryRow): FoundEntry {
  return {
    kind: row.kind,
    turn_id: row.turn_id,
    agent_id: row.agent_id,
    agent: row.title,
    user: row.kind === "person" ? row.user : null,
    tool: row.tool,
    forgotten: row.forgotten === 1,
    aside: row.aside === 1,
  };
}
