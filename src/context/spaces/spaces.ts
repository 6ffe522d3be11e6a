// The spaces of a server: created, opened on first use, listed for those who may see them, deleted with all their content. The name and settings
// of a space are in its own folder, so that the folder can be copied.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, messageOf, notFound, stopping } from "../../kit/error.ts";
import type { HealthProblem } from "../../kit/health.ts";
import { KeyedLock } from "../../kit/concurrency/keyed-lock.ts";
import type { Log } from "../../kit/log.ts";
import type { Audit } from "../audit/audit.ts";
import type { Events } from "../events/events.ts";
import type { EngineKind, SpaceEngine, SpaceEngineOptions } from "../versioned-store/engine.ts";
import type { Snapshot } from "../versioned-store/schema.ts";
import { snapshotName } from "../versioned-store/snapshot-name.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import type { SpaceCopying } from "./copying.ts";
import { namesIn } from "./folders.ts";
import { Freezing, type CopyFor, type FrozenSpace } from "./freezing.ts";
import { closeEach, recordOf, totalsOf, type OpenSpace, type SpaceList } from "./open-space.ts";
import { quotasInForce, quotasSetBy } from "./quota-rules.ts";
import {
  DEFAULT_SYNC,
  spaceNameProblem,
  SPACES_MAX,
  type CreateSpace,
  type EffectiveQuotas,
  type Quotas,
  type Space,
  type SpaceFile,
  type SyncRules,
} from "./schema.ts";
import { openSpaceFile, requireDatabase, saveSpaceFile } from "./space-file.ts";
import { SpaceDeeds, type SpaceDeed } from "./space-deeds.ts";
import { spaceDeedStore } from "./store.ts";
import { proveSpaces, Unopened } from "./proving.ts";
import { deleteAside, forgetSpace, putAside, requireConfirmed } from "./removal.ts";
import { canonicalRules, visibleRules } from "./sync-rules.ts";
import { tellerOf } from "./announcing.ts";
import { templateOperations, unwritten } from "./templates.ts";

/** The changes read from a log at once. */
const LOG_PAGE = 500;

type Stored = Pick<OpenSpace, "engine" | "file"> & { readonly ask: () => void };

interface SpacesDeps {
  readonly db: Db;
  /** Contains the folders of the spaces. */
  readonly directory: string;
  readonly engine: EngineKind;
  readonly audit: Audit;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly quotas: EffectiveQuotas;
  readonly versionsKept: number;
  /** As for the engine of every space. */
  readonly engineOptions?: Pick<SpaceEngineOptions, "onCommit" | "workers">;
  /** Copies what changes to other nodes. */
  readonly copying?: SpaceCopying | undefined;
}

export class Spaces {
  readonly #deps: SpacesDeps;
  readonly #deeds: SpaceDeeds;
  readonly #open = new Map<string, OpenSpace>();
  readonly #unopened = new Unopened((name) => this.#names.has(name));
  readonly #names = new Set<string>();
  readonly #lock = new KeyedLock<string>();
  readonly #freezing = new Freezing();
  #isClosed = false;

  constructor(deps: SpacesDeps) {
    this.#deps = deps;
    this.#deeds = new SpaceDeeds({ ...deps, store: spaceDeedStore(deps.db) });
  }

  /** Finds the spaces, and deletes removed ones that a crash left behind. */
  prepare(): void {
    const { directory, engine, events } = this.#deps;
    for (const name of namesIn(directory, engine)) this.#names.add(name);
    events.hideOthers((name) => this.#names.has(name));
  }

  /** Only names a space that cannot be opened: the log has the reason, and so does a request for that space. */
  async list(caller: Caller): Promise<SpaceList> {
    const names = [...this.#names].filter((name) => caller.rights.sees(name)).sort();
    const spaces: Space[] = [];
    for (const name of names) {
      const space = await this.#openedOrLogged(name);
      if (space) spaces.push(await this.#record(caller, space));
    }
    return { spaces, unopened: this.#unopened.seenBy(caller) };
  }

  async get(caller: Caller, name: string): Promise<Space> {
    return this.#record(caller, await this.looked(caller, name));
  }

  /** Raises `not_found` for an unknown space and equally for one that the caller may not see. */
  async visible(caller: Caller, name: string): Promise<OpenSpace> {
    this.#requireSeen(caller, name);
    return this.#opened(name);
  }

  /** As `visible`, for reads: audits the refusal. */
  async looked(caller: Caller, name: string): Promise<OpenSpace> {
    this.requireVisible(caller, name);
    return this.#opened(name);
  }

  /** Raises `not_found`, or `forbidden` for a caller who sees the space but is not a lead there. */
  async led(caller: Caller, name: string): Promise<OpenSpace> {
    this.requireLead(caller, name);
    return this.#opened(name);
  }

  /** Raises `not_found`, and audits it if the space exists. Refused changes are audited anyway. */
  requireVisible(caller: Caller, name: string): void {
    if (this.#names.has(name) && !caller.rights.sees(name))
      this.#deps.audit.record(caller, { action: "space.read", space: name }, notFound("space", name));
    this.#requireSeen(caller, name);
  }

  /** Called again in the step or transaction that makes a change. Raises `not_found`, `forbidden`, `unauthenticated`. */
  requireLead(caller: Caller, name: string): void {
    this.#requireSeen(caller, name);
    if (!caller.rights.has("lead", name))
      throw new AppError("forbidden", `requires the role space-lead or admin in ${name}`);
  }

  #requireSeen(caller: Caller, name: string): void {
    if (!this.#names.has(name) || !caller.rights.sees(name)) throw notFound("space", name);
  }

  exists(name: string): boolean {
    return this.#names.has(name);
  }

  names(): readonly string[] {
    return [...this.#names].sort();
  }

  create(caller: Caller, input: CreateSpace): Promise<Space> {
    const deed = { action: "space.create", space: input.name };
    return this.#audited(caller, deed, async () => {
      requireAdmin(caller);
      const { name } = input;
      const problem = spaceNameProblem(name);
      if (problem) throw fieldError("invalid", "name", problem);
      return this.#lock.run(name, async () => {
        if (this.#names.has(name)) throw fieldError("conflict", "name", `a space "${name}" already exists`);
        if (this.#names.size >= SPACES_MAX)
          throw new AppError("refused", `at most ${SPACES_MAX} spaces on one server`);
        return this.#record(caller, await this.#make(caller, deed, input.template ?? "team"));
      });
    });
  }

  remove(
    caller: Caller,
    name: string,
    confirm: string | undefined,
  ): Promise<{ name: string; files: number; bytes: number }> {
    const deed = { action: "space.delete", space: name };
    return this.#audited(caller, deed, async () => {
      const space = await this.visible(caller, name);
      requireAdmin(caller);
      requireConfirmed(name, confirm);
      return this.#lock.run(name, async () => {
        // Another removal was first.
        if (this.#open.get(name) !== space) throw notFound("space", name);
        const { files, bytes } = space.engine.totals();
        // The caller may have lost the right while waiting for the lock.
        const ask = () => requireAdmin(caller);
        const event = { files, bytes };
        const plan = { caller, deed, event, kind: "delete", proof: "", engine: space.engine, ask } as const;
        const gone = await this.#deeds.run(plan, () => this.#moveAway(space));
        await deleteAside(gone, this.#deps.log);
        return { name, ...event };
      });
    });
  }

  /** Returns where the folder of the removed space is now. */
  async #moveAway({ name, engine }: OpenSpace): Promise<string> {
    const { events, directory, clock } = this.#deps;
    this.#freezing.requireRemovable();
    this.#names.delete(name);
    this.#open.delete(name);
    await this.#freezing.release(name);
    await engine.close(notFound("space", name));
    // If that fails, the next use opens the space again.
    const gone = putAside(directory, name, clock.now(), () => this.#names.add(name));
    this.#deps.copying?.removed(name);
    // The event of the removal follows those of its files.
    await events.settle();
    await forgetSpace(this.#deps, name);
    return gone;
  }

  quotasOf({ file }: OpenSpace): EffectiveQuotas {
    return quotasInForce(this.#deps.quotas, file);
  }

  versionsKept({ file }: OpenSpace): number {
    return file.retention?.max_versions ?? this.#deps.versionsKept;
  }

  setQuotas(caller: Caller, name: string, quotas: Quotas): Promise<EffectiveQuotas> {
    const deed = { action: "space.quotas", space: name };
    return this.#audited(caller, deed, async () => {
      const space = await this.led(caller, name);
      const set = (before: SpaceFile) =>
        quotasSetBy(caller, name, { server: this.#deps.quotas, before, asked: quotas });
      await this.#save(caller, deed, space, (file) => ({ ...file, ...set(file) }));
      return this.quotasOf(space);
    });
  }

  async sync(caller: Caller, name: string): Promise<SyncRules> {
    return visibleRules(caller, await this.looked(caller, name));
  }

  /** `change`: from the rules in force to the new ones, inside the write. It must be pure, and may raise to refuse the rules that it finds. */
  setSync(caller: Caller, name: string, change: (inForce: SyncRules) => SyncRules): Promise<SyncRules> {
    const deed = { action: "space.sync", space: name };
    return this.#audited(caller, deed, async () => {
      const space = await this.led(caller, name);
      await this.#save(caller, deed, space, (file) => ({ ...file, sync: canonicalRules(change(file.sync)) }));
      return space.file.sync;
    });
  }

  async snapshots(caller: Caller, name: string): Promise<Snapshot[]> {
    return (await this.looked(caller, name)).engine.snapshots();
  }

  snapshot(caller: Caller, name: string, title: string): Promise<Snapshot> {
    const deed = { action: "space.snapshot", space: name, target: title };
    return this.#audited(caller, deed, async () => {
      const { engine } = await this.led(caller, name);
      const [proof, ask] = [snapshotName(title), () => this.requireLead(caller, name)];
      const plan = { caller, deed, event: { name: proof }, kind: "snapshot", proof, engine, ask } as const;
      const make = () => engine.snapshot(proof, { author: caller.name, begin: ask });
      return this.#lock.run(name, () => this.#deeds.run(plan, make));
    });
  }

  /** For the server's own work. Undefined: the space was removed, or cannot be opened, which the log says. */
  async opened(name: string): Promise<OpenSpace | undefined> {
    return this.#names.has(name) ? this.#openedOrLogged(name) : undefined;
  }

  /** Opens each space once, so that what a crash kept from the record and the event log follows without waiting for a request. */
  async catchUpAll(): Promise<void> {
    for (const name of this.names()) await this.opened(name);
    for (const name of this.#deeds.spaces())
      await this.#lock.run(name, async () => this.exists(name) || this.#deeds.settle(name, undefined));
  }

  async #openedOrLogged(name: string): Promise<OpenSpace | undefined> {
    try {
      return await this.#opened(name);
    } catch (error) {
      this.#deps.log.error("cannot open a space", { space: name, error: messageOf(error) });
      return undefined;
    }
  }

  /** Opens all spaces. Raises the first failure, with the name of the space. */
  async openAll(): Promise<OpenSpace[]> {
    const opened: OpenSpace[] = [];
    for (const name of this.names()) {
      try {
        if (this.#names.has(name)) opened.push(await this.#opened(name));
      } catch (error) {
        throw new AppError(
          error instanceof AppError ? error.code : "internal",
          `${name}: ${messageOf(error)}`,
        );
      }
    }
    return opened;
  }

  /** Resolves when all spaces can be frozen: no write in steps and no checkpoint is running. */
  async calm(): Promise<void> {
    for (const { engine } of this.#open.values()) if (engine.busy) return engine.busy.then(() => this.calm());
  }

  /** Freezes all spaces at the same moment. Raises as `Freezing.freeze`. */
  freeze(copyFor: CopyFor): FrozenSpace[] {
    return this.#freezing.freeze(copyFor, this.names(), this.#open, (name) => this.#folder(name));
  }

  thaw(frozen: readonly FrozenSpace[]): void {
    this.#freezing.thaw(frozen);
  }

  /** Resolves when a removal that was under way has ended. */
  removalOf(name: string): Promise<void> {
    return this.#lock.run(name, () => Promise.resolve());
  }

  /** Raises the error of the first space or disk that is not writable. */
  prove(): Promise<void> {
    return proveSpaces(this.#open.values(), this.#unopened.names, (name) => this.#folder(name));
  }

  problems(): HealthProblem[] {
    return this.#unopened.problems();
  }

  #folder(name: string): string {
    return join(this.#deps.directory, name);
  }

  /** Sums the open spaces; after startup, all spaces are open. */
  totals(): { files: number; bytes: number } {
    return totalsOf(this.#open.values());
  }

  /** Closes every space; none can be opened afterwards, not even by a question that was under way. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await closeEach(this.#open.values(), this.#deps.log);
    this.#open.clear();
  }

  async #opened(name: string): Promise<OpenSpace> {
    const open = () => this.#unopened.opening(name, () => this.#openNow(name));
    return this.#open.get(name) ?? this.#lock.run(name, open);
  }

  async #openNow(name: string): Promise<OpenSpace> {
    const known = this.#open.get(name);
    if (known) return known;
    // Removed since the caller looked.
    if (!this.#names.has(name)) throw notFound("space", name);
    const { directory, events, audit } = this.#deps;
    const folder = join(directory, name);
    requireDatabase(folder, name, this.#deps.engine);
    const engine = this.#openEngine(folder, name);
    try {
      await this.#deeds.settle(name, engine);
      const file = await openSpaceFile(folder, engine, this.#deps);
      const space = { name, engine, file };
      const log = (after: number) => engine.log(after, LOG_PAGE);
      await audit.catchUp(name, engine.head(), log);
      await events.catchUp(name, engine.head(), log);
      this.#requireOpen();
      // Last, so that no one writes before the changes that a crash left unrecorded are recorded and published.
      this.#open.set(name, space);
      return space;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  async #make(caller: Caller, deed: SpaceDeed, template: string): Promise<OpenSpace> {
    const { directory, clock } = this.#deps;
    const name = deed.space;
    const wanted = templateOperations(template);
    const folder = join(directory, name);
    // An existing folder belongs to the user and is kept even if this fails.
    const isOurs = !existsSync(folder);
    let engine: SpaceEngine | undefined;
    try {
      // The removal of a space of that name may have no record yet, and the new space would deny it.
      await this.#deeds.settle(name, undefined);
      engine = this.#openEngine(folder, name);
      await this.#deps.audit.catchUp(name, engine.head(), () => Promise.resolve([]));
      await this.#deps.events.begin(name, engine.head());
      const operations = await unwritten(engine, wanted);
      if (operations.length > 0) await engine.apply({ operations, author: caller.name, by: caller });
      const created_at = rfc3339(clock.now());
      const space = { name, engine, file: { name, created_at, template, sync: DEFAULT_SYNC } };
      // Last, because this file makes the folder a space. Stopping removes none that is on record.
      const ask = () => requireAdmin(caller);
      await this.#store(caller, deed, { ...space, ask }, () => {
        this.#requireOpen();
        this.#open.set(name, space);
        this.#names.add(name);
      });
      return space;
    } catch (error) {
      await engine?.close();
      if (isOurs) {
        rmSync(folder, { recursive: true, force: true });
        this.#deps.copying?.removed(name);
      }
      throw error;
    }
  }

  /** Raises `unavailable`. */
  #requireOpen(): void {
    if (this.#isClosed) throw stopping("server");
  }

  #openEngine(directory: string, name: string): SpaceEngine {
    this.#requireOpen();
    const { engine, clock, log, engineOptions, copying } = this.#deps;
    const copied = { pages: copying?.pages(name), treeAt: copying?.treeAt(name) };
    const onApplied = tellerOf(this.#deps, name);
    return engine.open({ directory, clock, log, onApplied, ...engineOptions, ...copied });
  }

  /**
   * Applies changes one after another, each to the result of the previous one. `change` must be pure: it is called again inside the write, where
   * it may raise if the caller's rights have changed.
   */
  #save(
    caller: Caller,
    deed: SpaceDeed,
    space: OpenSpace,
    change: (file: SpaceFile) => SpaceFile,
  ): Promise<void> {
    return this.#lock.run(space.name, async () => {
      const file = change(space.file);
      const ask = () => {
        this.requireLead(caller, space.name);
        change(space.file);
      };
      await this.#store(caller, deed, { engine: space.engine, file, ask }, () => (space.file = file));
    });
  }

  /** `saved` runs in the step in which the change is stored. */
  #store(caller: Caller, deed: SpaceDeed, { engine, file, ask }: Stored, saved: () => void): Promise<void> {
    const plan = { caller, deed, kind: "settings", proof: JSON.stringify(file), engine, ask } as const;
    return this.#deeds.run(plan, async () => {
      await saveSpaceFile(this.#folder(deed.space), engine, file, { begin: ask, log: this.#deps.log });
      saved();
    });
  }

  /** Audits refusals; `act` records success through `SpaceDeeds`. */
  #audited<T>(caller: Caller, deed: SpaceDeed, act: () => Promise<T>): Promise<T> {
    return this.#deps.audit.watched(caller, deed, act, () => undefined);
  }

  async #record(caller: Caller, space: OpenSpace): Promise<Space> {
    return recordOf(space, this.quotasOf(space), await visibleRules(caller, space));
  }
}
