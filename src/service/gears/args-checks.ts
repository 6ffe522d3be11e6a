// Schemas and arguments of gears, checked in a worker thread: they come from people and models, and even a small schema can take a second.

import { fieldError } from "../../kit/error.ts";
import type { WorkerPool } from "../../kit/workers/pool.ts";
import type { Caller } from "../identity/caller.ts";
import { notValid, type Parsed } from "../tools/arguments.ts";
import { ARGS_JOB, SCHEMA_JOB, type CheckedArgs } from "./args-jobs.ts";

/** Marks top-level properties that hold paths of workspace files, which the run receives. */
const FILE_MARK = "x-file";

const PARSED_KEPT_MAX = 500;

type Args = Record<string, unknown>;

const parsed = new Map<string, Args>();

export class ArgsChecks {
  readonly #workers: WorkerPool;

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  /** Call it before the write that saves the schema. Raises `invalid`, naming `args_schema` and the problem, and what the pool raises. */
  requireSchema(caller: Caller, text: string): Promise<void> {
    return this.#workers.run(SCHEMA_JOB, text, { by: nameOf(caller) });
  }

  /** Raises `invalid`, naming the field, and what the pool raises. `schema` is a stored one. */
  async requireArgs(caller: Caller, schema: string, args: Args): Promise<void> {
    const checked = await this.#checked(caller, schema, JSON.stringify(args), { nullIsAbsent: false });
    if (checked.ok) return;
    const { path, message } = checked.problem;
    throw fieldError("invalid", ["args", path].filter(Boolean).join("."), message);
  }

  /** Parses the arguments of a tool call. Problems are sentences that the model can act on. Raises what the pool raises. */
  async parse(caller: Caller, schema: string, args: Args): Promise<Parsed<Args>> {
    const checked = await this.#checked(caller, schema, JSON.stringify(args), { nullIsAbsent: true });
    if (checked.ok) return { ok: true, value: checked.args };
    const { path, message } = checked.problem;
    return notValid(`${path || "arguments"}: ${message}.`);
  }

  #checked(
    caller: Caller,
    schema: string,
    json: string,
    { nullIsAbsent }: { readonly nullIsAbsent: boolean },
  ): Promise<CheckedArgs> {
    return this.#workers.run(ARGS_JOB, { schema, json, nullIsAbsent }, { by: nameOf(caller) });
  }
}

function nameOf({ userId }: Caller): string {
  return `user:${userId}`;
}

/** A stored schema, which is a JSON object. Prompts name the schemas of all bound gears, so they are parsed once. */
export function parsedSchema(text: string): Args {
  const known = parsed.get(text);
  if (known) return known;
  const schema = JSON.parse(text) as Args;
  parsed.set(text, schema);
  if (parsed.size > PARSED_KEPT_MAX) parsed.delete(parsed.keys().next().value!);
  return schema;
}

/** The paths of workspace files in properties that a stored schema marks with `"x-file": true`. */
export function filesIn(schema: string, args: Args): string[] {
  const properties = (parsedSchema(schema)["properties"] ?? {}) as Readonly<Record<string, Args | undefined>>;
  return Object.entries(properties)
    .filter(([, property]) => property?.[FILE_MARK] === true)
    .flatMap(([name]) => (Array.isArray(args[name]) ? (args[name] as unknown[]) : [args[name]]))
    .filter((path) => typeof path === "string");
}
