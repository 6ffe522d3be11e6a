// Spaces: records, sync rules, quotas, and `space.yaml`.

import { Type, type Static } from "@sinclair/typebox";
import { pathProblem } from "../../kit/text/paths.ts";
import { judgedText, closed, oneOf, Time } from "../../kit/schema.ts";
import { Head } from "../versioned-store/schema.ts";

export const SPACE_NAME_PATTERN = "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$";
/** Returns the problem with the name of a new space; undefined if it is valid. The name must be a valid folder name on any system. */
export function spaceNameProblem(name: string): string | undefined {
  if (!new RegExp(SPACE_NAME_PATTERN).test(name))
    return "1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends";
  return pathProblem(name);
}
/** An impossible name in a URL is not a validation error but an unknown space: 404. */
const SpaceName = judgedText({ pattern: SPACE_NAME_PATTERN });
export const SPACES_MAX = 1_000;
export const SYNC_RULES_MAX = 1_000;

export const syncModes = ["always", "init-only", "never"] as const;
export const SyncMode = oneOf(syncModes);
export type SyncMode = (typeof syncModes)[number];

/** Path prefix → mode. The longest matching prefix applies; the default is `always`. */
export const SyncRules = Type.Record(Type.String(), SyncMode);
export type SyncRules = Static<typeof SyncRules>;
export const DEFAULT_SYNC: SyncRules = { "identity/": "init-only" };

const Limit = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** 0: server default. */
export const Quotas = closed({
  max_file_size: Type.Optional(Limit),
  max_space_size: Type.Optional(Limit),
  max_files: Type.Optional(Limit),
});
export type Quotas = Static<typeof Quotas>;
/** The limits in force; never 0. */
export const EffectiveQuotas = closed({ max_file_size: Limit, max_space_size: Limit, max_files: Limit });
export type EffectiveQuotas = Static<typeof EffectiveQuotas>;

/** The user who set a limit of a space, and their role at that time. */
const QuotaOrigin = closed({
  name: Type.String(),
  role: oneOf(["admin", "space-lead"] as const),
  /** The limit of an admin that a space-lead lowered. */
  admin: Type.Optional(closed({ name: Type.String(), limit: Type.Integer() })),
});
export type QuotaOrigin = Static<typeof QuotaOrigin>;
export const QuotaOrigins = closed({
  max_file_size: Type.Optional(QuotaOrigin),
  max_space_size: Type.Optional(QuotaOrigin),
  max_files: Type.Optional(QuotaOrigin),
});
export type QuotaOrigins = Static<typeof QuotaOrigins>;

export const Space = closed({
  name: Type.String(),
  template: Type.String(),
  head: Head,
  created_at: Time,
  bytes: Type.Integer(),
  files: Type.Integer(),
  versions: Type.Integer(),
  sync: SyncRules,
  quotas: EffectiveQuotas,
  /** Only for the space's own limits; the server's have no entry. */
  quotas_set_by: QuotaOrigins,
});
export type Space = Static<typeof Space>;

export const CreateSpace = closed({ name: SpaceName, template: Type.Optional(Type.String()) });
export type CreateSpace = Static<typeof CreateSpace>;
export const SpaceParams = closed({ space: SpaceName });
export const DeleteSpaceQuery = closed({ confirm: Type.Optional(SpaceName) });
export const DeletedSpace = closed({ name: Type.String(), files: Type.Integer(), bytes: Type.Integer() });

/** `.cairn/space.yaml` */
export const SpaceFile = closed({
  name: Type.String(),
  created_at: Time,
  template: Type.String(),
  sync: SyncRules,
  quotas: Type.Optional(Quotas),
  quotas_set_by: Type.Optional(QuotaOrigins),
  retention: Type.Optional(closed({ max_versions: Type.Integer({ minimum: 0 }) })),
});
export type SpaceFile = Static<typeof SpaceFile>;

export const SnapshotParams = closed({ space: Type.String(), id: Type.Integer({ minimum: 1 }) });
