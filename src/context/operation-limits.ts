// The limits of operations that no schema states, for the API description.

import { SPACES_MAX } from "./spaces/schema.ts";
import { PULL_BYTES_MAX, PUSH_BYTES_MAX } from "./sync/schema.ts";
import { BATCH_OPERATIONS_MAX } from "./versioned-store/schema.ts";
import { WEBHOOKS_MAX } from "./webhooks/schema.ts";

/** By method and route. */
export const operationLimits: Readonly<Record<string, string>> = {
  "POST /spaces": `At most ${SPACES_MAX} spaces.`,
  "POST /webhooks": `At most ${WEBHOOKS_MAX} webhooks.`,
  "POST /spaces/:space/push": `At most ${BATCH_OPERATIONS_MAX} operations, with at most ${PUSH_BYTES_MAX} bytes of content together.`,
  "POST /spaces/:space/pull": `The documents have at most ${PULL_BYTES_MAX} bytes together.`,
};
