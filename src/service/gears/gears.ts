// Rules for gears: create, save, approve, disable, delete. An approval applies to exactly one content hash.
// A function named `…In` runs inside the caller's write.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, fieldError, notFound } from "../../kit/error.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { BUILT_IN_TOOL_NAMES } from "../tools/names.ts";
import type { Access } from "../workspaces/access.ts";
import { GearApproval } from "./approval.ts";
import type { Announcements } from "./announcements.ts";
import type { ArgsChecks } from "./args-checks.ts";
import type { BindingStore } from "./binding-store.ts";
import { bytesOf, canonicalContent, contentHash, parseCode, weightOf, type Content } from "./content.ts";
import { shown, toCreated, toDecisions, toGear } from "./gear-records.ts";
import type { Isolation } from "./isolation.ts";
import { rehashVersions } from "./rehash.ts";
import {
  GEAR_DECISIONS_MAX,
  GEAR_DESCRIPTION_CHARACTERS_MAX,
  GEAR_NAME_PATTERN,
  TIMEOUT_SECONDS_DEFAULT,
  VERSIONS_PAGE_BYTES_MAX,
  type CreatedGear,
  type CreateGear,
  type DecideGear,
  type Gear,
  type GearDetail,
  type GearVersion,
  type SavedGear,
  type SaveGear,
} from "./schema.ts";
import type { GearRow, GearStore } from "./store.ts";

const NAME = new RegExp(GEAR_NAME_PATTERN);
/** The pattern in words. */
const NAME_RULE = "expected 2 to 49 lower-case letters, digits and _, beginning with a letter";
/** Each may have a schema of 64 KiB and as much of tests. */
const GEARS_PER_PAGE = 25;

interface GearsDeps {
  db: Db;
  store: GearStore;
  args: ArgsChecks;
  bindings: BindingStore;
  access: Access;
  announcements: Announcements;
  audit: Audit;
  clock: Clock;
  isolation: Isolation;
}

/** The origin of a gear that an agent made, or that came in with an imported workspace. */
interface Forge {
  /** Null: imported. */
  readonly agent: string | null;
  readonly workspaceId: number;
  /** Binds the new gear, so that its approval names its callers. */
  readonly bind: (gearId: number) => void;
}

export class Gears {
  readonly approval: GearApproval;
  readonly #deps: GearsDeps;

  constructor(deps: GearsDeps) {
    this.#deps = deps;
    this.approval = new GearApproval({
      ...deps,
      contentOf: (row) => this.contentOf(row),
      record: (...about) => this.#audit(...about),
    });
  }

  /** Rehashes, at start, versions of earlier builds. Returns the number of withdrawn approvals. */
  reconcile(): number {
    const { db, store, audit } = this.#deps;
    return rehashVersions(db, store, audit);
  }

  /** Anyone signed in. Yields pages of all gears by name. */
  *pages(caller: Caller): Generator<Gear[]> {
    const { isolation, access } = this.#deps;
    const sees = access.sight(caller);
    for (let after = ""; ;) {
      const rows = this.first(GEARS_PER_PAGE, after);
      yield rows.map((row) => toGear(row, isolation, sees));
      if (rows.length < GEARS_PER_PAGE) return;
      after = rows.at(-1)!.name;
    }
  }

  get(caller: Caller, id: number): GearDetail {
    return this.#detail(caller, this.existing(id));
  }

  /** The first gears by name, without deleted ones. */
  first(count: number, after = ""): GearRow[] {
    return this.#deps.store.page.all(after, count);
  }

  get count(): number {
    return this.#deps.store.count.get()!.count;
  }

  /** Returns pages newest first, each in ascending order. A page is cut at VERSIONS_PAGE_BYTES_MAX of code; the last one contains version 1. */
  versions(id: number, page: PageQuery): GearVersion[] {
    this.existing(id);
    const { store } = this.#deps;
    const rows = store.versions.all(id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit ?? LIST_DEFAULT);
    let bytes = 0;
    const kept = rows.filter((row, index) => (bytes += row.bytes) <= VERSIONS_PAGE_BYTES_MAX || index === 0);
    return kept
      .toReversed()
      .map(
        ({
          version,
          description,
          runtime,
          entrypoint,
          args_schema,
          hash,
          author_id,
          author,
          created_at,
          id: versionId,
        }) => ({
          version,
          description,
          runtime,
          entrypoint,
          args_schema,
          content_hash: hash,
          author_id,
          author,
          created_at: rfc3339(created_at),
          decisions: toDecisions(store.decisionsOn.all(id, version, GEAR_DECISIONS_MAX)),
          ...shown(entrypoint, store.files.all(versionId)),
        }),
      );
  }

  /** Anyone signed in. Raises `invalid`, naming the field, `conflict` (name taken), `too_large`. */
  async create(caller: Caller, input: CreateGear): Promise<CreatedGear> {
    requireName(input.name);
    await this.requireSchema(caller, input.args_schema);
    const create = () => toCreated(this.createIn(caller, input, null), this.#deps.isolation);
    return this.#deps.db.write(create, { weight: weightOf(input) });
  }

  /** Call it before a write that saves the schema. Raises `invalid`, naming `args_schema` and the problem. */
  requireSchema(caller: Caller, text: string): Promise<void> {
    return this.#deps.args.requireSchema(caller, text);
  }

  /** Runs inside a write. The schema was checked. */
  createIn(caller: Caller, input: CreateGear, forge: Forge | null): GearRow {
    const { store, announcements, audit, clock } = this.#deps;
    requireName(input.name);
    const { name, runtime, args_schema: argsSchema } = input;
    const description = input.description ?? "";
    requireDescriptionFits(description);
    const content: Content = { name, description, runtime, argsSchema, ...parseCode(runtime, input) };
    if (store.byName.get(name)) throw fieldError("conflict", "name", `a gear named "${name}" already exists`);
    const now = clock.now();
    const { id } = store.insert.get({
      name,
      tags: JSON.stringify(cleanTags(input.tags ?? [])),
      tests: JSON.stringify(input.tests ?? []),
      timeout_seconds: TIMEOUT_SECONDS_DEFAULT,
      author_id: caller.userId,
      author: caller.name,
      forged_by: forge?.agent ?? null,
      workspace_id: forge?.workspaceId ?? null,
      created_at: now,
      updated_at: now,
    })!;
    this.#insertVersion(caller, id, 1, content);
    audit.record(caller, {
      action: "gear.create",
      target: `gear:${id}`,
      detail: { name, version: 1 },
      content: canonicalContent(content),
    });
    forge?.bind(id);
    const row = this.existing(id);
    announcements.changed(caller, row);
    announcements.requested(caller, row);
    return row;
  }

  /** Author or admin. Each save makes a new version and withdraws the approval, even if the content is identical. */
  async save(caller: Caller, id: number, input: SaveGear): Promise<SavedGear> {
    const row = this.existing(id);
    requireAuthor(caller, row);
    requireSameName(row, input);
    if (input.args_schema !== undefined) await this.requireSchema(caller, input.args_schema);
    const save = () => {
      const before = this.existing(id);
      const after = this.saveIn(caller, id, input);
      return { ...this.#detail(caller, after), changed: after.hash !== before.hash };
    };
    return this.#deps.db.write(save, { weight: weightOf(input) });
  }

  /** Runs inside a write. The schema was checked. */
  saveIn(caller: Caller, id: number, input: SaveGear): GearRow {
    const { store, announcements, audit, clock } = this.#deps;
    const row = this.existing(id);
    requireAuthor(caller, row);
    requireSameName(row, input);
    if (input.description !== undefined) requireDescriptionFits(input.description);
    const content = this.#savedContent(row, input);
    const version = row.version + 1;
    const tags = input.tags === undefined ? row.tags : JSON.stringify(cleanTags(input.tags));
    const tests = input.tests === undefined ? row.tests : JSON.stringify(input.tests);
    this.#insertVersion(caller, id, version, content);
    store.setStatus.run("pending", id);
    store.update.run({ id, tags, tests, version, updated_at: clock.now() });
    audit.record(caller, {
      action: "gear.save",
      target: `gear:${id}`,
      detail: { name: row.name, version, status_before: row.status },
      content: canonicalContent(content),
    });
    const after = this.existing(id);
    announcements.changed(caller, after);
    announcements.requested(caller, after);
    return after;
  }

  /**
   * Admin. Approves exactly the content with the given hash, under the current isolation. Raises `conflict` if the hash is not the current
   * one, or the status is neither the one that was seen nor the one that is wanted. The timeout and tags can change without a new version, because
   * they are not part of the program or of a prompt.
   */
  async decide(caller: Caller, id: number, input: DecideGear): Promise<GearDetail> {
    const { db, store, isolation } = this.#deps;
    await isolation.decided();
    return db.write(() => {
      requireAdmin(caller);
      const row = this.existing(id);
      if (input.status === undefined && input.timeout_seconds === undefined && input.tags === undefined)
        throw fieldError("invalid", "body", "give status, timeout_seconds or tags");
      if (input.content_hash !== undefined && input.content_hash !== row.hash) {
        throw fieldError("conflict", "content_hash", "the gear's content has changed; review it again", {
          version: row.version,
          content_hash: row.hash,
        });
      }
      if (input.seen_status !== undefined && ![input.seen_status, input.status].includes(row.status)) {
        const problem = `someone else has already decided: the gear is ${row.status}; review it again`;
        throw fieldError("conflict", "seen_status", problem, { status: row.status });
      }
      if (input.timeout_seconds !== undefined && input.timeout_seconds !== row.timeout_seconds) {
        store.setTimeout.run(input.timeout_seconds, id);
        this.#audit(caller, "gear.timeout", row, { from: row.timeout_seconds, to: input.timeout_seconds });
      }
      if (input.tags !== undefined) this.#setTags(caller, row, cleanTags(input.tags));
      if (input.status !== undefined) this.approval.decide(caller, row, input.status);
      return this.#detail(caller, this.existing(id));
    });
  }

  /** Admin. Also removes its bindings; its versions and runs stay on record. */
  remove(caller: Caller, id: number): Promise<void> {
    const { db, store, bindings, announcements, clock } = this.#deps;
    return db.write(() => {
      requireAdmin(caller);
      const row = this.existing(id);
      if (row.status === "pending") announcements.decided(caller, row, "withdrawn");
      announcements.removed(caller, row);
      bindings.removeOfGear.run(id);
      store.remove.run(clock.now(), id);
      this.#audit(caller, "gear.delete", row, {});
    });
  }

  byName(name: string): GearRow | undefined {
    return this.#deps.store.byName.get(name) ?? undefined;
  }

  isThere(id: number): boolean {
    return this.#deps.store.byId.get(id) !== null;
  }

  existing(id: number): GearRow {
    const row = this.#deps.store.byId.get(id);
    if (!row) throw notFound("gear", id);
    return row;
  }

  /** Reads the stored bytes. Compare their hash before running them. */
  contentOf(row: GearRow): Content {
    const { name, description, runtime, entrypoint, args_schema: argsSchema } = row;
    const files = this.#deps.store.files.all(row.version_id);
    return { name, description, runtime, entrypoint, argsSchema, files };
  }

  #savedContent(row: GearRow, input: SaveGear): Content {
    const before = this.contentOf(row);
    const description = input.description ?? before.description;
    const argsSchema = input.args_schema ?? before.argsSchema;
    const runtime = input.runtime ?? before.runtime;
    const hasCode = input.code !== undefined || input.files !== undefined;
    if (
      !hasCode &&
      (runtime !== before.runtime ||
        (input.entrypoint !== undefined && input.entrypoint !== before.entrypoint))
    ) {
      throw fieldError("invalid", "code", "missing; a new runtime or entrypoint requires a new program");
    }
    return hasCode
      ? {
          name: before.name,
          description,
          runtime,
          argsSchema,
          ...parseCode(runtime, withEntrypoint(before, runtime, input)),
        }
      : { ...before, description, argsSchema };
  }

  #insertVersion(caller: Caller, gearId: number, version: number, content: Content): void {
    const { store, clock } = this.#deps;
    const { description, runtime, entrypoint, argsSchema, files } = content;
    const { id } = store.insertVersion.get({
      gear_id: gearId,
      version,
      description,
      runtime,
      entrypoint,
      args_schema: argsSchema,
      hash: contentHash(content),
      bytes: bytesOf(files),
      author_id: caller.userId,
      author: caller.name,
      created_at: clock.now(),
    })!;
    for (const file of files)
      store.insertFile.run({
        version_id: id,
        path: file.path,
        encoding: file.encoding,
        content: file.content,
      });
  }

  #audit(
    caller: Caller,
    action: string,
    row: GearRow,
    detail: Record<string, string | number | boolean>,
  ): void {
    const content = canonicalContent(this.contentOf(row));
    this.#deps.audit.record(caller, {
      action,
      target: `gear:${row.id}`,
      detail: { name: row.name, version: row.version, ...detail },
      content,
    });
  }

  #setTags(caller: Caller, row: GearRow, tags: readonly string[]): void {
    const { store, clock } = this.#deps;
    const text = JSON.stringify(tags);
    if (text === row.tags) return;
    store.update.run({
      id: row.id,
      tags: text,
      tests: row.tests,
      version: row.version,
      updated_at: clock.now(),
    });
    this.#audit(caller, "gear.tags", row, {
      from: (JSON.parse(row.tags) as string[]).join(", "),
      to: tags.join(", "),
    });
  }

  #detail(caller: Caller, row: GearRow): GearDetail {
    const { store, isolation, access } = this.#deps;
    const tests = JSON.parse(row.tests) as GearDetail["tests"];
    return {
      ...toGear(row, isolation, access.sight(caller)),
      ...shown(row.entrypoint, this.contentOf(row).files),
      tests,
      decisions: toDecisions(store.decisions.all(row.id, GEAR_DECISIONS_MAX)),
    };
  }
}

function requireSameName(row: GearRow, { name }: SaveGear): void {
  if (name !== undefined && name !== row.name)
    throw fieldError("invalid", "name", "a gear's name never changes; create another gear");
}

function requireName(name: string): void {
  if (!NAME.test(name)) throw fieldError("invalid", "name", NAME_RULE);
  if (BUILT_IN_TOOL_NAMES.has(name))
    throw fieldError("invalid", "name", `"${name}" is the name of a built-in tool`);
}

/** Agents write descriptions, too, and their tools have no schema of the routes. */
function requireDescriptionFits(description: string): void {
  if (description.length > GEAR_DESCRIPTION_CHARACTERS_MAX)
    throw fieldError("invalid", "description", `at most ${GEAR_DESCRIPTION_CHARACTERS_MAX} characters`);
}

function requireAuthor(caller: Caller, row: GearRow): void {
  if (caller.role === "admin" || caller.userId === row.author_id) return;
  throw new AppError("forbidden", "only the gear's author or an admin may save it");
}

/** Keeps the entrypoint of a binary gear whose new program names none. */
function withEntrypoint(before: Content, runtime: Content["runtime"], input: SaveGear): SaveGear {
  const keeps = runtime === "binary" && before.runtime === "binary" && input.entrypoint === undefined;
  return keeps ? { ...input, entrypoint: before.entrypoint } : input;
}

function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.normalize("NFC").trim()).filter((tag) => tag !== ""))];
}
