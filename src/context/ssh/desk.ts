// The desk of a person who is connected by SSH: the server's own rules on behalf of that user, and nothing that writes.

import { turnOfOthers } from "../../kit/clock.ts";
import { AppError, noneIfNotFound } from "../../kit/error.ts";
import type { Health } from "../../kit/health.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Audit } from "../audit/audit.ts";
import type { Browsing } from "../browsing/browsing.ts";
import type { SpaceSource } from "../console/space-source.ts";
import { DIFF_JOB, type FileDiff } from "../files/diff.ts";
import type { Files } from "../files/files.ts";
import type { Caller } from "../identity/caller.ts";
import type { AccessRules } from "../people/access-rules.ts";
import type { User } from "../people/schema.ts";
import type { Users } from "../people/users.ts";
import type { Gate } from "./gate.ts";
import type { Desk, ReadDoor } from "../tui/desk.ts";

/** A longer difference is read elsewhere: taking it apart would hold up everyone else. */
const DIFF_BYTES_MAX = 512 * 1024;
/** A step of a few milliseconds. */
const USERS_AT_ONCE = 100;

export interface DeskParts {
  readonly source: SpaceSource;
  readonly browsing: Browsing;
  readonly files: Files;
  readonly workers: WorkerPool;
  readonly audit: Audit;
  readonly users: Users;
  readonly rules: AccessRules;
  readonly health: Health;
  readonly gate: Gate;
}

export function deskFor(parts: DeskParts, caller: Caller, place: string): Desk {
  const { source, browsing, workers, audit, users, rules, health, gate } = parts;
  const look = <T>(space: string, work: (door: ReadDoor) => Promise<T>) =>
    gate.run(() => source.use(caller, space, (door) => work(readingOnly(door, parts, caller))));
  return {
    place,
    spaces: () => gate.run(() => source.list(caller)),
    look,
    deleted: (space, limit) => gate.run(() => deletedOf(browsing, caller, space, limit)),
    conflicts: (space) => gate.run(() => browsing.conflicts(caller, space)),
    compare: (space, { path, copy }) =>
      look(space, async (door) => {
        // Empty for a file that was deleted.
        const from = (await door.read(path).catch(noneIfNotFound))?.bytes ?? new Uint8Array();
        const to = (await door.read(copy)).bytes;
        const sides = { path, from: { version: 0, bytes: from }, to: { version: null, bytes: to } };
        try {
          return textOf(await workers.run(DIFF_JOB, sides, { by: caller.name })).text;
        } catch (error) {
          if (error instanceof AppError && ["not_text", "too_large"].includes(error.code)) return null;
          throw error;
        }
      }),
    server: {
      whoAmI: () => gate.run(async () => users.whoAmI(caller)),
      health: () => gate.run(() => health.state()),
      users: () => gate.run(() => allUsers(users, caller)),
      user: (name) =>
        gate.run(async () => ({
          user: users.get(caller, name),
          tokens: users.tokens(caller, name),
          rules: rules.get(caller, name).rules,
          lastSeen: users.seen(caller, name).last_seen_at,
        })),
      audit: (query) => gate.run(() => audit.list(caller, query)),
      verify: () => gate.run(() => audit.verify(caller)),
    },
    hands: {
      transport: "ssh",
      refused: (attempt) =>
        audit.record(caller, attempt, new AppError("forbidden", "nothing can be changed over SSH")),
    },
  };
}

async function allUsers(users: Users, caller: Caller): Promise<User[]> {
  const all: User[] = [];
  for (;;) {
    const page = users.page(caller, { after: all.at(-1)?.name, limit: USERS_AT_ONCE });
    all.push(...page);
    if (page.length < USERS_AT_ONCE) return all;
    await turnOfOthers();
  }
}

async function deletedOf(browsing: Browsing, caller: Caller, space: string, limit: number) {
  const { files, next } = await browsing.deleted(caller, space, { limit });
  return { files, isMore: next !== undefined };
}

function readingOnly(door: ReadDoor, { files }: DeskParts, caller: Caller): ReadDoor {
  return {
    name: door.name,
    list: (query) => door.list(query),
    read: (path, version) => door.read(path, version),
    search: (query) => door.search(query),
    history: (path) => door.history(path),
    freshness: () => door.freshness(),
    diff: async (path, query) => textOf(await files.diff(caller, door.name, path, query)),
  };
}

function textOf(encoded: Uint8Array): FileDiff {
  if (encoded.length > DIFF_BYTES_MAX)
    throw new AppError("too_large", "the difference is too long for this page; use cairn file diff");
  return JSON.parse(new TextDecoder().decode(encoded)) as FileDiff;
}
