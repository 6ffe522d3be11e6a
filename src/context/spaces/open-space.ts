// An open space, as other features see it, and the list of those that a caller sees.

import { messageOf, stopping } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { SpaceEngine } from "../versioned-store/engine.ts";
import { headText } from "../versioned-store/head.ts";
import type { EffectiveQuotas, Space, SpaceFile, SyncRules } from "./schema.ts";

export interface OpenSpace {
  readonly name: string;
  readonly engine: SpaceEngine;
  file: SpaceFile;
}

/** Those that the caller may see, by name. */
export interface SpaceList {
  readonly spaces: readonly Space[];
  /** The names of those that the server cannot open. A request for one of them says why. */
  readonly unopened: readonly string[];
}

/** Of a space that the server cannot open, only the name. */
export type ListedSpace = Space | Pick<Space, "name">;

/** All of the list, by name. */
export function allOf({ spaces, unopened }: SpaceList): ListedSpace[] {
  const all = [...spaces, ...unopened.map((name) => ({ name }))];
  return all.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** `sync`: the rules that the reader may see. */
export function recordOf({ name, engine, file }: OpenSpace, quotas: EffectiveQuotas, sync: SyncRules): Space {
  return {
    name,
    template: file.template,
    head: headText(engine.head()),
    created_at: file.created_at,
    ...engine.totals(),
    sync,
    quotas,
    quotas_set_by: file.quotas_set_by ?? {},
  };
}

export function totalsOf(spaces: Iterable<OpenSpace>): { files: number; bytes: number } {
  const each = [...spaces].map(({ engine }) => engine.totals());
  const sum = (of: "files" | "bytes") => each.reduce((total, one) => total + one[of], 0);
  return { files: sum("files"), bytes: sum("bytes") };
}

/** At the end of the server. Never raises. */
export async function closeEach(spaces: Iterable<OpenSpace>, log: Log): Promise<void> {
  for (const { engine, name } of spaces) {
    try {
      await engine.close(stopping("server"));
    } catch (error) {
      log.error("cannot close a space", { space: name, error: messageOf(error) });
    }
  }
}
