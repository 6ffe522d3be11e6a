// The shape of a tool of the MCP server: a name, words for the model, a schema, and work on one space that ends in a text.

import type { Static, TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AppError } from "../../kit/error.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import type { SpaceDoor } from "../space/door.ts";

/** Answers say `v3`, so models write that as often as 3. */
const VERSION = /^v[1-9][0-9]{0,15}$/;
const VERSION_FIELDS: readonly string[] = ["version", "expected_version"];

export interface Tool {
  readonly name: string;
  /** For the model: when to use it, and what comes back. */
  readonly description: string;
  readonly input: TObject;
  readonly writes: boolean;
  /** Checks the arguments and returns the work, which raises AppErrors that the model sees. Raises `invalid`. */
  readonly prepare: (given: Readonly<Record<string, unknown>>) => (space: SpaceDoor) => Promise<string>;
}

/** Types the input of `run` by the schema. */
export function tool<const I extends TObject>({
  run,
  ...definition
}: Pick<Tool, "name" | "description"> & {
  readonly input: I;
  readonly writes?: true;
  readonly run: (space: SpaceDoor, input: Static<I>) => Promise<string>;
}): Tool {
  const prepare: Tool["prepare"] = (given) => {
    const input: unknown = withVersionNumbers(given);
    if (Value.Check(definition.input, input)) return (space) => run(space, input);
    const problem = firstProblem(definition.input, input, { whole: "arguments" });
    throw new AppError("invalid", problem ?? "arguments: not valid");
  };
  return { ...definition, writes: definition.writes ?? false, prepare };
}

function withVersionNumbers(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isVersion = (name: string, value: unknown) =>
    VERSION_FIELDS.includes(name) && typeof value === "string" && VERSION.test(value);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      isVersion(name, value) ? Number(String(value).slice(1)) : value,
    ]),
  );
}
