// The answers that `cairn init` needs, from flags or from a person, and the problems that they can have. Nothing here writes.

import type { Space } from "../../context/spaces/schema.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { AppError } from "../../kit/error.ts";
import { hasTerminal } from "../../kit/environment.ts";
import { nounFor } from "../../kit/text/amounts.ts";
import type { ListedSpaces } from "../space-choice.ts";

export const kinds = ["solo", "client", "server"] as const;
export type Kind = (typeof kinds)[number];

/** Signed in, with the spaces that the person may see. */
export interface ProvenServer extends ListedSpaces<Pick<Space, "name" | "files" | "bytes">> {
  readonly url: string;
  readonly token: string | undefined;
  readonly user: string;
  readonly role: string;
}

export interface Answers {
  readonly kind?: Kind | undefined;
  /** Absolute. */
  readonly directory?: string | undefined;
  /** Name of the space in a folder, or of the first space of a server. */
  readonly space?: string | undefined;
  readonly template?: string | undefined;
  readonly adopt?: boolean | undefined;
  /** Accept a folder that holds a space, or other files. */
  readonly force?: boolean | undefined;
  /** Address of the server that a client joins. */
  readonly server?: string | undefined;
  readonly proven?: ProvenServer | undefined;
  /** The token was typed, so it is not stored yet. */
  readonly typedToken?: boolean | undefined;
  readonly address?: string | undefined;
  readonly port?: string | undefined;
  readonly admin?: string | undefined;
  /** Ids of the AI tools to connect to the space. */
  readonly tools?: readonly string[] | undefined;
  /** Sync in the background from now on. */
  readonly daemon?: boolean | undefined;
  readonly confirmed?: true;
}

interface Manner {
  readonly "non-interactive"?: boolean | undefined;
}

/** The command that brings a new space into the AI tools of a project. `dir`: the flag that names the space, if it needs one. */
export function activateHint(dir: readonly string[]): string {
  return `${commandText(["cairn", "activate", ...dir])}    # in a project folder: connects its AI tools to the space`;
}

/** A person can be asked, and nobody forbade it. */
export function mayAsk(args: Manner): boolean {
  return args["non-interactive"] !== true && hasTerminal();
}

/** Raises `invalid` with all that is missing, as flags. */
export function refuseMissing(flags: Readonly<Record<string, unknown>>): void {
  const missing = Object.keys(flags).filter((flag) => flags[flag] === undefined);
  if (missing.length === 0) return;
  const names = missing.join(", ");
  const why = hasTerminal() ? "" : "; there is no terminal to ask";
  throw new AppError("invalid", `missing ${nounFor(missing.length, "flag")}: ${names}${why}`, {
    missing,
  });
}

/** Raises `invalid` with everything that is wrong. */
export function refuseProblems(problems: readonly (string | undefined)[]): void {
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new AppError("invalid", found.join("; "));
}
