// A backup of the running service with a long conversation, many files, and memory in a folder, by the compiled program, and how long it keeps
// writers and commands on that folder waiting. Beside it the same bytes, copied to another place and read once for their SHA-256, but not compressed.

import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace, openLocalSpace } from "../../src/context/space/local.ts";
import type { Backup } from "../../src/service/backup/schema.ts";
import { localDeps } from "../kit/context/space-doors.ts";
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
const DOCUMENTS = 5_000;
const FILE_BYTES = 4_096;
const RUNS = 3;

export async function run(): Promise<Row[]> {
  await using folder = await temporaryFolder();
  const kept = join(folder.path, "kept");
  const data = join(kept, "data");
  const space = join(kept, "space");
  await fill(data);
  await fillSpace(space);
  const directory = join(folder.path, "backups");
  mkdirSync(directory);
  await folder.write(
    "kept/data/config.yaml",
    Bun.YAML.stringify({ backup: { directory }, memory: { space } }),
  );
  await using service = await runService({ data });
  const { admin } = service;
  const waits: number[] = [];
  const write = (index: number) => admin.patch("/workspaces/1", { display_name: `name ${index}` });
  const create = await medianOf(RUNS, () =>
    timed(async () => void waits.push(...(await waitsDuring(write, backedUp(admin))))),
  );
  const opened: number[] = [];
  opened.push(...(await waitsDuring(() => look(space), backedUp(admin))));
  const copied = await medianOf(RUNS, () => timed(() => copyAndHash(kept, join(folder.path, "copy"))));
  return [
    besideCopying("backup of the service, 100,000 turns, 2,000 files, 5,000 documents", create, copied, 0.25),
    figure("  writes meanwhile, p99", percentile(waits, 0.99), { atMost: 100 }),
    figure("  commands on the folder of memory meanwhile, longest", Math.max(...opened), { atMost: 1_000 }),
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

async function fillSpace(directory: string): Promise<void> {
  const space = await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps);
  for (let index = 0; index < DOCUMENTS; index++)
    writeFileSync(join(directory, `${index}.md`), `${index} `.repeat(FILE_BYTES).slice(0, FILE_BYTES));
  await space.adopt();
  await space.close();
}

/** As a command of another process. */
async function look(directory: string): Promise<void> {
  const space = await openLocalSpace(directory, localDeps);
  await space.record();
  await space.close();
}

async function backedUp(admin: Client): Promise<void> {
  const { id } = await admin.post<Backup>("/backups");
  const { state } = await until(async () => {
    const backup = await admin.get<Backup>(`/backups/${id}`);
    return backup.state === "running" ? undefined : backup;
  });
  if (state !== "done") throw new Error(`the backup is ${state}`);
}
