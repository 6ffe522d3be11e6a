// The shape of a `cairn` command: its flags, its request to a server, and its text output. Data is printed in one place.

import { defineCommand, type ArgsDef, type CommandDef, type ParsedArgs } from "citty";
import type { Client } from "../context/client/client.ts";
import { AppError } from "../kit/error.ts";
import { formatOf, printData } from "../kit/output.ts";
import { connected, connectionArgs } from "./connection.ts";

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

/** `space`, required if the server has more than one. */
export const spaceArg = {
  space: { type: "string", valueHint: "name", description: "Name of the space (default: the only one)" },
} as const satisfies ArgsDef;
