// The settings of a space in a folder that a person may change: its name, and how many versions keep their content.

import { systemClock } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import { spaceNameProblem, type SpaceFile } from "../spaces/schema.ts";
import { openSpaceFile, saveSpaceFile } from "../spaces/space-file.ts";
import { openLocalEngine } from "./local-engine.ts";

interface LocalSettings {
  readonly name: string;
  readonly template: string;
  /** 0: all. */
  readonly max_versions: number;
}

interface SettingsChange {
  readonly name?: string | undefined;
  readonly max_versions?: number | undefined;
}

/** Returns the settings after the change. Raises `invalid` and `refused` before anything is written, and `conflict` while another command has the space open. */
export async function localSettings(
  directory: string,
  { log }: { readonly log: Log },
  { name, max_versions: kept }: SettingsChange = {},
): Promise<LocalSettings> {
  const problem = name === undefined ? undefined : spaceNameProblem(name);
  if (problem !== undefined) throw new AppError("invalid", `name: ${problem}`);
  const clock = systemClock;
  const engine = await openLocalEngine({ directory, clock, log });
  try {
    const before = await openSpaceFile(directory, engine, { clock, log });
    const after: SpaceFile = {
      ...before,
      ...(name === undefined ? {} : { name }),
      ...(kept === undefined ? {} : { retention: { max_versions: kept } }),
    };
    if (!Bun.deepEquals(before, after)) await saveSpaceFile(directory, engine, after, { log });
    return { name: after.name, template: after.template, max_versions: after.retention?.max_versions ?? 0 };
  } finally {
    await engine.close();
  }
}
