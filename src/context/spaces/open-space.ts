// An open space, as other features see it.

import type { SpaceEngine } from "../versioned-store/engine.ts";
import { headText } from "../versioned-store/head.ts";
import type { EffectiveQuotas, Space, SpaceFile, SyncRules } from "./schema.ts";

export interface OpenSpace {
  readonly name: string;
  readonly engine: SpaceEngine;
  file: SpaceFile;
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
