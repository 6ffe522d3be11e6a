// Goal: a server killed while users and tokens are created keeps each of them with exactly one audit record and one event: no change without its
// record, no record without its change, and no acknowledged change lost.

import { expect, test } from "bun:test";
import { eventStore, type EventRow, type EventStore } from "../../src/context/events/store.ts";
import { peopleStore } from "../../src/context/people/store.ts";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { auditRecords, runContext, type RunningContext } from "../kit/context/running-context.ts";

const KILLS = 6;
const WRITERS = 8;
const TEST_LIMIT_MS = 120_000;
const PAGE_ROWS = 1_000;

/** Creates users with a second token each until the server is gone; returns the acknowledged users and tokens, as `user` and `user token`. */
async function createUntilKilled(
  server: RunningContext,
  round: number,
  killAfter: number,
): Promise<string[]> {
  const { admin } = server;
  const acknowledged: string[] = [];
  let isKilled = false;
  const tell = (what: string) => {
    acknowledged.push(what);
    if (acknowledged.length < killAfter || isKilled) return;
    isKilled = true;
    process.kill(server.pid, "SIGKILL");
  };
  const writer = async (name: number) => {
    for (let count = 0; ; count++) {
      try {
        const user = `r${round}-w${name}-${count}`;
        await admin.post("/users", { name: user, role: "viewer" });
        tell(user);
        await admin.post(`/users/${user}/tokens`, {});
        tell(`${user} token`);
      } catch (error) {
        if (isKilled) return;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(index)));
  await server.end("SIGKILL");
  return acknowledged;
}

/** Returns the users and their tokens, apart from the first ones, and the users and tokens that events tell of. */
function storedIn(directory: string): { made: string[]; told: string[] } {
  const db = openDatabase(`${directory}/server.db`);
  const store = peopleStore(db);
  const users = store.users.all().filter(({ role }) => role === "viewer");
  const made = users.flatMap(({ id, name }) => [
    name,
    ...store.tokensOf
      .all(id)
      .slice(1)
      .map(() => `${name} token`),
  ]);
  const told = pages(eventStore(db)).flatMap(({ type, data }) => {
    const { user } = JSON.parse(data) as { user: string };
    return type === "user.add" ? [user] : type === "token.create" ? [`${user} token`] : [];
  });
  db.close();
  return { made: made.toSorted(), told: told.toSorted() };
}

function pages(store: EventStore): EventRow[] {
  const rows: EventRow[] = [];
  for (let page = store.after.all(0, PAGE_ROWS); page.length > 0;) {
    rows.push(...page);
    page = store.after.all(page.at(-1)!.seq, PAGE_ROWS);
  }
  return rows;
}

test(
  `killed ${KILLS} times while users and tokens are created`,
  async () => {
    await using server = await runContext();
    const acknowledged: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      acknowledged.push(...(await createUntilKilled(server, round, 20 + round * 30)));
      await server.start();
      const verified = await server.admin.get("/audit/verify");
      expect([verified.ok, verified.breaks]).toEqual([true, []]);
    }
    await server.end("SIGTERM");
    const { made, told } = storedIn(server.directory);
    const recorded = auditRecords(server.directory)
      .filter(({ target, result }) => target !== "root" && result === "ok")
      .flatMap(({ action, target }) =>
        action === "user.add" ? [target!] : action === "token.create" ? [`${target} token`] : [],
      );
    expect(recorded.toSorted()).toEqual(made);
    expect(told).toEqual(made);
    const known = new Set(made);
    expect(acknowledged.filter((one) => !known.has(one))).toEqual([]);
    // With the person who did it, also if the record was written by a later start.
    const actors = auditRecords(server.directory).filter(({ action }) => action === "token.create");
    expect([...new Set(actors.map(({ actor }) => `${actor.name} ${actor.auth}`))].toSorted()).toEqual([
      "root token",
      "server system",
    ]);
  },
  TEST_LIMIT_MS,
);
