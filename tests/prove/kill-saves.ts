// Proof: `kill -9` at any point of file saves leaves no content of a file that a person saved without its audit record and its event, no record
// twice, and loses no acknowledged save.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../src/kit/crypto.ts";
import { lookAtCopy } from "../kit/service/database-copy.ts";
import { compiledWorld } from "../kit/service/world.ts";
import { chooser, type Proof, type Share } from "./proof.ts";

/** Saves of one workspace wait for each other. */
const WORKSPACES = 8;
const SAVES_BEFORE_KILL_MAX = 60;

type Place = Awaited<ReturnType<typeof compiledWorld>>;

interface KilledSaves {
  kills: number;
  acknowledged: number;
  /** Records that a later start wrote. */
  recovered: number;
  /** One sentence per violation. */
  readonly broken: string[];
}

/** Saves files and kills the service at random points, until something breaks or `goesOn` returns false. */
export async function killSaves(seed: number, goesOn: (kills: number) => boolean): Promise<KilledSaves> {
  await using at = await compiledWorld({ model: true });
  const below = chooser(seed);
  const ids: number[] = [];
  for (let number = 0; number < WORKSPACES; number++) ids.push((await at.workspace(`w${number}`)).id);
  const result: KilledSaves = { kills: 0, acknowledged: 0, recovered: 0, broken: [] };
  while (result.broken.length === 0 && goesOn(result.kills)) {
    const told = await saveUntilKilled(at, ids, result.kills, 1 + below(SAVES_BEFORE_KILL_MAX));
    result.kills += 1;
    result.acknowledged += told.length;
    await at.restart();
    const { recovered, broken } = await compared(at.data, told);
    result.recovered = recovered;
    result.broken.push(...broken);
  }
  const audit = await at.admin.get("/audit/verify");
  if (!audit.ok) result.broken.push(`audit verify: ${JSON.stringify(audit)}`);
  return result;
}

interface Save {
  readonly workspace: number;
  readonly path: string;
  readonly version: string;
}

/** Returns the acknowledged saves. */
async function saveUntilKilled(at: Place, ids: number[], round: number, killAfter: number): Promise<Save[]> {
  const told: Save[] = [];
  let isKilled = false;
  const writer = async (workspace: number) => {
    for (let count = 0; ; count++) {
      const text = `round ${round}, save ${count}`;
      // New files and files that are there.
      const path = count % 2 === 0 ? "same.md" : `new/${round}-${count}.md`;
      try {
        const response = await at.admin.raw("PUT", `/workspaces/${workspace}/file?path=${path}`, {
          body: text,
        });
        if (!response.ok) throw new Error(`${response.status} for a save`);
      } catch (error) {
        if (isKilled) return;
        throw error;
      }
      told.push({ workspace, path, version: sha256Hex(text) });
      if (told.length < killAfter || isKilled) continue;
      isKilled = true;
      at.program.child.kill("SIGKILL");
    }
  };
  await Promise.all(ids.map(writer));
  await at.program.child.exited;
  return told;
}

/** Compares the files with the records and events of a service that has started again. */
async function compared(
  data: string,
  told: readonly Save[],
): Promise<{ recovered: number; broken: string[] }> {
  const broken: string[] = [];
  const { records, events, begun, recovered } = await lookAtCopy(data, (db) => {
    const named = (sql: string) =>
      db
        .query<{ name: string }, []>(sql)
        .all()
        .map(({ name }) => name);
    return {
      records: named(
        `SELECT substr(record ->> 'target', 11) || ' ' || (record ->> '$.detail.path') || ' ' || (record ->> '$.detail.version') AS name
         FROM audit WHERE record ->> 'action' = 'file.save'`,
      ),
      events: named(
        `SELECT workspace_id || ' ' || (content ->> '$.data.path') || ' ' || (content ->> '$.data.version') AS name
         FROM events WHERE type = 'file.saved'`,
      ),
      begun: named("SELECT path AS name FROM begun_saves"),
      recovered: named("SELECT seq AS name FROM audit WHERE record ->> '$.detail.recovered' = 1").length,
    };
  });
  const once = new Set(records);
  if (once.size !== records.length) broken.push(`${records.length - once.size} saves have two records`);
  if (!Bun.deepEquals(records.toSorted(), events.toSorted()))
    broken.push("the audit records and the events differ");
  if (begun.length > 0) broken.push(`saves are left unsettled: ${begun.join(", ")}`);
  for (const { workspace, path, version } of told)
    if (!once.has(`${workspace} ${path} ${version}`))
      broken.push(`no record of the acknowledged save of ${path}`);
  for (const save of savesOnDisk(data)) if (!once.has(save)) broken.push(`no record of the file ${save}`);
  return { recovered, broken };
}

function savesOnDisk(data: string): string[] {
  const files = join(data, "files");
  return readdirSync(files, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const [workspace, ...path] = file.slice(files.length + 1).split("/");
      return `${workspace} ${path.join("/")} ${sha256Hex(readFileSync(file))}`;
    });
}

export async function proveSaves({ until, seed }: Share): Promise<Proof> {
  const { kills, acknowledged, recovered, broken } = await killSaves(seed, () => performance.now() < until);
  return { tried: `${kills} kills in ${acknowledged} saves, ${recovered} records recovered`, broken };
}
