// The states of the context space in words: what each means, and what to do about it. Pure.

import type { ContextStatus } from "../../../src/service/memory/schema.ts";

interface SpaceWords {
  readonly title: string;
  /** The remedy, and its effect. */
  readonly help: string;
}

const NO_SPACE: SpaceWords = {
  title: "No context space yet",
  help: "Run this command on the machine of the service. The service picks up the space immediately; no restart is needed.",
};

const WORDS: Readonly<Record<NonNullable<ContextStatus["reason"]>, SpaceWords>> = {
  no_space: NO_SPACE,
  cannot_open: {
    title: "Context space cannot be opened",
    help: "Repair or restore the folder. The service retries each time memory is used.",
  },
  unreachable: {
    title: "Context server unreachable",
    help: "Check that the server runs and that this machine can reach it. The service reconnects by itself.",
  },
  no_token: {
    title: "Cannot read the context server token",
    help: "Write a token and nothing else to the file, and let the service's user read it. It takes effect immediately; no restart is needed.",
  },
  token_refused: {
    title: "Context server refused the token",
    help: "Write a valid token to the file. It takes effect immediately; no restart is needed.",
  },
  space_missing: {
    title: "Space not found on the context server",
    help: "Create the space, share it with the user of the token, or correct memory.server.space in the configuration.",
  },
};

/** The command that creates a space for one person; the server's message names it, too. */
export const SETUP_COMMAND = "cairn init solo";

/** For a status that is not available. */
export function spaceWords({ reason, kind }: ContextStatus): SpaceWords {
  if (reason !== undefined) return WORDS[reason];
  return WORDS[kind === "server" ? "unreachable" : "cannot_open"];
}

const KINDS: Readonly<Record<ContextStatus["kind"], string>> = {
  none: "None",
  folder: "Folder on the machine of the service",
  server: "Space of a context server",
};

export const kindName = ({ kind }: ContextStatus): string => KINDS[kind];
