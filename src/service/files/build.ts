// Builds the files of workspaces.

import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { BegunSaves } from "./begun-saves.ts";
import { Directories } from "./directories.ts";
import { Files } from "./files.ts";
import { begunSaveStore } from "./store.ts";
import { fileTools } from "./tools.ts";

export function buildFiles(ground: Ground, access: Access) {
  const { db, workers, log } = ground;
  const directories = directoriesOf(ground, access);
  const saves = new BegunSaves({ ...ground, store: begunSaveStore(db), access });
  const files = new Files({ db, access, saves, directories, workers, log });
  return { directories, files, fileTools: fileTools(files) };
}

/** One directory per workspace. Another `folder` of the data directory holds what agents do not see. */
export function directoriesOf({ config, background, clock, log }: Ground, access: Access, folder?: string) {
  return new Directories({ data: config.data, access, background, clock, log, ...(folder && { folder }) });
}
