// The two shapes of a `cairn` command: one asks a server, one acts on a space, wherever that is. Data is printed in one place.

import { defineCommand, type ArgsDef, type CommandDef, type ParsedArgs } from "citty";
import type { Client } from "../context/client/client.ts";
import { AppError } from "../kit/error.ts";
import { formatOf, printData } from "../kit/output.ts";
import type { SpaceDoor } from "../context/space/door.ts";
import { connected, connectionArgs, spaceArgs, withSpace } from "./connection.ts";

interface ServerCommand<A extends ArgsDef, T> {
  readonly name: string;
  readonly description: string;
  readonly args: A;
  /** Set if the command requires --server: what the flag is for. Checked before the command looks for a local server. */
  readonly elsewhere?: string;
  readonly ask: (client: Client, args: Given<A>) => Promise<T>;
  readonly show: (answer: T, args: Given<A>) => string;
}

type Given<A extends ArgsDef> = ParsedArgs<A & typeof connectionArgs>;

/** Defines a command that asks a server and prints the answer. */
export function serverCommand<const A extends ArgsDef, T>(
  command: ServerCommand<A, T>,
): CommandDef<A & typeof connectionArgs> {
  const { name, description, args, elsewhere, ask, show } = command;
  return defineCommand({
    meta: { name, description },
    args: { ...args, ...connectionArgs },
    async run({ args: given }) {
      const format = formatOf(given);
      if (elsewhere !== undefined && given.server === undefined)
        throw new AppError("invalid", `missing flag: --server, ${elsewhere}`);
      const answer = await connected(given, (client) => ask(client, given));
      await printData(answer, format, (value) => show(value, given));
    },
  });
}

interface SpaceCommand<A extends ArgsDef, T> {
  readonly name: string;
  readonly description: string;
  readonly args: A;
  /** The space that the command names in its own way; default: `--space`. */
  readonly named?: (args: ParsedArgs<A & typeof spaceArgs>) => string | undefined;
  readonly ask: (space: SpaceDoor, args: ParsedArgs<A & typeof spaceArgs>) => Promise<T>;
  readonly show: (answer: T, args: ParsedArgs<A & typeof spaceArgs>) => string;
}

/** Defines a command that acts on one space, in a folder or of a server, and prints the answer, which is the same for both. */
export function spaceCommand<const A extends ArgsDef, T>({
  name,
  description,
  args,
  named = (given) => given.space,
  ask,
  show,
}: SpaceCommand<A, T>): CommandDef<A & typeof spaceArgs> {
  return defineCommand({
    meta: { name, description },
    args: { ...args, ...spaceArgs },
    async run({ args: given }) {
      const answer = await withSpace({ ...given, space: named(given) }, (space) => ask(space, given));
      await printData(answer, formatOf(given), (value) => show(value, given));
    },
  });
}
