// Finds what the caller may see, over all workspaces. Rights come from the store, before the index is asked and again before the answer. No query is
// an error, and none takes long: the index is asked for the newest matches of a kind, and these are ranked.

import { ownTurn, rfc3339OrNull, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import type { Caller } from "../identity/caller.ts";
import type { Access } from "../workspaces/access.ts";
import type { FileLooks } from "./file-looks.ts";
import type { Indexing } from "./indexing.ts";
import { rangeOf, subjectOf } from "./index-ids.ts";
import { marked, matchesIn, snippetOf } from "./snippets.ts";
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
/** The place of what belongs to no workspace (019_search.sql). */
const NO_WORKSPACE = 0;

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

/** By kind, then by the id of the record. */
type Found = Map<SearchKind, Map<number, Scored>>;

/** Ids of the index, both included. */
interface Range {
  readonly from: number;
  readonly to: number;
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
    const places = isLimited ? [NO_WORKSPACE, ...ids].map((id) => `"w${id}"`).join(" OR ") : undefined;
    const asked = { caller, terms, places, sees: access.sight(caller), stretch: new Stretch() };
    const found = await this.#found(kind === undefined ? searchKinds : [kind], asked);
    const groups = [...found].map(([one, ranked]) => groupOf(one, ranked, limit));
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

  /** Kinds without matches are left out. */
  async #found(kinds: readonly SearchKind[], asked: Asked): Promise<ReadonlyMap<SearchKind, Scored[]>> {
    const found: Found = new Map();
    if (kinds.includes("entry")) {
      const expression = expressionOf("body", asked);
      for (const range of this.#slices())
        if (await this.#collect({ expression, ...range }, asked, found)) break;
    }
    const named: readonly SearchKind[] = kinds.filter((kind) => kind !== "entry");
    // One query for all of them, because it takes the index about as long as one of a single kind.
    for (let range = spanOf(named); range;) {
      const full = await this.#collect(
        { expression: expressionOf("title body", asked), ...range },
        asked,
        found,
      );
      if (full === undefined) break;
      // Names count most, so that no number of texts hides them.
      const names: Found = new Map();
      await this.#collect({ expression: expressionOf("title", asked), ...spanOf([full])! }, asked, names);
      for (const [id, scored] of names.get(full) ?? []) found.get(full)!.set(id, scored);
      range = spanOf(named.slice(0, named.indexOf(full)));
    }
    return new Map([...found].map(([kind, matches]) => [kind, [...matches.values()]]));
  }

  /** Of the entries, the newest first. */
  *#slices(): Generator<Range> {
    const size = SLICE_ENTRIES * PIECES_MAX;
    const last = ((this.#deps.store.lastEntry.get()?.id ?? 0) + 1) * PIECES_MAX;
    for (let to = last; to > 0; to -= size) yield { from: Math.max(0, to - size), to: to - 1 };
  }

  /** Adds matches of one range, the highest id first, until there are enough of a kind: returns that kind. */
  async #collect(
    { expression, from, to }: Range & { readonly expression: string },
    asked: Asked,
    found: Found,
  ): Promise<SearchKind | undefined> {
    let last = to;
    for (let portion = 0; portion < PORTIONS_MAX; portion += 1) {
      // Also before a range without matches, of which there may be many.
      await ownTurn();
      const matches = this.#deps.store.matches.all({ expression, from, to: last, limit: CANDIDATES_MAX });
      for (const { id: item } of matches) {
        const { kind, id } = subjectOf(item);
        const own = found.get(kind);
        const scored = own?.has(id) ? undefined : this.#scored(kind, id, item, asked);
        if (asked.stretch.isOver()) await turnOfOthers();
        if (!scored) continue;
        if (own) own.set(id, scored);
        else found.set(kind, new Map([[id, scored]]));
        if (own && own.size >= CANDIDATES_MAX) return kind;
      }
      if (matches.length < CANDIDATES_MAX) return undefined;
      last = matches.at(-1)!.id - 1;
    }
    return undefined;
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

function groupOf(
  kind: SearchKind,
  found: readonly Scored[],
  limit: number,
): { readonly score: number; readonly group: SearchGroup } {
  const ranked = found.toSorted((a, b) => b.score - a.score);
  const results = ranked.slice(0, limit).map(({ result }) => result);
  return { score: ranked[0]!.score, group: { kind, results, more: ranked.length > results.length } };
}

function expressionOf(columns: string, { terms, places }: Asked): string {
  const place = places === undefined ? "" : `place : (${places}) AND `;
  return `${place}{${columns}} : (${terms.expression})`;
}

/** From the first to the last of kinds that follow each other; undefined: of none. */
function spanOf(kinds: readonly SearchKind[]): Range | undefined {
  const [first, last] = [kinds[0], kinds.at(-1)];
  return first && last && { from: rangeOf(first)[0], to: rangeOf(last)[1] };
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
