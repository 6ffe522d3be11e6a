// The rules of files, which every surface uses to read and change them. A change passes through: canonical path, rights, secret scan, one
// transaction that checks rights and quotas against its real effects, and the audit record. Events come from the store itself.

import { LIGHT_STEPS, Stretch, turnOfOthers } from "../../kit/clock.ts";
import { AppError, notFound } from "../../kit/error.ts";
import { filteredInTurns } from "../../kit/concurrency/filter-in-turns.ts";
import { inPages, type Listing } from "../../kit/http/list-answer.ts";
import { parseDocumentPath, type DocumentPath } from "../../kit/text/paths.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Audit } from "../audit/audit.ts";
import type { Events } from "../events/events.ts";
import type { Caller } from "../identity/caller.ts";
import { modeOf } from "../spaces/modes.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Spaces } from "../spaces/spaces.ts";
import { visibleRules } from "../spaces/sync-rules.ts";
import type {
  Applied,
  Batch,
  Content,
  EditedCopy,
  Effect,
  Expected,
  Operation,
  Plan,
  Restored,
} from "../versioned-store/engine.ts";
import type { Change, ChangeDeed, NewContent } from "./change.ts";
import { adoptTree, restoreTree } from "./adoption.ts";
import { DIFF_JOB } from "./diff.ts";
import { documentsOf, type DocumentsAnswer, type DocumentsQuery } from "./documents.ts";
import { blockersOf, fileError, fileNotFound, found, pathOf } from "../versioned-store/file-error.ts";
import {
  refusal,
  requireEffect,
  requireNewName,
  requireRights,
  requireSome,
  seesEntry,
} from "./file-rights.ts";
import type { Stored } from "../versioned-store/coding.ts";
import { headText, parseHead } from "../versioned-store/head.ts";
import { momentOf } from "./moment.ts";
import { ofEdits } from "./hand-edits.ts";
import { admitQuotas, admitSizes } from "./quotas.ts";
import type { Adoption, Deleted, ListedFile } from "./listing-schema.ts";
import type { FileHistory, FileRecord, NetChange } from "../versioned-store/schema.ts";
import type { SecretScan } from "./secrets.ts";
import { authorOf, type Signature } from "./signature.ts";
import { onceEach, type Tell } from "./once-each.ts";

/** The spaces that callers name: those of a server, or the one of a folder on this machine. */
export type SpaceHost = Pick<
  Spaces,
  "looked" | "visible" | "led" | "requireLead" | "quotasOf" | "versionsKept"
>;

export interface FilesDeps {
  readonly spaces: SpaceHost;
  readonly audit: Pick<Audit, "record" | "watched">;
  readonly events: Pick<Events, "announce">;
  readonly secrets: SecretScan;
  readonly workers: WorkerPool;
}

export interface Written {
  readonly path: DocumentPath;
  readonly version: number;
  readonly hash: string;
  readonly size: number;
  readonly head: string;
  /** The file did not exist before. */
  readonly created: boolean;
}

/** Either a version, or the state of unrecorded content. */
export type Opened = Pick<Content, "path" | "bytes"> & {
  readonly version?: number;
  readonly state?: EditedCopy["state"];
};

export interface DiffQuery {
  /** Versions; default: see `Files.diff`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Lines around each change. */
  readonly context?: number | undefined;
  readonly signal?: AbortSignal;
}

/** Written at once: a few milliseconds of work. */
const RECORDS_PER_PAGE = 1_000;
const UNSEEN_BLOCKER = "blocked by a file that you cannot see";

export class Files {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  async list(
    caller: Caller,
    spaceName: string,
    query: { prefix?: string | undefined; deleted?: boolean; at?: string | undefined },
  ): Promise<ListedFile[]> {
    const space = await this.#deps.spaces.looked(caller, spaceName);
    const prefix = query.prefix?.replace(/\/$/, "");
    const records = await space.engine.list({
      ...(prefix ? { prefix: parseDocumentPath("prefix", prefix) } : {}),
      ...(query.deleted ? { deleted: true } : {}),
      ...(query.at === undefined ? {} : { at: momentOf(query.at, space) }),
    });
    const { sync } = space.file;
    const seesAll = caller.rights.readsAll(spaceName);
    const listed: ListedFile[] = [];
    const stretch = new Stretch(LIGHT_STEPS);
    for (const record of records) {
      if (stretch.isOver()) await turnOfOthers();
      if (!seesAll && !seesEntry(caller, spaceName, record.path)) continue;
      listed.push({ ...record, mode: modeOf(sync, record.path) });
    }
    return listed;
  }

  /**
   * Reads the working tree unless given a version: the live version, or a manual edit. Raises `not_found` for a file that does not exist or that
   * the caller may not see, `too_large` for an edit too large to be a document.
   */
  async read(caller: Caller, spaceName: string, pathText: string, version?: number): Promise<Opened> {
    const { space, path } = await this.#seen(caller, spaceName, pathText);
    const { engine } = space;
    const content = await (version === undefined ? engine.open(path) : engine.read(path, version));
    if (!content) throw version === undefined ? fileNotFound(path) : notFound("file", `${path} v${version}`);
    return content;
  }

  /** Returns a version as the store holds it. Raises as `read`. */
  async stored(caller: Caller, spaceName: string, pathText: string, version: number): Promise<Stored> {
    const { space, path } = await this.#seen(caller, spaceName, pathText);
    const stored = await space.engine.stored(path, version);
    if (!stored) throw notFound("file", `${path} v${version}`);
    return stored;
  }

  /** Reads many documents at once; see documents.ts. Raises as `list`. */
  async documents(caller: Caller, spaceName: string, query: DocumentsQuery): Promise<DocumentsAnswer> {
    const space = await this.#deps.spaces.looked(caller, spaceName);
    // A change during the read appears again after this head.
    const head = headText(space.engine.head());
    return { head, ...(await documentsOf(this, caller, spaceName, query)) };
  }

  /** Returns the record of a file without reading its content. Raises as `read`. */
  async record(caller: Caller, spaceName: string, pathText: string): Promise<FileRecord> {
    const { space, path } = await this.#seen(caller, spaceName, pathText);
    return found(await space.engine.stat(path), path);
  }

  /** Returns the live version. Raises as `read`. */
  async live(caller: Caller, spaceName: string, pathText: string): Promise<NonNullable<Effect["after"]>> {
    const { space, path } = await this.#seen(caller, spaceName, pathText);
    return found(await space.engine.live(path), path);
  }

  async history(caller: Caller, spaceName: string, pathText: string): Promise<FileHistory> {
    const { space, path } = await this.#seen(caller, spaceName, pathText);
    return found(await space.engine.history(path), path);
  }

  /**
   * Returns a FileDiff as JSON: by default of a manual edit against the newest version, or else of that version against the one before it. `signal`
   * cancels the comparison. Raises `not_text`, `too_large` for texts of more than DIFF_BYTES_MAX together, and what the worker pool raises.
   */
  async diff(
    caller: Caller,
    spaceName: string,
    pathText: string,
    { from, to, context, signal }: DiffQuery = {},
  ): Promise<Uint8Array> {
    const { space, path } = await this.#seen(caller, spaceName, pathText);
    const record = found(await space.engine.stat(path), path);
    const isEdited = record.state === "modified" || record.state === "untracked";
    const opened = to === undefined && isEdited ? await this.read(caller, spaceName, path) : undefined;
    // It may have been recorded in the meantime.
    const edit = opened !== undefined && opened.version === undefined ? opened.bytes : undefined;
    const newest = to ?? record.version ?? 0;
    const oldest = from ?? (edit === undefined ? newest - 1 : newest);
    const bytesOf = async (version: number) => (await this.read(caller, spaceName, path, version)).bytes;
    const before = { version: oldest, bytes: oldest < 1 ? new Uint8Array() : await bytesOf(oldest) };
    const after =
      edit === undefined ? { version: newest, bytes: await bytesOf(newest) } : { version: null, bytes: edit };
    return this.#deps.workers.run(
      DIFF_JOB,
      { path, from: before, to: after, context },
      { by: caller.name, signal },
    );
  }

  async write(
    caller: Caller,
    spaceName: string,
    pathText: string,
    { content, expected, signature }: NewContent,
  ): Promise<Written> {
    const path = parseDocumentPath("path", pathText);
    const deed = { action: "file.write", space: spaceName, target: path };
    const { head, effects } = await this.#change(caller, deed, {
      drafts: () => [{ op: "put", path }],
      completed: async () => [{ op: "put", path, expected: expected(), content: await content() }],
      signature,
    });
    const { before, after } = effects[0]!;
    return { path, ...after!, head: headText(head), created: before === null };
  }

  async remove(caller: Caller, space: string, pathText: string, expected: () => Expected): Promise<Deleted> {
    const path = parseDocumentPath("path", pathText);
    const deed = { action: "file.delete", space, target: path };
    const { head, effects } = await this.#change(caller, deed, {
      drafts: () => [{ op: "delete", path }],
      completed: () => [{ op: "delete", path, expected: expected() }],
    });
    return { path, version: effects[0]!.before!.version, head: headText(head) };
  }

  async undelete(caller: Caller, spaceName: string, pathText: string): Promise<Written> {
    const path = parseDocumentPath("path", pathText);
    const deed = { action: "file.undelete", space: spaceName, target: path };
    const { head, effects } = await this.#changeOne(caller, deed, { op: "undelete", path });
    return { path, ...effects[0]!.after!, head: headText(head), created: false };
  }

  /** Destroys the content of one version permanently. Space-leads and admins only. */
  async destroy(caller: Caller, spaceName: string, pathText: string, version: number): Promise<void> {
    const path = parseDocumentPath("path", pathText);
    const deed = { action: "file.destroy", space: spaceName, target: path, version };
    await this.#changeOne(caller, deed, { op: "destroy", path, version });
  }

  async changes(caller: Caller, spaceName: string, since: string): Promise<Listing<NetChange>> {
    const space = await this.#deps.spaces.looked(caller, spaceName);
    // A change of the rights or of a file during the read appears again after these.
    const view = caller.rights.view(spaceName);
    const head = headText(space.engine.head());
    const changes = await space.engine.changesSince(parseHead("since", since));
    const seen = await filteredInTurns(changes, ({ path }) => caller.rights.may("list", spaceName, path));
    // With the rules, so that a client learns everything about its copy from one request.
    const sync = await visibleRules(caller, space);
    return { before: { head, sync, view }, field: "changes", pages: inPages(seen, RECORDS_PER_PAGE) };
  }

  /** Records manual edits of the working tree, and reports those that it cannot record. Space-leads and admins only. */
  async adopt(caller: Caller, spaceName: string): Promise<Adoption> {
    const { audit, spaces } = this.#deps;
    const deed = { action: "file.adopt", space: spaceName };
    const { adopted, refused, engine } = await audit.watched(caller, deed, async () => {
      const space = await spaces.led(caller, spaceName);
      const begin = () => spaces.requireLead(caller, spaceName);
      const batch = { ...this.#terms(caller, space), begin };
      const scan = (operation: Operation) => this.#scan(caller, spaceName, [operation]);
      return { ...(await adoptTree(space.engine, { batch, scan })), engine: space.engine };
    });
    const failed = refused.filter(({ error }) => error !== undefined);
    for (const { path, error } of failed) audit.record(caller, { ...deed, target: path }, error);
    const sees = (path: string) => seesEntry(caller, spaceName, path);
    return {
      head: headText(engine.head()),
      adopted: await filteredInTurns(adopted, sees),
      refused: (await filteredInTurns(refused, ({ path }) => sees(path))).map(
        ({ path, code, reason, error }) => ({
          path,
          code,
          reason: error && !blockersOf(error).every(sees) ? UNSEEN_BLOCKER : reason,
        }),
      ),
    };
  }

  /** Restores a snapshot. Space-leads and admins only; each path is judged separately. `lost` names only files that the caller may see. */
  async restore(caller: Caller, spaceName: string, id: number): Promise<Restored> {
    const { audit, spaces, events } = this.#deps;
    const deed = { action: "space.restore", space: spaceName, target: String(id) };
    const restored = await this.#unnamed(caller, spaceName, () =>
      audit.watched(caller, deed, async () => {
        const space = await spaces.led(caller, spaceName);
        const begin = () => spaces.requireLead(caller, spaceName);
        const scan = (operation: Operation) => this.#scan(caller, spaceName, [operation]);
        return restoreTree(space.engine, id, { batch: { ...this.#terms(caller, space), begin }, scan });
      }),
    );
    const data = { files: restored.effects.length };
    events.announce({ type: "space.restore", actor: caller.name, space: spaceName, data });
    const lost = await filteredInTurns(restored.lost, (path) => caller.rights.may("list", spaceName, path));
    return { ...restored, lost };
  }

  /**
   * Applies several operations atomically, for sync and tools. Each path is judged separately. Calls `drafts` for the operations once the caller
   * is known to have some right to change the space; `completed` adds contents and makes all checks other than rights.
   */
  async batch(
    caller: Caller,
    spaceName: string,
    { drafts, completed }: Omit<Change, "signature">,
  ): Promise<Applied> {
    const allowed = () => {
      if (!caller.rights.mayChange(spaceName))
        throw new AppError("forbidden", `${caller.name} (${caller.rights.role}) may not change ${spaceName}`);
      return drafts();
    };
    const deed = { action: "space.push", space: spaceName };
    return this.#change(caller, deed, { drafts: allowed, completed });
  }

  #changeOne(caller: Caller, deed: ChangeDeed, operation: Operation): Promise<Applied> {
    const operations = () => [operation];
    return this.#change(caller, deed, { drafts: operations, completed: operations });
  }

  async #change(
    caller: Caller,
    deed: ChangeDeed,
    { drafts, completed, signature = {} }: Change,
  ): Promise<Applied> {
    const { audit, spaces } = this.#deps;
    // Each change has its own record (`Audit.recordChanges`), so only a push as a whole and a change without effect are recorded here.
    return audit.watched(
      caller,
      deed,
      async () => {
        const space = await spaces.visible(caller, deed.space);
        const named = await drafts();
        await requireRights(caller, space, named);
        const operations = await completed(space, named);
        // The body may have taken long to arrive.
        await requireRights(caller, space, operations);
        const begin = () => {
          for (const { op, path } of operations) requireSome(caller, space.name, op, path);
        };
        admitSizes(spaces.quotasOf(space), operations, (news) =>
          this.#deps.events.announce({ ...news, actor: caller.name, space: space.name }),
        );
        await this.#scan(caller, deed.space, operations);
        return this.#quiet(caller, space.name, () =>
          space.engine.apply({ operations, begin, ...this.#terms(caller, space, signature) }),
        );
      },
      ({ effects }) =>
        effects.length === 0 || effects.some(({ op }) => deed.action !== `file.${op}`) ? {} : undefined,
    );
  }

  /** Hides the name of a clashing file that the caller may not see. */
  async #quiet<T>(caller: Caller, space: string, apply: () => Promise<T>): Promise<T> {
    try {
      return await apply();
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
      if (blockersOf(error).every((path) => caller.rights.may("list", space, path))) throw error;
      throw new AppError("conflict", "path: the name is already taken or clashes with another");
    }
  }

  /** For operations on a whole space: the audit record names all files, the caller only gets those that they may see. */
  async #unnamed<T extends Applied>(caller: Caller, space: string, act: () => Promise<T>): Promise<T> {
    const sees = (path: string) => caller.rights.may("list", space, path);
    try {
      const applied = await act();
      return { ...applied, effects: await filteredInTurns(applied.effects, ({ path }) => sees(path)) };
    } catch (error) {
      if (!(error instanceof AppError) || !caller.rights.has("lead", space)) throw error;
      if ([pathOf(error) ?? [], blockersOf(error)].flat().every(sees)) throw error;
      throw new AppError(error.code, UNSEEN_BLOCKER);
    }
  }

  #terms(caller: Caller, space: OpenSpace, signature: Signature = {}): Omit<Batch, "operations"> {
    const tell = onceEach((news) => this.#deps.events.announce(news));
    const { message } = signature;
    return {
      author: authorOf(caller.name, signature),
      ...(message !== undefined && { message }),
      by: caller,
      versionsKept: this.#deps.spaces.versionsKept(space),
      admit: (plan) => this.#admit(caller, space, plan, tell),
      inspectEdits: (edits) => ofEdits(() => this.#scan(caller, space.name, edits, tell)),
      admitEdits: (plan) => ofEdits(() => this.#admitQuotas(caller, space, plan, tell)),
    };
  }

  /** Runs inside the transaction. */
  #admit(caller: Caller, space: OpenSpace, plan: Plan, tell: Tell): void {
    for (const effect of plan.effects) {
      requireEffect(caller, space.name, effect);
      requireNewName(effect);
    }
    this.#admitQuotas(caller, space, plan, tell);
  }

  #admitQuotas(caller: Caller, space: OpenSpace, plan: Plan, tell: Tell): void {
    admitQuotas(this.#deps.spaces.quotasOf(space), plan, (warning) =>
      tell({ ...warning, actor: caller.name, space: space.name }),
    );
  }

  /** Runs before the transaction, because it takes time. The scanned bytes are the written bytes. */
  async #scan(
    caller: Caller,
    space: string,
    operations: readonly Operation[],
    tell: Tell = (news) => this.#deps.events.announce(news),
  ): Promise<void> {
    for (const operation of operations) {
      if (operation.op !== "put") continue;
      const finding = await this.#deps.secrets.find(caller.name, operation);
      if (!finding) continue;
      const { rule, line, snippet, blocks } = finding;
      tell({
        type: "secret.blocked",
        actor: caller.name,
        space,
        path: operation.path,
        data: { rule, line, blocked: blocks },
      });
      if (blocks)
        throw fileError(
          "secret_found",
          operation.path,
          `line ${line} looks like a secret (${rule}); remove it, or have a person check it and add secret:checked to that line or the one above`,
          { rule, line, snippet },
        );
    }
  }

  async #seen(caller: Caller, spaceName: string, pathText: string) {
    const space = await this.#deps.spaces.looked(caller, spaceName);
    const path = parseDocumentPath("path", pathText);
    if (!caller.rights.may("read", spaceName, path)) {
      const listed = caller.rights.may("list", spaceName, path);
      const error = listed ? refusal(caller, "read", path) : fileNotFound(path);
      this.#deps.audit.record(caller, { action: "file.read", space: spaceName, target: path }, error);
      throw error;
    }
    return { space, path };
  }
}
