// Flattens the tree of commands into what a shell can offer at each point of a command line. Each shell's file writes that in its own syntax.

import { choicesOf, spellings } from "../../kit/terminal/arguments.ts";
import type { CommandNode } from "../../kit/terminal/cli.ts";

export type Value =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "directory" | "file" | "text" };

export interface Offer {
  /** The command so far, for example `cairn user add`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly OfferedFlag[];
  /** The words after it, in order. */
  readonly places: readonly Value[];
}

export interface OfferedFlag {
  /** Begins with `--name`. */
  readonly spellings: readonly string[];
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly value: Value | undefined;
}

type Definition = CommandNode["positionals"][number];

/** Lists parents before their children. */
export function offersOf(node: CommandNode): Offer[] {
  const offer: Offer = {
    path: node.path,
    commands: node.children.map(({ path, description }) => ({ name: lastWord(path), description })),
    flags: Object.entries(node.flags).map(([name, def]) => ({
      spellings: spellings(name, def),
      description: def.description ?? "",
      value: def.type === "boolean" ? undefined : valueOf(def),
    })),
    places: node.positionals.map(valueOf),
  };
  return [offer, ...node.children.flatMap(offersOf)];
}

function valueOf(def: Definition): Value {
  const words = choicesOf(def);
  if (words !== undefined) return { kind: "words", words };
  const hint = def.valueHint ?? "";
  if (hint === "dir") return { kind: "directory" };
  return { kind: hint === "file" || hint.startsWith("file|") ? "file" : "text" };
}

function lastWord(path: string): string {
  return path.slice(path.lastIndexOf(" ") + 1);
}

/** Quotes a text as one word of a POSIX shell, bash or zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
