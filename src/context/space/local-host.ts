// The space of a folder as the rules for files see it: one person, who may do everything, and no operator.

import type { SpaceHost } from "../files/files.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import { quotasInForce } from "../spaces/quota-rules.ts";
import type { EffectiveQuotas, SpaceFile } from "../spaces/schema.ts";
import { FILE_BYTES_CEILING } from "../versioned-store/schema.ts";

/** A folder has no operator who limits it, only its disk; `space.yaml` may set limits. */
const QUOTAS: EffectiveQuotas = {
  max_file_size: FILE_BYTES_CEILING,
  max_space_size: Number.MAX_SAFE_INTEGER,
  max_files: Number.MAX_SAFE_INTEGER,
};

export function localQuotas(file: SpaceFile): EffectiveQuotas {
  return quotasInForce(QUOTAS, file);
}

export function localHost(space: OpenSpace): SpaceHost {
  const opened = () => Promise.resolve(space);
  return {
    looked: opened,
    visible: opened,
    led: opened,
    requireLead: () => {},
    quotasOf: ({ file }) => localQuotas(file),
    versionsKept: ({ file }) => file.retention?.max_versions ?? 0,
  };
}
