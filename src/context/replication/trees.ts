// The working trees of a node that follows. The log has the databases only, and the trees are written from them ahead of a takeover. A mark in each
// space says which head its tree shows.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Clock } from "../../kit/clock.ts";
import { messageOf } from "../../kit/error.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import type { Log } from "../../kit/log.ts";
import { closed } from "../../kit/schema.ts";
import { spaceFilePath, writeSpaceFile } from "../spaces/space-file.ts";
import type { EngineKind, Head } from "../versioned-store/engine.ts";
import { SPACES, spaceFolder } from "./copied-files.ts";

const Mark = closed({ epoch: Type.String(), seq: Type.Integer({ minimum: 0 }) });
const NOTHING: Head = { epoch: "", seq: 0 };

interface TreesDeps {
  /** The data directory. */
  readonly directory: string;
  readonly engine: EngineKind;
  readonly clock: Clock;
  readonly log: Log;
}

/** Brings the trees of these spaces up to date; undefined: of all. None may be open. A tree that fails is brought when its space is opened. */
export async function bringTrees(
  { directory, engine, clock, log }: TreesDeps,
  names: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (const name of names ?? namesIn(join(directory, SPACES))) {
    if (signal.aborted) return;
    const folder = spaceFolder(directory, name);
    if (!existsSync(engine.databaseOf(folder))) continue;
    const before = treeAt(directory, name);
    try {
      const { shows, metadata } = await engine.bringTree({
        directory: folder,
        shows: before,
        clock,
        log,
        signal,
      });
      if (metadata) await writeSpaceFile(folder, metadata);
      if (shows !== before) await replaceFile(markOf(folder), JSON.stringify(shows));
    } catch (error) {
      log.warn("cannot write a working tree ahead of a takeover", { space: name, error: messageOf(error) });
      // An outdated one would pass for an edit by hand. The database has its content.
      await rm(spaceFilePath(folder), { force: true });
    }
  }
}

function namesIn(spaces: string): string[] {
  return existsSync(spaces) ? readdirSync(spaces) : [];
}

/** Returns the spaces of these places in the log. */
export function spacesOf(places: Iterable<string>): string[] {
  const names = [...places].map((place) => place.split("/")).filter(([first]) => first === SPACES);
  return [...new Set(names.flatMap(([, name]) => name ?? []))];
}

/** Returns the head that the working tree of a space shows at least. */
export function treeAt(directory: string, name: string): Head {
  const path = markOf(spaceFolder(directory, name));
  if (!existsSync(path)) return NOTHING;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Value.Check(Mark, value) ? value : NOTHING;
  } catch {
    return NOTHING;
  }
}

function markOf(folder: string): string {
  return join(folder, ".cairn", "tree-shown.json");
}
