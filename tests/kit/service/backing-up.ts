// Backups of the service: a data directory whose configuration names a directory for them, and their end.

import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Backup, BackupsOverview } from "../../../src/service/backup/schema.ts";
import { membersOf } from "../backup-members.ts";
import { eventually } from "../eventually.ts";
import type { Folder } from "../folder.ts";
import type { World } from "./world.ts";

const GIB = 1024 ** 3;

interface Prepared {
  /** A data directory whose configuration names the directory below. */
  readonly data: string;
  readonly backups: string;
}

export async function prepared(folder: Folder, more = ""): Promise<Prepared> {
  const backups = join(folder.path, "backups");
  mkdirSync(backups);
  await folder.write("data/config.yaml", `backup:\n  directory: ${JSON.stringify(backups)}\n${more}`);
  return { data: join(folder.path, "data"), backups };
}

export const overviewOf = ({ admin }: World) => admin.get<BackupsOverview>("/backups");

export async function ended(at: World, { id }: Backup): Promise<Backup> {
  const state = async () => (await at.admin.get<Backup>(`/backups/${id}`)).state !== "running";
  await eventually(state, true);
  return at.admin.get<Backup>(`/backups/${id}`);
}

/** So large that its backup is still running when the next request arrives. Empty on the disk. */
export function layLargeFile(data: string): void {
  mkdirSync(join(data, "files/1"), { recursive: true });
  writeFileSync(join(data, "files/1/large.bin"), "");
  truncateSync(join(data, "files/1/large.bin"), 8 * GIB);
}

/** Unpacks an archive as tar does. */
export async function unpacked(file: string, into: string): Promise<string> {
  for (const { name, bytes } of await membersOf(file)) {
    mkdirSync(dirname(join(into, name)), { recursive: true });
    writeFileSync(join(into, name), bytes);
  }
  return into;
}
