// Goal: a server killed under writes neither loses nor duplicates audit records: after the next start there is exactly one record for each change in
// the log, and the leftovers of the crash are not a break.

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import type { AuditRecord } from "../../src/context/audit/schema.ts";
import { openSqliteEngine } from "../../src/context/versioned-store/sqlite/engine.ts";
import { systemClock, turnOfOthers } from "../../src/kit/clock.ts";
import { silent } from "../kit/silent.ts";
import { auditRecords, runContext, type RunningContext } from "../kit/context/running-context.ts";

const KILLS = 6;
const WRITERS = 8;
const FILES_OF_A_PUSH = 1_000;
/** A later kill would find all records written. */
const PUSHES_MAX = 10;
const TEST_LIMIT_MS = 120_000;

const auditSize = (directory: string) => statSync(`${directory}/audit/audit.jsonl`).size;

/** Runs writers and a pusher until the server is gone; returns the acknowledged writes. */
async function writeUntilKilled(server: RunningContext, round: number, killAfter: number): Promise<string[]> {
  const { admin } = server;
  const acknowledged: string[] = [];
  let isKilled = false;
  const tell = (path: string) => {
    acknowledged.push(path);
    if (acknowledged.length < killAfter || isKilled) return;
    isKilled = true;
    process.kill(server.pid, "SIGKILL");
  };
  const until = async (work: (count: number) => Promise<void>) => {
    for (let count = 0; ; count++) {
      try {
        await work(count);
      } catch (error) {
        if (isKilled) return;
        throw error;
      }
    }
  };
  const writer = (name: number) =>
    until(async (count) => {
      const path = `r${round}/w${name}/${count}.md`;
      await admin.write(path, `${count}`);
      tell(path);
    });
  const pusher = until(async (count) => {
    const paths = [0, 1, 2].map((index) => `r${round}/p/${count}-${index}.md`);
    const ops = paths.map((path) => ({ op: "put", path, content_b64: btoa(path) }));
    await admin.post("/spaces/team/push", { ops });
    for (const path of paths) tell(path);
  });
  await Promise.all([pusher, ...Array.from({ length: WRITERS }, (_, index) => writer(index))]);
  await server.end("SIGKILL");
  return acknowledged;
}

/** Expects one record for each change in the log of the space, in any order, and returns them. */
async function expectOnceEach(directory: string): Promise<AuditRecord[]> {
  const engine = openSqliteEngine({ directory: `${directory}/spaces/team`, clock: systemClock, log: silent });
  const log = await engine.log(0, 1_000_000);
  const { epoch } = engine.head();
  await engine.close();
  const changes = auditRecords(directory).filter(({ id }) => id.startsWith(`${epoch}.`));
  const shown = changes.map(({ id, action, target, version, content_hash, time }) => [
    Number(id.split(".")[1]),
    action,
    target,
    version,
    content_hash,
    Date.parse(time),
  ]);
  expect(shown.toSorted(([a], [b]) => Number(a) - Number(b))).toEqual(
    log.map(({ seq, op, path, version, hash, time }) => [seq, `file.${op}`, path, version, hash, time]),
  );
  return changes;
}

test(
  `killed ${KILLS} times while it writes`,
  async () => {
    await using server = await runContext();
    const acknowledged: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      acknowledged.push(...(await writeUntilKilled(server, round, 20 + round * 30)));
      await server.start();
      // The request opens the space, which then catches up.
      await server.admin.get("/spaces/team");
      const verified = await server.admin.get("/audit/verify");
      expect([verified.ok, verified.breaks]).toEqual([true, []]);
    }
    await server.end("SIGTERM");
    const changes = await expectOnceEach(server.directory);
    const recorded = new Set(changes.map(({ target }) => target));
    expect(acknowledged.filter((path) => !recorded.has(path))).toEqual([]);
    // The author is known from the log.
    expect([...new Set(changes.map(({ actor }) => actor.name))]).toEqual(["root"]);
  },
  TEST_LIMIT_MS,
);

test(
  "killed between the commit of a large push and its records",
  async () => {
    await using server = await runContext();
    let recovered: AuditRecord[] = [];
    for (let round = 0; round < PUSHES_MAX && recovered.length === 0; round++) {
      const ops = Array.from({ length: FILES_OF_A_PUSH }, (_, index) => ({
        op: "put",
        path: `r${round}/${index}.md`,
        content_b64: btoa(`${round} ${index}`),
      }));
      const before = auditSize(server.directory);
      const pushed = server.admin.post("/spaces/team/push", { ops }).catch(() => undefined);
      // A large push writes its records in batches: the first ones are there, the others are not.
      while (auditSize(server.directory) === before) await turnOfOthers();
      await server.end("SIGKILL");
      await pushed;
      await server.start();
      await server.admin.get("/spaces/team");
      recovered = auditRecords(server.directory).filter((record) => record.recovered);
      expect((await server.admin.get("/audit/verify")).ok).toBe(true);
    }
    expect(recovered.length).toBeGreaterThan(0);
    expect(recovered.map(({ actor }) => actor)).toContainEqual({
      name: "root",
      role: null,
      auth: "system",
      address: "",
    });
    await server.end("SIGTERM");
    await expectOnceEach(server.directory);
  },
  TEST_LIMIT_MS,
);
