// Opens the store of a space in a folder. A folder whose database is lost is refused: nothing may replace the history by an empty one unasked.

import { openWhenFree } from "../../kit/disk/in-use.ts";
import { AppError } from "../../kit/error.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { lostDatabase } from "../spaces/space-file.ts";
import type { SpaceEngine, SpaceEngineOptions } from "../versioned-store/engine.ts";
import { sqlite } from "../versioned-store/sqlite/kind.ts";

/** Waits for its turn. Raises `refused` for a lost database, `conflict` with `details.in_use` if the wait takes too long, and what the engine raises. */
export async function openLocalEngine(
  options: SpaceEngineOptions,
  onWait?: () => void | Promise<void>,
): Promise<SpaceEngine> {
  const { directory } = options;
  const lost = lostDatabase(directory, sqlite);
  if (lost !== undefined) throw new AppError("refused", `${lost}; ${remedyIn(directory)}`);
  return openWhenFree(() => sqlite.open(options), options.clock, onWait);
}

/** As `openLocalEngine`, for a person who starts over: creates a lost database again, without versions. */
export function openLocalEngineAnew(
  options: SpaceEngineOptions,
  onWait?: () => void | Promise<void>,
): Promise<SpaceEngine> {
  const { directory, log } = options;
  if (lostDatabase(directory, sqlite) !== undefined)
    log.warn("the database is lost; started over from the files, without their history", { directory });
  return openWhenFree(() => sqlite.open(options), options.clock, onWait);
}

function remedyIn(directory: string): string {
  const again = commandText(["cairn", "init", "solo", "--dir", directory, "--force", "--adopt"]);
  return `restore it from a backup, or start over from the files, without their history, with ${again}`;
}
