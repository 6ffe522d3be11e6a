// What a command of `cairn` is made of: its flags, what it asks a server, and how people see the answer. Data is printed in one place.

import { defineCommand, type ArgsDef, type CommandDef, type ParsedArgs } from "citty";
import type { Client } from "../context/client/client.ts";
import { AppError } from "../kit/error.ts";
import { formatOf, printData } from "../kit/output.ts";
import { connected, connectionArgs } from "./connection.ts";

interface ServerCommand<A extends ArgsDef, T> {
  readonly name: string;
  readonly description: string;
  readonly args: A;
  /** Only with --server, and what for: asked before anything is looked for on this machine. */
  readonly elsewhere?: string;
  readonly ask: (client: Client, args: Given<A>) => Promise<T>;
  readonly show: (answer: T, args: Given<A>) => string;
}

type Given<A extends ArgsDef> = ParsedArgs<A & typeof connectionArgs>;

/** A command that asks a server and prints what it answers. */
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

/** `space`: which one; needed wherever a server has more than one. */
export const spaceArg = {
  space: { type: "string", valueHint: "name", description: "Name of the space (default: the only one)" },
} as const satisfies ArgsDef;
