// A backup of the running service with a long conversation and many files, by the compiled program, and how long it keeps a writer waiting. Beside
// it the same bytes, copied to another place and read once for their SHA-256, but not compressed.

import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Backup } from "../../src/service/backup/schema.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import type { Client } from "../kit/http/client.ts";
import { say } from "../kit/model/index.ts";
import { addTurns } from "../kit/service/long-conversation.ts";
import { runService } from "../kit/service/running.ts";
import { world } from "../kit/service/world.ts";
import { besideCopying, copyAndHash, waitsDuring } from "./backup-limits.ts";
import { figure, medianOf, percentile, timed, type Row } from "./row.ts";

const TURNS = 100_000;
const FILES = 2_000;
const FILE_BYTES = 4_096;
const RUNS = 3;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  await fill(data);
  mkdirSync(join(folder.path, "backups"));
  await folder.write(
    "data/config.yaml",
    `backup: { directory: ${JSON.stringify(`${folder.path}/backups`)} }\n`,
  );
  await using service = await runService({ data });
  const { admin } = service;
  const waits: number[] = [];
  const write = (index: number) => admin.patch("/workspaces/1", { display_name: `name ${index}` });
  const create = await medianOf(RUNS, () =>
    timed(async () => void waits.push(...(await waitsDuring(write, backedUp(admin))))),
  );
  const copied = await medianOf(RUNS, () => timed(() => copyAndHash(data, join(folder.path, "copy"))));
  return [
    besideCopying("backup of the service, 100,000 turns, 2,000 files", create, copied, 0.25),
    figure("  writes meanwhile, p99", percentile(waits, 0.99), { atMost: 100 }),
  ];
}

async function fill(data: string): Promise<void> {
  const lab = await world({ model: { boss: [say("ok")] }, data });
  await lab.chat("first");
  const { workspaceId } = lab;
  await lab[Symbol.asyncDispose]();
  using db = new Database(join(data, "service.db"));
  addTurns(db, workspaceId, TURNS);
  const files = join(data, "files", String(workspaceId));
  mkdirSync(files, { recursive: true });
  for (let index = 0; index < FILES; index++)
    writeFileSync(join(files, `${index}.md`), `${index} `.repeat(FILE_BYTES).slice(0, FILE_BYTES));
}

async function backedUp(admin: Client): Promise<void> {
  const { id } = await admin.post<Backup>("/backups");
  const { state } = await until(async () => {
    const backup = await admin.get<Backup>(`/backups/${id}`);
    return backup.state === "running" ? undefined : backup;
  });
  if (state !== "done") throw new Error(`the backup is ${state}`);
}
