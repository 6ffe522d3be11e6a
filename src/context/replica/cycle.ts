// One sync cycle: learn what the server changed since the known head, compare every path, bring changes here, send local ones. Each step is
// recorded when it is done, so a cycle that is interrupted anywhere is continued by the next one.

import { AppError } from "../../kit/error.ts";
import type { Clock } from "../../kit/clock.ts";
import { inSteps } from "../../kit/storage-error.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { conflictName } from "../sync/conflict-names.ts";
import { bring, foreseen, type Brought, type Step } from "./applying.ts";
import { Comparison, type Decided, type Direction } from "./comparing.ts";
import type { Action } from "./decision.ts";
import { problemOf } from "../versioned-store/file-error.ts";
import type { FileBehind } from "../space/door.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import { headText, parseHead } from "../versioned-store/head.ts";
import type { LocalCopy } from "./local-copy.ts";
import { pushAll, type Sending } from "./pushing.ts";
import { emptyReport, type SyncReport } from "./report.ts";
import type { News, Pulled, ServerSpace } from "./server-space.ts";
import type { Agreement, ReplicaState } from "./state.ts";
import type { HeldRow } from "./store.ts";

/** Looks at a space that others keep changing; the next cycle continues. */
const ROUNDS_MAX = 5;
/** The limits of one pull. A single file may be larger. */
const FILES_PER_PULL_MAX = 1_000;
const BYTES_PER_PULL_MAX = 16 * 1024 * 1024;
interface CycleDeps {
  readonly state: ReplicaState;
  readonly server: ServerSpace;
  readonly local: LocalCopy;
  readonly clock: Clock;
}

export interface CycleOptions {
  readonly direction: Direction;
  /** Local paths that may have changed; undefined: look at all. */
  readonly paths?: ReadonlySet<string> | undefined;
  /** A person agreed to many deletes, and to a server with another history. */
  readonly confirmed?: boolean;
  /** Tries refused changes again. */
  readonly retryHeld?: boolean;
  /** Records nothing, neither here nor about the server. */
  readonly dryRun?: boolean;
  /** A missing file counts as deleted if it is still missing after this wait: an editor may be saving it. */
  readonly deleteGrace?: () => Promise<void>;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Of the contents that come from the server. */
export interface Progress {
  readonly files: number;
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
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
  if (options.dryRun !== true) return inSteps(() => cycled(deps, options, report));
  using rehearsal = state.rehearsal(deps.clock);
  return await cycled({ ...deps, state: rehearsal }, options, report);
}

async function cycled(deps: CycleDeps, options: CycleOptions, report: SyncReport): Promise<SyncReport> {
  const cycle = new Cycle(deps, options, report);
  let ended = false;
  for (let round = 1; round <= ROUNDS_MAX && !ended; round += 1) ended = (await cycle.round()) === "done";
  if (!ended) cycle.reportUnsent();
  // Moves are sent in pairs.
  for (const sent of [report.pushed, report.withdrawn]) sent.sort();
  report.head = deps.state.head ?? "";
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
  /** Of all rounds (pushing.ts). */
  readonly #expectedBefore = new Map<string, number | null>();
  #held: ReadonlyMap<string, HeldRow> = new Map();
  #sendings: readonly Sending[] = [];

  constructor(deps: CycleDeps, options: CycleOptions, report: SyncReport) {
    this.#deps = deps;
    this.#options = options;
    this.#report = report;
  }

  async round(): Promise<"done" | "again"> {
    const { state, local } = this.#deps;
    const { direction, dryRun } = this.#options;
    await this.#learn();
    this.#held = new Map(state.held().map((row) => [row.path, row]));
    this.#report.waiting.length = 0;
    const comparison = new Comparison(this.#deps, this.#options);
    const decided = await local.use(async (engine) => {
      const all = await comparison.run(engine);
      this.#report.behind = behindIn(engine);
      return all;
    });
    this.#report.refused.splice(0, Infinity, ...comparison.refused);
    this.#report.waiting.push(...comparison.vanishing);
    if (dryRun) return this.#planned(decided);
    await this.#settle(decided);
    let again = false;
    const incoming = decided.filter(isIncoming);
    if (direction === "push") this.#report.waiting.push(...incoming.map(({ path }) => path));
    else again = await this.#bringAll(incoming);
    const outgoing = decided.filter(isOutgoing);
    if (direction === "pull") this.#report.waiting.push(...outgoing.map(({ path }) => path));
    else again = (await this.#push(outgoing)) === "again" || again;
    // The result of a merge and the copy of a conflict are new here.
    const made = direction === "both" && decided.some(({ action }) => action === "merge");
    return again || made ? "again" : "done";
  }

  /** Call it if no round was the last one: the person is told what the server did not take. */
  reportUnsent(): void {
    const { pushed, withdrawn, held, waiting } = this.#report;
    const named = new Set([...pushed, ...withdrawn, ...waiting, ...held.map(({ path }) => path)]);
    waiting.push(...this.#sendings.map(({ path }) => path).filter((path) => !named.has(path)));
  }

  /** Asks the server what is new, and records it. */
  async #learn(): Promise<void> {
    const { state, server, local } = this.#deps;
    const { head } = state;
    const before = JSON.stringify(state.rules);
    if (head === null) await this.#learnAll("joined");
    else {
      try {
        const news = await this.#newsSince(head);
        const isSame = news.head === head && (news.view ?? null) === state.view;
        if (!isSame || JSON.stringify(news.rules) !== before) await state.fold(news);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== "epoch_changed") throw error;
        if (this.#options.confirmed !== true) throw restored(server.place, local.directory);
        await this.#learnAll("restored");
      }
    }
    const { rules } = state;
    if (JSON.stringify(rules) !== before && !this.#options.dryRun) await local.adoptRules(rules);
  }

  /** With other rights, files may be visible that changed long ago, and refused changes may be allowed. */
  async #newsSince(head: string): Promise<News> {
    const { state, server } = this.#deps;
    const news = await server.news(head);
    const { view } = news;
    if (view === undefined || view === state.view) return news;
    await releaseHeld(state);
    const { epoch } = parseHead("head", head);
    return { ...(await server.news(headText({ epoch, seq: 0 }))), view };
  }

  async #learnAll(fresh: "joined" | "restored"): Promise<void> {
    const { state, server } = this.#deps;
    await state.replace(await server.everything(), fresh);
  }

  /** Reports what the cycle would do in its direction; the rest waits. */
  async #planned(all: readonly Decided[]): Promise<"done"> {
    const { direction } = this.#options;
    const left = direction === "pull" ? isOutgoing : direction === "push" ? isIncoming : () => false;
    const decided = all.filter((one) => !left(one));
    this.#report.waiting.push(...all.filter(left).map(({ path }) => path));
    const list: Partial<Record<Action, string[]>> = {
      take: this.#report.pulled,
      remove: this.#report.removed,
      send: this.#report.pushed,
      withdraw: this.#report.withdrawn,
    };
    for (const { path, action } of decided) list[action]?.push(path);
    for (const one of decided) if (one.action === "merge") await this.#foresee(one);
    return "done";
  }

  /** Tries the merge, and writes nothing. */
  async #foresee(one: Decided): Promise<void> {
    const { local, server, state, clock } = this.#deps;
    const { path } = one;
    const step = stepOf(one);
    const pulled = await this.#fetched([step]);
    const content = pulled === "changed" ? undefined : pulled.get(path);
    const outcome =
      content && (await local.use((engine) => foreseen({ engine, server }, step, content.bytes)));
    const copy = conflictName(path, state.origin!.user, clock.now(), () => false);
    if (outcome === "conflict") this.#report.conflicts.push({ path, copy });
    else if (outcome === "merge") this.#report.merged.push(path);
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
      this.#report.behind = behindIn(engine);
      return result;
    });
    const behind = new Set(this.#report.behind.map(({ path }) => path));
    const isOnDisk = (path: string) => !behind.has(path);
    for (const { path, hash, error } of brought.failed) await this.#holdDown(path, hash, error);
    this.#report.pulled.push(...brought.taken.filter(isOnDisk));
    this.#report.removed.push(...brought.removed.filter(isOnDisk));
    this.#report.merged.push(...brought.merged.filter(isOnDisk));
    this.#report.conflicts.push(...brought.conflicts);
    this.#report.waiting.push(...brought.raced);
    return brought;
  }

  async #holdDown(path: string, hash: string, error: AppError): Promise<void> {
    const held = { path, direction: "down", code: error.code, reason: problemOf(error) } as const;
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
      replaces: row?.hash ?? null,
    }));
    this.#sendings = sendings;
    if (sendings.length === 0) return "done";
    const { user } = state.origin!;
    return pushAll(
      { state, server, local, user, expectedBefore: this.#expectedBefore },
      sendings,
      this.#report,
    );
  }
}

function behindIn(engine: SpaceEngine): FileBehind[] {
  return engine.treeBehind().map((path) => ({ path, reason: engine.whyBehind(path) ?? "unknown" }));
}

function isIncoming({ action }: Decided): boolean {
  return action === "take" || action === "remove" || action === "merge";
}

function isOutgoing({ action }: Decided): boolean {
  return action === "send" || action === "withdraw";
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

function restored(server: string, directory: string): AppError {
  const again = commandText(["cairn", "sync", "--yes", "--dir", directory]);
  return new AppError(
    "epoch_changed",
    `${server} was restored from a backup or has another history now; nothing was changed here; run ${again} to compare everything and keep both sides`,
    { needs_consent: true },
  );
}
