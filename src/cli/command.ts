// The two shapes of a `cairn` command: one asks a server, one acts on a space, wherever that is. Data is printed in one place.

import { defineCommand, type ArgsDef, type CommandDef, type ParsedArgs } from "citty";
import type { Client } from "../context/client/client.ts";
import { formatOf, printData, printWarning } from "../kit/terminal/output.ts";
import type { SpaceDoor } from "../context/space/door.ts";
import { done, requireOnDisk } from "./behind.ts";
import { connected, connectionArgs, spaceArgs, withSpace, type SpaceCommandFlags } from "./connection.ts";

interface ServerCommand<A extends ArgsDef, T> {
  readonly name: string;
  readonly description: string;
  readonly args: A;
  /** `args` name the server, and no other flag may say where it is. */
  readonly namesServer?: true;
  /** Called before the command looks for a server; what it raises is the error. */
  readonly first?: (args: Given<A>) => void;
  /** Whose saved token it sends; undefined: the current user's. */
  readonly as?: (args: Given<A>) => string | undefined;
  readonly ask: (client: Client, args: Given<A>) => Promise<T>;
  readonly show: (answer: T, args: Given<A>) => string;
  /** A note for people, on stderr: the text stays alone on stdout. */
  readonly note?: (answer: T, args: Given<A>) => string;
}

type Given<A extends ArgsDef> = ParsedArgs<A & typeof connectionArgs>;

/** Defines a command that asks a server and prints the answer. */
export function serverCommand<const A extends ArgsDef, T>(
  command: ServerCommand<A, T>,
): CommandDef<A & typeof connectionArgs> {
  const { name, description, args, namesServer, first, as, ask, show, note } = command;
  return defineCommand({
    meta: { name, description },
    // A flag of its own counts before that of the connection.
    args: { ...args, ...(namesServer === true ? {} : connectionArgs), ...args } as A & typeof connectionArgs,
    async run({ args: given }) {
      const format = formatOf(given);
      first?.(given);
      const answer = await connected(given, (client) => ask(client, given), as?.(given));
      await printData(answer, format, (value) => show(value, given));
      if (note !== undefined && format === "text") await printWarning(note(answer, given));
    },
  });
}

/** A command may take the space as a word as well, which then has the name of the flag. */
type WithSpace<A extends ArgsDef> = Omit<typeof spaceArgs, keyof A> & A;
type GivenWithSpace<A extends ArgsDef> = ParsedArgs<WithSpace<A>>;

interface SpaceCommand<A extends ArgsDef, T> {
  readonly name: string;
  readonly description: string;
  readonly args: A;
  readonly ask: (space: SpaceDoor, args: GivenWithSpace<A>) => Promise<T>;
  readonly show: (answer: T, args: GivenWithSpace<A>) => string;
  /** Runs after the answer was printed. Raises if something in it makes the command fail. */
  readonly check?: (answer: T) => void;
}

/** Defines a command that acts on one space, in a folder or of a server, and prints the answer, which is the same for both. */
export function spaceCommand<const A extends ArgsDef, T>(
  command: SpaceCommand<A, T>,
): CommandDef<WithSpace<A>> {
  const { name, description, args, ask, show, check } = command;
  return defineCommand({
    meta: { name, description },
    args: { ...spaceArgs, ...args } as WithSpace<A>,
    async run({ args: given }) {
      const flags = given as SpaceCommandFlags;
      const made = await withSpace(flags, (space) => done(space, () => ask(space, given)));
      await printData(made.answer, formatOf(flags), (value) => show(value, given));
      requireOnDisk(made, flags);
      check?.(made.answer);
    },
  });
}
