// Gears of a file: checked as if they were created here, and never approved by it.

import { Value } from "@sinclair/typebox/value";
import { NAME_CHARACTERS_SHOWN_MAX } from "../../kit/error.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import { contentHashes, parseCode } from "../gears/content.ts";
import { CreateGear, type GearFileInput, type GearTest } from "../gears/schema.ts";
import { wrong } from "./record-checks.ts";
import type { RecordOf } from "./format.ts";

export type GearDraft = Omit<CreateGear, "files" | "code"> & {
  readonly type: "gear";
  readonly id: number;
  readonly files: GearFileInput[];
};

export function gearInput(record: RecordOf<"gear">): Omit<GearDraft, "id" | "type"> {
  const { name, description, tags, runtime, entrypoint, args_schema, tests } = record;
  return {
    name,
    description,
    tags,
    runtime: runtime as CreateGear["runtime"],
    entrypoint,
    args_schema,
    tests: testsOf(tests),
    files: [],
  };
}

/** Raises what creating the gear would raise, except for its `args_schema`, which a worker checks. */
export function requireGear(draft: GearDraft): void {
  const input = createInput(draft, draft.name);
  const problem = firstProblem(CreateGear, input, { whole: "gear" });
  if (problem !== undefined || !Value.Check(CreateGear, input))
    throw wrong("gear", `"${draft.name.slice(0, NAME_CHARACTERS_SHOWN_MAX)}": ${problem ?? "not valid"}`);
  parseCode(draft.runtime, input);
}

/** The input that creates the gear under a name. */
export function createInput(draft: GearDraft, name: string): CreateGear {
  const { description, tags, runtime, entrypoint, args_schema, tests, files } = draft;
  return { name, description, tags, runtime, entrypoint, args_schema, tests, files } as CreateGear;
}

/** The hash of the gear's content under any name. */
export function hashesOf(draft: GearDraft): (name: string) => string {
  const { name, runtime, args_schema: argsSchema, description = "" } = draft;
  return contentHashes({ description, runtime, argsSchema, ...parseCode(runtime, createInput(draft, name)) });
}

function testsOf(json: string): GearTest[] {
  const tests = parsedJson(json) as GearTest[] | undefined;
  if (tests === undefined) throw wrong("gear", "its tests are not valid JSON");
  return tests;
}
