// Announces documents that became stale, as events: once for each document and window, whether or not someone asks for them. Looks at the recorded
// versions; an edit by hand counts when it has one.

import { HOUR_MS, Stretch, turnOfOthers, type Clock } from "../../kit/clock.ts";
import type { Background } from "../../kit/concurrency/background.ts";
import type { Db } from "../../kit/storage/db.ts";
import { pagesOf } from "../../kit/storage/pages.ts";
import { AppError } from "../../kit/error.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import type { Events } from "../events/events.ts";
import type { Spaces } from "../spaces/spaces.ts";
import type { FileEngine } from "../versioned-store/engine.ts";
import { judged } from "./judging.ts";
import type { Freshness } from "./schema.ts";
import type { StaleStore } from "./store.ts";

/** Windows are counted in days. */
const LOOK_EVERY_MS = HOUR_MS;
/** Of one look at all spaces; the next one announces the rest. Many events at once would push others out of the log. */
const ANNOUNCED_PER_LOOK_MAX = 1_000;
/** A few milliseconds of work. */
const ROWS_PER_COMMIT_MAX = 1_000;
const ROWS_PER_STRETCH = 1_000;
/** Nobody did it: time passed. No user may have this name. */
const ACTOR = "server";

interface StaleEventsDeps {
  readonly spaces: Pick<Spaces, "names" | "opened" | "exists">;
  readonly events: Pick<Events, "announce" | "settle">;
  readonly store: StaleStore;
  readonly db: Db;
  readonly clock: Clock;
  readonly background: Background;
}

type Stale = Freshness & { readonly due: string };

export class StaleEvents {
  readonly #deps: StaleEventsDeps;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(deps: StaleEventsDeps) {
    this.#deps = deps;
  }

  /** Looks now, and then again and again until `stop`. */
  start(): void {
    this.#deps.background.run("look for stale documents", async () => {
      await this.look().finally(() => this.#lookLater());
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Announces what is stale and was not announced. Not twice at the same time. */
  async look(): Promise<void> {
    await this.#forgetRemoved();
    let left = ANNOUNCED_PER_LOOK_MAX;
    for (const name of this.#deps.spaces.names()) {
      if (this.#isStopped) return;
      const engine = (await this.#deps.spaces.opened(name))?.engine;
      if (engine) left -= await this.#lookAt(name, engine, left).catch(noneIfClosed);
    }
  }

  /** Forgets deleted spaces. */
  async #forgetRemoved(): Promise<void> {
    const { store, spaces, db } = this.#deps;
    for (let row = store.spaceAfter.get(""); row; row = store.spaceAfter.get(row.space)) {
      const { space } = row;
      while (!this.#isStopped && !spaces.exists(space)) {
        const paths = store.announced.all(space, "", ROWS_PER_COMMIT_MAX);
        if (paths.length === 0) break;
        await db.write(() => {
          for (const { path } of paths) store.forget.run(space, path);
        });
      }
    }
  }

  #lookLater(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.start(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Returns how many were announced. */
  async #lookAt(space: string, engine: FileEngine, most: number): Promise<number> {
    const { store, db, events } = this.#deps;
    // Another space may have had this name, or get it while this looks.
    const { epoch } = engine.head();
    const announced = await this.#announced(space, epoch);
    const found = await this.#staleIn(engine);
    const news = found.filter(({ path, due }) => announced.get(path) !== due).slice(0, most);
    for (const { path, due, owner } of news) {
      const version = (await engine.live(path as DocumentPath))?.version;
      if (version === undefined) continue;
      events.announce({ type: "freshness.stale", actor: ACTOR, space, path, version, data: { due, owner } });
    }
    const stale = new Set(found.map(({ path }) => path));
    const fresh = [...announced.keys()].filter((path) => !stale.has(path)).slice(0, ROWS_PER_COMMIT_MAX);
    if (news.length + fresh.length === 0) return 0;
    // A crash in between announces them again: better twice than never.
    await events.settle();
    await db.write(() => {
      for (const { path, due } of news) store.announce.run({ space, path, due, epoch });
      for (const path of fresh) store.forget.run(space, path);
    });
    return news.length;
  }

  /** Returns the time of each announcement by path; null if it was for another space of this name. */
  async #announced(space: string, epoch: string): Promise<ReadonlyMap<string, string | null>> {
    const announced = new Map<string, string | null>();
    const pages = pagesOf(
      (after) => this.#deps.store.announced.all(space, after, ROWS_PER_STRETCH),
      ({ path }) => path,
      "",
      ROWS_PER_STRETCH,
    );
    for (const rows of pages) {
      for (const row of rows) announced.set(row.path, (row.epoch ?? epoch) === epoch ? row.due : null);
      await turnOfOthers();
    }
    return announced;
  }

  async #staleIn(engine: FileEngine): Promise<Stale[]> {
    const stale: Stale[] = [];
    const now = this.#deps.clock.now();
    const stretch = new Stretch();
    for (const declaration of await engine.declarations()) {
      const judgement = judged(declaration, now);
      if (judgement?.state === "stale" && judgement.due !== null)
        stale.push({ ...judgement, due: judgement.due });
      if (stretch.isOver()) await turnOfOthers();
    }
    return stale;
  }
}

/** The space was removed meanwhile. */
function noneIfClosed(error: unknown): number {
  if (error instanceof AppError && error.code === "unavailable") return 0;
  throw error;
}
