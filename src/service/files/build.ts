// Builds the files of workspaces.

import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { Directories } from "./directories.ts";
import { Files } from "./files.ts";
import { fileTools } from "./tools.ts";

export function buildFiles(ground: Ground, access: Access) {
  const { db, audit, journal, workers } = ground;
  const directories = directoriesOf(ground, access);
  const files = new Files({ db, access, journal, audit, directories, workers });
  return { directories, files, fileTools: fileTools(files) };
}

/** One directory per workspace. Another `folder` of the data directory holds what agents do not see. */
export function directoriesOf({ config, background, clock, log }: Ground, access: Access, folder?: string) {
  return new Directories({ data: config.data, access, background, clock, log, ...(folder && { folder }) });
}
