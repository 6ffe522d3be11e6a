// Reads the keys that may sign in, in a worker. Must not open anything of the server but its configuration.

import { loadServerConfig } from "../config/config.ts";
import type { AllowedKey } from "../config/schema.ts";

/** Accepts no key once the terminal interface is disabled. Raises what the configuration raises. */
export function readKeys({ directory }: { readonly directory: string }): readonly AllowedKey[] {
  const { enabled, keys } = loadServerConfig(directory).ssh;
  return enabled ? keys : [];
}
