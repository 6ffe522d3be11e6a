// Compares both sides of a copy path by path: finds local changes, records them as versions, and decides what to do with each path.

import { AppError } from "../../kit/error.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { plural } from "../../kit/text/amounts.ts";
import type { DocumentPath } from "../../kit/text/paths.ts";
import { modeOf } from "../spaces/modes.ts";
import type { SyncRules } from "../spaces/schema.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import {
  countDeletes,
  decide,
  DELETES_ASKED_FROM,
  needsConsent,
  type Action,
  type Lineage,
} from "./decision.ts";
import { look, recordEdits, type Found, type LocalFile, type RefusedFile } from "./looking.ts";
import type { LocalCopy } from "./local-copy.ts";
import type { ServerSpace } from "./server-space.ts";
import type { ReplicaState } from "./state.ts";
import type { FileRow } from "./store.ts";

/** With more paths than this, looking at everything is cheaper. */
const PATHS_MAX = 200;

interface ComparisonDeps {
  readonly local: Pick<LocalCopy, "directory">;
  readonly state: ReplicaState;
  readonly server: ServerSpace;
}

export type Direction = "both" | "pull" | "push";

/** See `CycleOptions`. */
interface ComparisonOptions {
  readonly direction: Direction;
  readonly paths?: ReadonlySet<string> | undefined;
  readonly confirmed?: boolean;
  readonly dryRun?: boolean;
  readonly deleteGrace?: () => Promise<void>;
}

/** Nothing to do has no entry. */
export interface Decided {
  readonly path: DocumentPath;
  readonly action: Action;
  readonly row: FileRow | null;
  readonly local: LocalFile | undefined;
}

export class Comparison {
  readonly #deps: ComparisonDeps;
  readonly #options: ComparisonOptions;
  readonly #rules: SyncRules;
  readonly #refused: RefusedFile[] = [];
  readonly #vanishing: string[] = [];
  #foundEdits = false;

  constructor(deps: ComparisonDeps, options: ComparisonOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#rules = deps.state.rules;
  }

  /** Local files that cannot become versions. */
  get refused(): readonly RefusedFile[] {
    return this.#refused;
  }

  /** Files of a delete that is still under way, which are left out. */
  get vanishing(): readonly string[] {
    return this.#vanishing;
  }

  /**
   * Records local edits, and decides for every path. Skips all of it if neither side changed since nothing was left to do. Raises `refused` with
   * `details.needs_consent` before it records anything.
   */
  async run(engine: SpaceEngine): Promise<Decided[]> {
    const { state } = this.#deps;
    if (this.#isPartial) return this.#compare(engine);
    // First, so that an edit made during the comparison has another fingerprint.
    const fingerprint = (await engine.look())?.fingerprint;
    if (fingerprint !== undefined && fingerprint === state.settled) return [];
    const decided = await this.#compare(engine);
    const isSettled = decided.length === 0 && this.#refused.length === 0 && !this.#foundEdits;
    if (isSettled && fingerprint !== undefined && !this.#options.dryRun) await state.settle(fingerprint);
    return decided;
  }

  get #isPartial(): boolean {
    const { paths } = this.#options;
    return paths !== undefined && paths.size <= PATHS_MAX;
  }

  async #compare(engine: SpaceEngine): Promise<Decided[]> {
    const { rows, paths } = this.#scope();
    const found = await this.#look(engine, paths);
    const planned = this.#decideAll(rows, found, (path, live) => {
      // The content of an edit is hashed when it is recorded.
      if (found.edited.has(path)) return { version: 0, hash: "edited" };
      return found.missing.has(path) ? undefined : live;
    });
    if (this.#options.dryRun !== true) {
      this.#requireConsent(planned, found);
      await recordEdits(engine, found, this.#deps.state.origin!.user);
    }
    this.#refused.push(...found.refused);
    const isDry = this.#options.dryRun === true;
    return this.#withLineage(engine, isDry ? planned : this.#decideAll(rows, found, (_, live) => live));
  }

  /**
   * Deleting many files takes a while. While more of them vanish, none of them counts as deleted, so that a person is asked about all of them, and not
   * about the few that are left in the end.
   */
  async #look(engine: SpaceEngine, paths: ReadonlySet<string> | undefined): Promise<Found> {
    const { deleteGrace } = this.#options;
    const found = await look(engine, paths, deleteGrace);
    this.#foundEdits = found.edited.size + found.missing.size > 0;
    this.#onlySynced(found);
    if (!deleteGrace || found.missing.size <= DELETES_ASKED_FROM) return found;
    const now = await look(engine, undefined);
    this.#onlySynced(now);
    if (now.missing.size <= found.missing.size) return found;
    this.#vanishing.push(...now.missing);
    found.missing.clear();
    return found;
  }

  /** `paths` undefined: everything. */
  #scope(): { rows: ReadonlyMap<string, FileRow>; paths: ReadonlySet<string> | undefined } {
    const { state } = this.#deps;
    if (this.#isPartial) {
      const rows = byPath(state.pending().filter(({ path, fresh }) => this.#mayAct(path, fresh)));
      const paths = new Set([...this.#options.paths!, ...rows.keys()]);
      // A directory that was renamed or deleted has none of its files left to name them.
      for (const path of this.#options.paths!)
        for (const row of state.filesUnder(path)) rows.set(row.path, row);
      if (Math.max(paths.size, rows.size) <= PATHS_MAX) return { rows, paths };
    }
    return { rows: byPath(state.files()), paths: undefined };
  }

  /** Paths that do not sync differ from the server for good. */
  #mayAct(path: string, fresh: FileRow["fresh"]): boolean {
    const mode = modeOf(this.#rules, path);
    return mode === "always" || (mode === "init-only" && fresh !== null);
  }

  /** Other files are not for the server, so their edits are recorded when a person asks for it. */
  #onlySynced(found: Found): void {
    const isSynced = (path: string) => modeOf(this.#rules, path) === "always";
    for (const path of found.edited) if (!isSynced(path)) found.edited.delete(path);
    for (const path of found.missing) if (!isSynced(path)) found.missing.delete(path);
    const refused = found.refused.filter(({ path }) => isSynced(path.replace(/\/$/, "")));
    found.refused.splice(0, found.refused.length, ...refused);
  }

  #decideAll(
    rows: ReadonlyMap<string, FileRow>,
    found: Found,
    localOf: (path: string, live: LocalFile | undefined) => LocalFile | undefined,
  ): Decided[] {
    const decided: Decided[] = [];
    const add = (path: string, row: FileRow | null) => {
      const local = localOf(path, found.live.get(path));
      const hash = local?.hash ?? null;
      // The common case.
      if (row && hash === row.hash && hash === row.base_hash && row.sent === null && row.fresh === null)
        return;
      const action = this.#decided(path, row, hash, "unknown");
      if (action !== "none") decided.push({ path: path as DocumentPath, action, row, local });
    };
    for (const [path, row] of rows) add(path, row);
    for (const path of found.live.keys()) if (!rows.has(path)) add(path, null);
    for (const path of found.edited) if (!rows.has(path) && !found.live.has(path)) add(path, null);
    return decided;
  }

  #decided(path: string, row: FileRow | null, local: string | null, lineage: Lineage): Action {
    return decide({
      mode: modeOf(this.#rules, path),
      server: row?.hash ?? null,
      local,
      base: row?.base_hash ?? null,
      sent: row?.sent ?? null,
      fresh: row?.fresh ?? null,
      lineage,
    });
  }

  /** Compares the histories of both sides where a restored server has another content. */
  async #withLineage(engine: SpaceEngine, decided: readonly Decided[]): Promise<Decided[]> {
    const result: Decided[] = [];
    for (const one of decided) {
      const { path, row, local } = one;
      const isOpen = row?.fresh === "restored" && row.hash !== null && local && row.hash !== local.hash;
      if (!isOpen) {
        result.push(one);
        continue;
      }
      const lineage = await this.#lineageOf(engine, path, row);
      result.push({ ...one, action: this.#decided(path, row, local.hash, lineage) });
    }
    return result;
  }

  async #lineageOf(engine: SpaceEngine, path: DocumentPath, row: FileRow): Promise<Lineage> {
    const { base_hash: base, base_local: agreed } = row;
    const hashes = new Set(await this.#deps.server.hashesOf(path));
    if (base !== null && hashes.has(base)) return "common";
    const history = await engine.history(path);
    // A later version may be from a sync that was killed before the person could see it, so their text is not made from it.
    const isEarlier = history?.versions.some(
      ({ version, hash }) => hash === row.hash && agreed !== null && version <= agreed,
    );
    return isEarlier ? "earlier" : "unknown";
  }

  /** Counts only the deletes that the cycle makes in its direction. */
  #requireConsent(decided: readonly Decided[], found: Found): void {
    const { direction, confirmed } = this.#options;
    if (confirmed === true) return;
    const { synced } = this.#deps.state;
    const hashesOf = (action: Action, hashOf: (one: Decided) => string | null | undefined) =>
      decided.filter((one) => one.action === action).map((one) => hashOf(one) ?? "");
    const ofServer = ({ row }: Decided) => row?.hash;
    const ofLocal = ({ path, local }: Decided) => found.created.get(path) ?? local?.hash;
    const here =
      direction === "push" ? 0 : countDeletes(hashesOf("remove", ofLocal), hashesOf("take", ofServer));
    const there =
      direction === "pull" ? 0 : countDeletes(hashesOf("withdraw", ofServer), hashesOf("send", ofLocal));
    if (!needsConsent(here, synced) && !needsConsent(there, synced)) return;
    const where = here > there ? "here" : "on the server";
    const command = direction === "both" ? "sync" : direction;
    const again = commandText(["cairn", command, "--yes", "--dir", this.#deps.local.directory]);
    throw new AppError(
      "refused",
      `this ${command} would delete ${Math.max(here, there)} of ${plural(synced, "file")} ${where}; nothing was changed; run ${again} to confirm`,
      { needs_consent: true, deletes_here: here, deletes_on_server: there, files: synced },
    );
  }
}

function byPath(rows: readonly FileRow[]): Map<string, FileRow> {
  return new Map(rows.map((row) => [row.path, row]));
}
