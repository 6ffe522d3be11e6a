// Proof: `kill -9` at any moment while spaces are created, changed and deleted leaves no such change without exactly one audit record and one
// event, and no record or event without its change.

import type { Space } from "../../src/context/spaces/schema.ts";
import { eventStore } from "../../src/context/events/store.ts";
import { openDatabase } from "../../src/kit/storage/db.ts";
import type { ContextClient } from "../kit/context/context-server.ts";
import { auditRecords, runContext, type RunningContext } from "../kit/context/running-context.ts";
import { chooser, type Proof, type Share } from "./proof.ts";

const WRITERS = 4;
const CHANGES_BEFORE_KILL_MAX = 60;
const EVENTS_MAX = 100_000;
/** Each is made at most once in the life of a space. */
const CHANGES = ["space.create", "space.quotas", "space.sync", "space.snapshot", "space.delete"] as const;
type Change = `${(typeof CHANGES)[number]} ${string}`;
const QUOTA_FILES = 77;
const SYNC = { "notes/": "never" };

interface KilledSpaces {
  kills: number;
  acknowledged: number;
  /** Changes that a later start recorded. */
  recovered: number;
  /** One sentence per violation. */
  readonly broken: string[];
}

/** Changes spaces and kills the server at random points, until something breaks or `goesOn` returns false. */
export async function killSpaces(seed: number, goesOn: (kills: number) => boolean): Promise<KilledSpaces> {
  await using server = await runContext();
  const below = chooser(seed);
  const result: KilledSpaces = { kills: 0, acknowledged: 0, recovered: 0, broken: [] };
  while (result.broken.length === 0 && goesOn(result.kills)) {
    const told = await changeUntilKilled(server, result.kills, 1 + below(CHANGES_BEFORE_KILL_MAX));
    result.kills += 1;
    result.acknowledged += told.length;
    await server.start();
    // Listed after all spaces are open, and so after what the kill left is recorded.
    const spaces = await server.admin.get("/spaces");
    const made = await Promise.all(spaces.map((space) => changesOf(server.admin, space)));
    await server.end("SIGTERM");
    result.recovered += server.log
      .filter(({ message }) => message === "recorded changes of a space that a crash left unrecorded")
      .reduce((sum, { changes }) => sum + Number(changes), 0);
    result.broken.push(
      ...brokenIn(server.directory, made.flat(), new Set(spaces.map(({ name }) => name)), told),
    );
    await server.start();
  }
  const verified = await server.admin.get("/audit/verify");
  if (!verified.ok) result.broken.push(`audit verify: ${JSON.stringify(verified)}`);
  return result;
}

/** Returns the acknowledged changes. */
async function changeUntilKilled(
  server: RunningContext,
  round: number,
  killAfter: number,
): Promise<Change[]> {
  const { admin } = server;
  const told: Change[] = [];
  let isKilled = false;
  const tell = (change: Change) => {
    told.push(change);
    if (told.length < killAfter || isKilled) return;
    isKilled = true;
    process.kill(server.pid, "SIGKILL");
  };
  const writer = async (name: number) => {
    for (let count = 0; ; count++) {
      const space = `r${round}-w${name}-${count}`;
      try {
        await admin.post("/spaces", { name: space, template: "blank" });
        tell(`space.create ${space}`);
        await admin.put(`/spaces/${space}/quotas`, { max_files: QUOTA_FILES });
        tell(`space.quotas ${space}`);
        await admin.put(`/spaces/${space}/sync`, SYNC);
        tell(`space.sync ${space}`);
        await admin.post(`/spaces/${space}/snapshots`, { name: "one" });
        tell(`space.snapshot ${space}`);
        if (count % 2 === 0) continue;
        await admin.delete(`/spaces/${space}?confirm=${space}`);
        tell(`space.delete ${space}`);
      } catch (error) {
        if (isKilled) return;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(index)));
  await server.end("SIGKILL");
  return told;
}

/** The changes that a space shows. */
async function changesOf(admin: ContextClient, { name, quotas, sync }: Space): Promise<Change[]> {
  const snapshots = await admin.get(`/spaces/${name}/snapshots`);
  const seen: Change[] = [`space.create ${name}`];
  if (quotas.max_files === QUOTA_FILES) seen.push(`space.quotas ${name}`);
  if (Bun.deepEquals(sync, SYNC)) seen.push(`space.sync ${name}`);
  if (snapshots.length > 0) seen.push(`space.snapshot ${name}`);
  return seen;
}

function brokenIn(
  directory: string,
  made: readonly Change[],
  spaces: ReadonlySet<string>,
  told: readonly Change[],
): string[] {
  const isChange = (action: string) => (CHANGES as readonly string[]).includes(action);
  const recorded = auditRecords(directory)
    .filter(({ action, result }) => isChange(action) && result === "ok")
    .map(({ action, space }) => `${action} ${space}` as Change);
  const announced = eventsIn(directory)
    .filter(({ type }) => isChange(type))
    .map(({ type, space }) => `${type} ${space}` as Change);
  const ofStanding = (change: Change) => spaces.has(change.split(" ")[1]!);
  const known = new Set(recorded);
  return [
    ...differences("record", recorded.filter(ofStanding), made),
    ...differences("event", announced, recorded),
    ...[...known]
      .filter((one) => one.startsWith("space.create") && !ofStanding(one))
      .map((one) => one.replace("create", "delete") as Change)
      .filter((one) => !known.has(one))
      .map((one) => `no record: ${one}`),
    ...told.filter((one) => !known.has(one)).map((one) => `acknowledged, without a record: ${one}`),
  ];
}

function differences(noun: string, found: readonly Change[], expected: readonly Change[]): string[] {
  const [have, want] = [new Set(found), new Set(expected)];
  return [
    ...(have.size < found.length ? [`${found.length - have.size} changes have two of: ${noun}`] : []),
    ...[...want].filter((one) => !have.has(one)).map((one) => `no ${noun}: ${one}`),
    ...[...have].filter((one) => !want.has(one)).map((one) => `${noun} without its change: ${one}`),
  ];
}

function eventsIn(directory: string) {
  const db = openDatabase(`${directory}/server.db`);
  const rows = eventStore(db).after.all(0, EVENTS_MAX);
  db.close();
  return rows;
}

export async function proveSpaces({ until, seed }: Share): Promise<Proof> {
  const { kills, acknowledged, recovered, broken } = await killSpaces(seed, () => performance.now() < until);
  return {
    tried: `${kills} kills in ${acknowledged} changes of spaces, ${recovered} recorded later`,
    broken,
  };
}
