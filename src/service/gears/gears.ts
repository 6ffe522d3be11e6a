// Rules for gears: make, save new content, approve, disable, delete. An approval is about a content hash and nothing else.
// Functions with a `…In` name run inside a write that somebody else opened.

import { rfc3339, type Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/db.ts";
import { AppError, notFound } from "../../kit/error.ts";
import { LIST_DEFAULT, type PageQuery } from "../../kit/schema.ts";
import type { Approval } from "../approvals/schema.ts";
import type { Audit } from "../audit/audit.ts";
import { requireAdmin, type Caller } from "../people/caller.ts";
import { BUILT_IN_TOOL_NAMES } from "../tools/names.ts";
import type { Announcements } from "./announcements.ts";
import { checkArgsSchema } from "./args.ts";
import type { BindingStore } from "./binding-store.ts";
import { bytesOf, canonicalContent, contentHash, parseCode, type Content } from "./content.ts";
import { shown, toCreated, toGear } from "./gear-records.ts";
import type { Isolation } from "./isolation.ts";
import {
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

export interface GearsDeps {
  db: Db;
  store: GearStore;
  bindings: BindingStore;
  announcements: Announcements;
  audit: Audit;
  clock: Clock;
  isolation: Isolation;
}

/** Who made a gear, when an agent did. */
export interface Forge {
  readonly agent: string;
  readonly workspaceId: number;
  /** Binds the new gear, so that its approval says who could call it. */
  readonly bind: (gearId: number) => void;
}

export class Gears {
  readonly #deps: GearsDeps;

  constructor(deps: GearsDeps) {
    this.#deps = deps;
  }

  /** Any signed-in person sees all gears. Sorted by name. */
  list(): Gear[] {
    return this.#deps.store.all.all().map((row) => toGear(row, this.#deps.isolation));
  }

  get(id: number): GearDetail {
    return this.#detail(this.existing(id));
  }

  /** Newest page first, ascending in a page. A page ends early after VERSIONS_PAGE_BYTES_MAX of code; version 1 is the last of all. */
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
          runtime,
          entrypoint,
          args_schema,
          content_hash: hash,
          author_id,
          author,
          created_at: rfc3339(created_at),
          ...shown(entrypoint, store.files.all(versionId)),
        }),
      );
  }

  /** Raises `invalid` naming the field, `conflict` (name taken), `too_large`. */
  create(caller: Caller, input: CreateGear): Promise<CreatedGear> {
    return this.#deps.db.write(() => toCreated(this.createIn(caller, input, null)));
  }

  createIn(caller: Caller, input: CreateGear, forge: Forge | null): GearRow {
    const { store, announcements, audit, clock } = this.#deps;
    requireName(input.name);
    checkArgsSchema(input.args_schema);
    const { name, runtime, args_schema: argsSchema } = input;
    const content: Content = { name, runtime, argsSchema, ...parseCode(runtime, input) };
    if (store.byName.get(name)) throw new AppError("conflict", `name: a gear named "${name}" exists already`);
    const now = clock.now();
    const texts = [
      input.description ?? "",
      JSON.stringify(cleanTags(input.tags ?? [])),
      JSON.stringify(input.tests ?? []),
    ] as const;
    const { id } = store.insert.get(
      name,
      ...texts,
      TIMEOUT_SECONDS_DEFAULT,
      caller.userId,
      caller.name,
      forge?.agent ?? null,
      forge?.workspaceId ?? null,
      now,
      now,
    )!;
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

  /** Its author, or an admin. New content is the next version and takes the approval away; identical content changes neither. */
  save(caller: Caller, id: number, input: SaveGear): Promise<SavedGear> {
    return this.#deps.db.write(() => {
      const before = this.existing(id);
      const after = this.saveIn(caller, id, input);
      return { ...this.#detail(after), changed: after.version !== before.version };
    });
  }

  saveIn(caller: Caller, id: number, input: SaveGear): GearRow {
    const { store, announcements, audit, clock } = this.#deps;
    const row = this.existing(id);
    requireAuthor(caller, row);
    if (input.name !== undefined && input.name !== row.name)
      throw new AppError("invalid", "name: a gear's name never changes; create another gear");
    if (input.args_schema !== undefined) checkArgsSchema(input.args_schema);
    const content = this.#changedContent(row, input);
    const changed = contentHash(content) !== row.hash;
    const version = changed ? row.version + 1 : row.version;
    const tags = input.tags === undefined ? row.tags : JSON.stringify(cleanTags(input.tags));
    const tests = input.tests === undefined ? row.tests : JSON.stringify(input.tests);
    if (changed) {
      this.#insertVersion(caller, id, version, content);
      store.setStatus.run("pending", id);
      audit.record(caller, {
        action: "gear.save",
        target: `gear:${id}`,
        detail: { name: row.name, version, status_before: row.status },
        content: canonicalContent(content),
      });
    }
    store.update.run(input.description ?? row.description, tags, tests, version, clock.now(), id);
    const after = this.existing(id);
    if (changed) announcements.changed(caller, after);
    if (after.status === "pending") announcements.requested(caller, after);
    return after;
  }

  /** Admin. Approves exactly the content with the given hash; a hash that is not the current one is `conflict`. */
  decide(caller: Caller, id: number, input: DecideGear): Promise<GearDetail> {
    const { db, store } = this.#deps;
    return db.write(() => {
      requireAdmin(caller);
      const row = this.existing(id);
      if (input.status === undefined && input.timeout_seconds === undefined)
        throw new AppError("invalid", "body: give status or timeout_seconds");
      if (input.content_hash !== undefined && input.content_hash !== row.hash) {
        throw new AppError("conflict", "content_hash: the gear has other content by now; look at it again", {
          version: row.version,
          content_hash: row.hash,
        });
      }
      if (input.timeout_seconds !== undefined && input.timeout_seconds !== row.timeout_seconds) {
        store.setTimeout.run(input.timeout_seconds, id);
        this.#audit(caller, "gear.timeout", row, { from: row.timeout_seconds, to: input.timeout_seconds });
      }
      if (input.status !== undefined && input.status !== row.status)
        this.#setStatus(caller, row, input.status);
      return this.#detail(this.existing(id));
    });
  }

  /** Admin. Its bindings go; its versions and the record of its runs stay. */
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

  /** Pending gears, for admins: they decide. */
  approvals(caller: Caller, limit: number): Approval[] {
    if (caller.role !== "admin") return [];
    return this.#deps.store.pending.all(limit).map((row) => this.#deps.announcements.approval(row));
  }

  byName(name: string): GearRow | undefined {
    return this.#deps.store.byName.get(name) ?? undefined;
  }

  existing(id: number): GearRow {
    const row = this.#deps.store.byId.get(id);
    if (!row) throw notFound("gear", id);
    return row;
  }

  /** The stored bytes, now. Whoever runs them compares their hash first. */
  contentOf(row: GearRow): Content {
    const { name, runtime, entrypoint, args_schema: argsSchema } = row;
    return { name, runtime, entrypoint, argsSchema, files: this.#deps.store.files.all(row.version_id) };
  }

  #changedContent(row: GearRow, input: SaveGear): Content {
    const before = this.contentOf(row);
    const argsSchema = input.args_schema ?? before.argsSchema;
    const runtime = input.runtime ?? before.runtime;
    const hasCode = input.code !== undefined || input.files !== undefined;
    if (
      !hasCode &&
      (runtime !== before.runtime ||
        (input.entrypoint !== undefined && input.entrypoint !== before.entrypoint))
    ) {
      throw new AppError("invalid", "code: missing; another runtime or entrypoint needs its program with it");
    }
    return hasCode
      ? {
          name: before.name,
          runtime,
          argsSchema,
          ...parseCode(runtime, withEntrypoint(before, runtime, input)),
        }
      : { ...before, argsSchema };
  }

  #insertVersion(caller: Caller, gearId: number, version: number, content: Content): void {
    const { store, clock } = this.#deps;
    const { runtime, entrypoint, argsSchema, files } = content;
    const { id } = store.insertVersion.get(
      gearId,
      version,
      runtime,
      entrypoint,
      argsSchema,
      contentHash(content),
      bytesOf(files),
      caller.userId,
      caller.name,
      clock.now(),
    )!;
    for (const file of files) store.insertFile.run(id, file.path, file.encoding, file.content);
  }

  #setStatus(caller: Caller, row: GearRow, status: GearRow["status"]): void {
    const { store, announcements, clock } = this.#deps;
    if (status === "approved") {
      const hash = contentHash(this.contentOf(row));
      if (hash !== row.hash)
        throw new AppError("conflict", "the stored files are not those of this version: save the gear again");
      store.approve.run(hash, caller.userId, caller.name, caller.auth, clock.now(), row.id);
    } else store.setStatus.run(status, row.id);
    this.#audit(caller, `gear.${ACTIONS[status]}`, row, {
      status_before: row.status,
      isolated: this.#deps.isolation.isolated,
    });
    const after = this.existing(row.id);
    announcements.changed(caller, after);
    if (status === "pending") announcements.requested(caller, after);
    else if (row.status === "pending") announcements.decided(caller, row, status);
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

  #detail(row: GearRow): GearDetail {
    const tests = JSON.parse(row.tests) as GearDetail["tests"];
    return {
      ...toGear(row, this.#deps.isolation),
      ...shown(row.entrypoint, this.contentOf(row).files),
      tests,
    };
  }
}

const ACTIONS = { approved: "approve", disabled: "disable", pending: "withdraw" } as const;

function requireName(name: string): void {
  if (!NAME.test(name)) throw new AppError("invalid", `name: must match ${GEAR_NAME_PATTERN}`);
  if (BUILT_IN_TOOL_NAMES.has(name))
    throw new AppError("invalid", `name: "${name}" is the name of a built-in tool`);
}

function requireAuthor(caller: Caller, row: GearRow): void {
  if (caller.role === "admin" || caller.userId === row.author_id) return;
  throw new AppError("forbidden", "only the gear's author or an admin may save it");
}

/** A new program of a binary gear goes on under the entrypoint it had, unless another is named. */
function withEntrypoint(before: Content, runtime: Content["runtime"], input: SaveGear): SaveGear {
  const keeps = runtime === "binary" && before.runtime === "binary" && input.entrypoint === undefined;
  return keeps ? { ...input, entrypoint: before.entrypoint } : input;
}

function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.normalize("NFC").trim()).filter((tag) => tag !== ""))];
}
