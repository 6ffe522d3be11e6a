// The rules of the link graph: what one caller sees of it. A link to a file that the caller may not see is resolved as if the file did not exist: it
// may mean a file further away, or be broken. Links of documents that the caller may not read are left out. So nothing in an answer depends on a
// hidden file.

import { join } from "node:path";
import { LIGHT_STEPS, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { Listing } from "../../kit/http/list-answer.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import type { Caller } from "../identity/caller.ts";
import type { Spaces } from "../spaces/spaces.ts";
import type { FileEngine } from "../versioned-store/engine.ts";
import { fileNotFound } from "../versioned-store/file-error.ts";
import { headText } from "../versioned-store/head.ts";
import { EDITS_TRUSTED_MS } from "../versioned-store/outlines.ts";
import type { TreeMemory } from "../versioned-store/tree-memory.ts";
import { keepGraph, readGraph } from "./graph-file.ts";
import type { LinkGraph, Sight } from "./link-graph.ts";
import { updated } from "./updating.ts";
import { RecentGraphs } from "./recent-graphs.ts";
import type { GraphAnswer, GraphLink, GraphQuery, RankedDocument } from "./schema.ts";

interface GraphDeps {
  readonly spaces: Pick<Spaces, "looked">;
  readonly clock: Clock;
  /** Runs work that no caller waits for. */
  readonly later?: (work: () => Promise<void>) => void;
  /** Set where every command opens the space again: the graph of a large space is then cached in a file beside it. */
  readonly kept?: boolean;
  /** Set where the same process opens the space again. */
  readonly memory?: TreeMemory | undefined;
}

/** The totals, or one list of an answer in pages. */
type GraphPart =
  | GraphAnswer
  | (Listing<GraphLink | RankedDocument | string> & { readonly before: Pick<GraphAnswer, "head" | "path"> });

const OWN_DIRECTORY = ".cairn";
/** About 2 ms of work to write as JSON. */
const ITEMS_PER_PAGE = 1_000;

export class Graph {
  readonly #deps: GraphDeps;
  readonly #recent: RecentGraphs;

  constructor(deps: GraphDeps) {
    this.#deps = deps;
    this.#recent = new RecentGraphs({ ...deps, editsTrustedMs: deps.kept === true ? 0 : EDITS_TRUSTED_MS });
  }

  /**
   * Raises `not_found` for a file that does not exist or that the caller may not see, `invalid` for `path` with a list of the whole space, and
   * `too_large`.
   */
  async part(caller: Caller, spaceName: string, query: GraphQuery): Promise<GraphPart> {
    const { path, only } = query;
    if (path !== undefined && only !== undefined && only !== "core")
      throw new AppError("invalid", "use path or only, not both; only=core works with a path");
    const asked = path === undefined ? undefined : parseDocumentPath("path", path);
    const { graph, head } = await this.#seen(caller, spaceName);
    if (asked !== undefined) {
      if (!graph.has(asked)) throw fileNotFound(asked);
      if (only === "core") return { head, path: asked, core: await graph.core(asked) };
      return listing({ head, path: asked }, "links", graph.around(asked), query);
    }
    if (only === "links") return listing({ head }, "links", graph.links(), query);
    if (only === "broken") return listing({ head }, "links", graph.broken(), query);
    if (only === "orphans") return listing({ head }, "orphans", graph.orphans(), query);
    if (only === "ranks") return listing({ head }, "ranks", await graph.ranks(), query);
    if (only === "core") return { head, totals: graph.totals(), core: await graph.core() };
    return { head, totals: graph.totals() };
  }

  /** The whole answer at once. Raises as `part`. */
  async answer(caller: Caller, spaceName: string, query: GraphQuery): Promise<GraphAnswer> {
    const part = await this.part(caller, spaceName, query);
    if (!("pages" in part)) return part;
    const items: unknown[] = [];
    for await (const page of part.pages) for (const item of page) items.push(item);
    return { ...part.before, [part.field]: items };
  }

  /** The paths of the documents that the caller may see, sorted. Raises `too_large`. */
  async documents(caller: Caller, spaceName: string): Promise<readonly string[]> {
    const { graph } = await this.#seen(caller, spaceName);
    return graph.documents();
  }

  async #seen(caller: Caller, spaceName: string): Promise<{ graph: LinkGraph; head: string }> {
    const { engine } = await this.#deps.spaces.looked(caller, spaceName);
    const { kept, memory } = this.#deps;
    if (kept === true && caller.rights.readsAll(spaceName))
      return memory ? memory.recall("graph", engine.head(), () => this.#kept(engine)) : this.#kept(engine);
    const whole = await this.#recent.of(engine);
    // Other rights are another object.
    const { rights } = caller;
    const sight: Sight = {
      lists: (path) => rights.may("list", spaceName, path),
      reads: (path) => rights.may("read", spaceName, path),
    };
    const graph = await (rights.readsAll(spaceName) ? whole.graph() : whole.graphFor(rights, sight));
    return { graph, head: headText(whole.head) };
  }

  /** By the file, if the space is as it was when the graph was kept. */
  async #kept(engine: FileEngine): Promise<{ graph: LinkGraph; head: string }> {
    const own = engine.directory === undefined ? undefined : join(engine.directory, OWN_DIRECTORY);
    // Taken first: a file that changes from here on looks different the next time.
    const head = engine.head();
    const glance = (own === undefined ? undefined : await engine.glance()) ?? "";
    const kept = own === undefined ? undefined : readGraph(own);
    if (kept && glance !== "" && kept.glance === glance) return { graph: kept.graph, head: headText(head) };
    const look = own === undefined ? undefined : await engine.look();
    if (own === undefined || look === undefined) return this.#whole(engine);
    const isSame = kept?.look.fingerprint === look.fingerprint;
    if (isSame && glance === "") return { graph: kept.graph, head: headText(head) };
    const newer = isSame ? kept.graph : kept && (await updated(kept, look, engine));
    const made = newer ? { graph: newer, head: headText(engine.head()) } : await this.#whole(engine);
    // Without the file, the next command takes longer and says the same.
    await keepGraph(own, { graph: made.graph, head, look, glance }).catch(() => undefined);
    return made;
  }

  async #whole(engine: FileEngine): Promise<{ graph: LinkGraph; head: string }> {
    const whole = await this.#recent.of(engine);
    return { graph: await whole.graph(), head: headText(whole.head) };
  }
}

function listing(
  before: Pick<GraphAnswer, "head" | "path">,
  field: "links" | "orphans" | "ranks",
  items: Iterable<GraphLink | RankedDocument | string>,
  query: GraphQuery,
): GraphPart {
  return { before, field, pages: pagesOfPart<GraphLink | RankedDocument | string>(items, query) };
}

/** Pauses while it leaves out items before the part. */
async function* pagesOfPart<Item>(
  items: Iterable<Item>,
  { offset = 0, limit = Infinity }: GraphQuery,
): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  let place = 0;
  const stretch = new Stretch(LIGHT_STEPS);
  for (const item of items) {
    if (place >= offset + limit) break;
    if (place >= offset) page.push(item);
    place += 1;
    if (page.length === ITEMS_PER_PAGE) {
      yield page;
      page = [];
    } else if (stretch.isOver()) await turnOfOthers();
  }
  yield page;
}
