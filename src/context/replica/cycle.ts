// One sync cycle: learn what the server changed since the known head, compare every path, bring changes here, send local ones. Each step is
// recorded when it is done, so a cycle that is interrupted anywhere is continued by the next one.

import { AppError } from "../../kit/error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { DocumentPath } from "../../kit/paths.ts";
import { modeOf } from "../spaces/modes.ts";
import type { SyncRules } from "../spaces/schema.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import { bring, type Brought, type Step } from "./applying.ts";
import { decide, needsConsent, type Action, type Lineage } from "./decision.ts";
import type { LocalCopy } from "./local-copy.ts";
import { look, recordEdits, type Found, type LocalFile } from "./looking.ts";
import { pushAll, type Sending } from "./pushing.ts";
import { emptyReport, type SyncReport } from "./report.ts";
import type { Pulled, ServerSpace } from "./server-space.ts";
import type { Agreement, ReplicaState } from "./state.ts";
import type { FileRow, HeldRow } from "./store.ts";

/** Looks at a space that others keep changing; the next cycle continues. */
const ROUNDS_MAX = 5;
/** The limits of one pull. A single file may be larger. */
const FILES_PER_PULL_MAX = 1_000;
const BYTES_PER_PULL_MAX = 16 * 1024 * 1024;
/** With more changed paths than this, looking at everything is cheaper. */
const PATHS_MAX = 200;

interface CycleDeps {
  readonly state: ReplicaState;
  readonly server: ServerSpace;
  readonly local: LocalCopy;
  readonly clock: Clock;
}

export interface CycleOptions {
  readonly direction: "both" | "pull" | "push";
  /** Local paths that may have changed; undefined: look at all. */
  readonly paths?: ReadonlySet<string> | undefined;
  /** A person agreed to many deletes, and to a server with another history. */
  readonly confirmed?: boolean;
  /** Tries refused changes again. */
  readonly retryHeld?: boolean;
  readonly dryRun?: boolean;
  /** A missing file counts as deleted if it is still missing after this time: an editor may be saving it. */
  readonly deleteGraceMs?: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Of the contents that come from the server. */
export interface Progress {
  readonly files: number;
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
}

interface Decided {
  readonly path: DocumentPath;
  readonly action: Action;
  readonly row: FileRow | null;
  readonly local: LocalFile | undefined;
}

/**
 * Raises `refused` with `details.needs_consent` before it changes anything, `epoch_changed` for a server with another history, and what the
 * network and the disk raise.
 */
export async function runCycle(deps: CycleDeps, options: CycleOptions): Promise<SyncReport> {
  const { state, server } = deps;
  const origin = state.origin!;
  const report = emptyReport({
    server: server.place,
    space: origin.space,
    dry_run: options.dryRun === true,
  });
  if (options.retryHeld) await releaseHeld(state);
  const cycle = new Cycle(deps, options, report);
  for (let round = 1; round <= ROUNDS_MAX; round += 1) if ((await cycle.round()) === "done") break;
  report.head = state.head ?? "";
  return report;
}

async function releaseHeld(state: ReplicaState): Promise<void> {
  const held = state.held();
  if (held.length > 0) await state.release(held.map(({ path }) => path));
}

class Cycle {
  readonly #deps: CycleDeps;
  readonly #options: CycleOptions;
  readonly #report: SyncReport;
  #rules: SyncRules = {};
  #held: ReadonlyMap<string, HeldRow> = new Map();
  #foundEdits = false;

  constructor(deps: CycleDeps, options: CycleOptions, report: SyncReport) {
    this.#deps = deps;
    this.#options = options;
    this.#report = report;
  }

  async round(): Promise<"done" | "again"> {
    const { state, local } = this.#deps;
    const { direction, dryRun } = this.#options;
    await this.#learn();
    this.#rules = state.rules;
    this.#held = new Map(state.held().map((row) => [row.path, row]));
    this.#report.waiting.length = 0;
    const decided = await local.use((engine) => this.#compareUnlessSettled(engine));
    if (dryRun) return this.#planned(decided);
    await this.#settle(decided);
    let again = false;
    const incoming = decided.filter(isIncoming);
    if (direction === "push") this.#report.waiting.push(...incoming.map(({ path }) => path));
    else again = await this.#bringAll(incoming);
    const outgoing = decided.filter(({ action }) => action === "send" || action === "withdraw");
    if (direction === "pull") this.#report.waiting.push(...outgoing.map(({ path }) => path));
    else again = (await this.#push(outgoing)) === "again" || again;
    // The result of a merge and the copy of a conflict are new here.
    const made = direction === "both" && decided.some(({ action }) => action === "merge");
    return again || made ? "again" : "done";
  }

  /** Asks the server what is new, and records it. */
  async #learn(): Promise<void> {
    const { state, server, local } = this.#deps;
    const { head } = state;
    const before = JSON.stringify(state.rules);
    if (head === null) await this.#learnAll("joined");
    else {
      try {
        const news = await server.news(head);
        if (news.head !== head || JSON.stringify(news.rules) !== before)
          await state.fold(news.head, news.rules, news.changes);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "epoch_changed") throw error;
        if (this.#options.confirmed !== true) throw restored(server.place);
        await this.#learnAll("restored");
      }
    }
    const { rules } = state;
    if (JSON.stringify(rules) !== before && !this.#options.dryRun) await local.adoptRules(rules);
  }

  async #learnAll(fresh: "joined" | "restored"): Promise<void> {
    const { head, rules, files } = await this.#deps.server.everything();
    await this.#deps.state.replace(head, rules, files, fresh);
  }

  /** Skips a comparison of everything if neither side changed since the last one. */
  async #compareUnlessSettled(engine: SpaceEngine): Promise<Decided[]> {
    const { state } = this.#deps;
    if (this.#isPartial) return this.#compare(engine);
    // First, so that an edit made during the comparison has another fingerprint.
    const fingerprint = await engine.fingerprint();
    if (fingerprint !== undefined && fingerprint === state.settled) return [];
    const decided = await this.#compare(engine);
    const isSettled = decided.length === 0 && this.#report.refused.length === 0 && !this.#foundEdits;
    if (isSettled && fingerprint !== undefined && !this.#options.dryRun) await state.settle(fingerprint);
    return decided;
  }

  get #isPartial(): boolean {
    const { paths } = this.#options;
    return paths !== undefined && paths.size <= PATHS_MAX;
  }

  /** Records local edits, and decides for every path. */
  async #compare(engine: SpaceEngine): Promise<Decided[]> {
    const { paths = new Set<string>() } = this.#options;
    const rows = this.#isPartial ? this.#rowsAt(paths) : byPath(this.#deps.state.files());
    const looked = this.#isPartial ? new Set([...paths, ...rows.keys()]) : undefined;
    const found = await look(engine, looked, this.#options.deleteGraceMs);
    this.#foundEdits = found.edited.size + found.missing.size > 0;
    this.#onlySynced(found);
    const planned = this.#decideAll(rows, found, (path, live) => {
      // The content of an edit is hashed when it is recorded.
      if (found.edited.has(path)) return { version: 0, hash: "edited" };
      return found.missing.has(path) ? undefined : live;
    });
    this.#requireConsent(planned);
    this.#report.refused.length = 0;
    if (this.#options.dryRun !== true) await recordEdits(engine, found, this.#deps.state.origin!.user);
    this.#report.refused.push(...found.refused);
    if (this.#options.dryRun) return planned;
    return this.#withLineage(
      engine,
      this.#decideAll(rows, found, (_, live) => live),
    );
  }

  #rowsAt(paths: ReadonlySet<string>): Map<string, FileRow> {
    const { state } = this.#deps;
    const rows = byPath(state.pending());
    for (const path of paths) {
      const row = state.file(path);
      if (row) rows.set(path, row);
    }
    return rows;
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
      const action = this.#decided(path, row, local.hash, lineage);
      // Without a common content there is no base.
      result.push({ ...one, action, row: lineage === "common" ? row : { ...row, base_hash: null } });
    }
    return result;
  }

  async #lineageOf(engine: SpaceEngine, path: DocumentPath, row: FileRow): Promise<Lineage> {
    const base = row.base_hash;
    const hashes = new Set(await this.#deps.server.hashesOf(path));
    if (base !== null && hashes.has(base)) return "common";
    const history = await engine.history(path);
    return history?.versions.some(({ hash }) => hash === row.hash) ? "earlier" : "unknown";
  }

  #requireConsent(decided: readonly Decided[]): void {
    if (this.#options.confirmed === true) return;
    const { synced } = this.#deps.state;
    const count = (action: Action) => decided.filter((one) => one.action === action).length;
    const [here, there] = [count("remove"), count("withdraw")];
    if (!needsConsent(here, synced) && !needsConsent(there, synced)) return;
    const where = here > there ? "here" : "on the server";
    throw new AppError(
      "refused",
      `this sync would delete ${Math.max(here, there)} of ${synced} files ${where}; nothing was changed; run cairn sync --yes to agree`,
      { needs_consent: true, deletes_here: here, deletes_on_server: there, files: synced },
    );
  }

  #planned(decided: readonly Decided[]): "done" {
    const list: Partial<Record<Action, string[]>> = {
      take: this.#report.pulled,
      remove: this.#report.removed,
      send: this.#report.pushed,
      withdraw: this.#report.withdrawn,
      merge: this.#report.merged,
    };
    for (const { path, action } of decided) list[action]?.push(path);
    return "done";
  }

  /** Records what needs no transfer. */
  async #settle(decided: readonly Decided[]): Promise<void> {
    const { state } = this.#deps;
    const agreements = decided.filter(({ action }) => action === "agree").map(agreementOf);
    if (agreements.length > 0) await state.agree(agreements);
    const kept = decided.filter(({ action }) => action === "keep");
    if (kept.length > 0) await state.keep(kept.map(({ path }) => path));
  }

  /** Returns whether something changed meanwhile. */
  async #bringAll(incoming: readonly Decided[]): Promise<boolean> {
    const steps = incoming
      .filter(({ path, row }) => !this.#isHeld(path, "down", row?.hash ?? ""))
      .map(stepOf);
    const chunks = chunksOf(steps);
    const contents = steps.filter(({ action }) => action !== "remove");
    const totalBytes = contents.reduce((sum, { row }) => sum + row.size, 0);
    const done = { files: 0, bytes: 0 };
    let again = false;
    // The next contents arrive while these are written.
    let next = this.#fetched(chunks[0]);
    for (const [index, chunk] of chunks.entries()) {
      const pulled = await next;
      next = this.#fetched(chunks[index + 1]);
      // Its failure counts when its turn comes.
      next.catch(() => {});
      if (pulled === "changed") return true;
      const brought = await this.#bring(chunk, pulled);
      again ||= brought.raced.length > 0;
      done.files += pulled.size;
      for (const { bytes } of pulled.values()) done.bytes += bytes.length;
      this.#options.onProgress?.({ ...done, totalFiles: contents.length, totalBytes });
    }
    return again;
  }

  /** `changed`: the server no longer has one of the files, or a rule excludes it now. */
  async #fetched(chunk: readonly Step[] | undefined): Promise<Map<string, Pulled> | "changed"> {
    const paths = (chunk ?? []).filter(({ action }) => action !== "remove").map(({ path }) => path);
    if (paths.length === 0) return new Map();
    try {
      const pulled = await this.#deps.server.pull(paths);
      return new Map(pulled.map((one) => [one.path, one]));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "not_found" || error.code === "refused") return "changed";
      const path = error.details?.["path"];
      const refused = chunk!.find((step) => step.path === path);
      if (!refused || error.code !== "forbidden") throw error;
      await this.#holdDown(refused.path, refused.row.hash ?? "", error);
      return this.#fetched(chunk!.filter((step) => step !== refused));
    }
  }

  async #bring(chunk: readonly Step[], pulled: ReadonlyMap<string, Pulled>): Promise<Brought> {
    const { local, server, state, clock } = this.#deps;
    const { user } = state.origin!;
    const brought = await local.use(async (engine) => {
      const around = { engine, server, user, now: () => clock.now() };
      const result = await bring(around, chunk, pulled);
      await state.agree(result.agreements);
      return result;
    });
    for (const { path, hash, error } of brought.failed) await this.#holdDown(path, hash, error);
    this.#report.pulled.push(...brought.taken);
    this.#report.removed.push(...brought.removed);
    this.#report.merged.push(...brought.merged);
    this.#report.conflicts.push(...brought.conflicts);
    this.#report.waiting.push(...brought.raced);
    return brought;
  }

  async #holdDown(path: string, hash: string, error: AppError): Promise<void> {
    const held = { path, direction: "down", code: error.code, reason: error.message } as const;
    await this.#deps.state.hold({ ...held, hash });
    this.#report.held.push(held);
  }

  #isHeld(path: string, direction: HeldRow["direction"], hash: string): boolean {
    const held = this.#held.get(path);
    return held?.direction === direction && held.hash === hash;
  }

  async #push(outgoing: readonly Decided[]): Promise<"done" | "again"> {
    const { state, server, local } = this.#deps;
    const isReady = ({ path, local: file }: Decided) => !this.#isHeld(path, "up", file?.hash ?? "");
    const sendings = outgoing.filter(isReady).map(({ path, row, local: file }): Sending => ({
      path,
      local: file,
      expected: row?.version ?? null,
    }));
    if (sendings.length === 0) return "done";
    return pushAll({ state, server, local, user: state.origin!.user }, sendings, this.#report);
  }
}

function byPath(rows: readonly FileRow[]): Map<string, FileRow> {
  return new Map(rows.map((row) => [row.path, row]));
}

function isIncoming({ action }: Decided): boolean {
  return action === "take" || action === "remove" || action === "merge";
}

function stepOf({ path, action, row, local }: Decided): Step {
  return { path, action: action as Step["action"], row: row!, local };
}

function agreementOf({ path, row, local }: Decided): Agreement {
  if (!local || row?.hash === null || !row) return { path, server: null, local: null };
  const { version, hash, size, author } = row;
  return { path, server: { path, version: version!, hash, size, author }, local: local.version };
}

/** Deletes come first, so that they free names; contents in the order of paths. */
function chunksOf(steps: readonly Step[]): Step[][] {
  const chunks: Step[][] = [];
  let [files, bytes] = [0, 0];
  const removals = steps.filter(({ action }) => action === "remove");
  const contents = steps.filter(({ action }) => action !== "remove");
  for (let from = 0; from < removals.length; from += FILES_PER_PULL_MAX)
    chunks.push(removals.slice(from, from + FILES_PER_PULL_MAX));
  let chunk: Step[] = [];
  for (const step of contents) {
    const isFull = files >= FILES_PER_PULL_MAX || bytes + step.row.size > BYTES_PER_PULL_MAX;
    if (chunk.length > 0 && isFull) {
      chunks.push(chunk);
      [chunk, files, bytes] = [[], 0, 0];
    }
    chunk.push(step);
    files += 1;
    bytes += step.row.size;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

function restored(server: string): AppError {
  return new AppError(
    "epoch_changed",
    `${server} was restored from a backup or has another history now; nothing was changed here; run cairn sync --yes to compare everything and keep both sides`,
    { needs_consent: true },
  );
}
