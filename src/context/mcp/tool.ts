// What a tool of the MCP server is: a name, words for the model, a schema, and work on one space that ends in a text.

import type { Static, TObject } from "@sinclair/typebox";
import type { SpaceDoor } from "../space/door.ts";

export interface Tool {
  readonly name: string;
  /** For the model: when to use it, and what comes back. */
  readonly description: string;
  readonly input: TObject;
  readonly writes: boolean;
  /** Raises AppErrors, which the model sees. */
  readonly run: (space: SpaceDoor, input: never) => Promise<string>;
}

/** Types the input of `run` by the schema. */
export function tool<const I extends TObject>(
  definition: Omit<Tool, "input" | "run" | "writes"> & {
    readonly input: I;
    readonly writes?: true;
    readonly run: (space: SpaceDoor, input: Static<I>) => Promise<string>;
  },
): Tool {
  return { ...definition, writes: definition.writes ?? false };
}
