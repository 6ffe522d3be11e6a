// Reads the keys that may sign in, in a worker. Must not open anything of the server but its configuration.

import { loadServerConfig } from "../config/config.ts";
import type { AllowedKey } from "../config/schema.ts";

/** Raises what the configuration raises. A server that should offer no terminal interface any more accepts no key. */
export function readKeys({ directory }: { readonly directory: string }): readonly AllowedKey[] {
  const { enabled, keys } = loadServerConfig(directory).ssh;
  return enabled ? keys : [];
}
