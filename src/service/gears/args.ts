// Checks a gear's args_schema when it is saved, and arguments against it before every run. Runs in a worker thread (args-checks.ts).
//
// Schemas come from people and models, so they are not trusted: remote references are refused, keywords that take more than linear time are
// replaced or bounded, and compiling and checking have deadlines, because even a small schema can require endless work.

import type vm from "node:vm";
import type * as AjvDraft07 from "ajv";
import type { Ajv, ErrorObject } from "ajv";
import type * as AjvDraft2020 from "ajv/dist/2020";
import { threadTimeMs } from "../../kit/clock.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { pointerParts } from "../../kit/schema-problem.ts";
import { isTooDeep, JSON_DEPTH_MAX } from "../../kit/text/json-shape.ts";
import { objectIn } from "../tools/arguments.ts";
import type { ArgsProblem, CheckedArgs, GivenArgs } from "./args-jobs.ts";
import { boundedPattern, patternProblem } from "./patterns.ts";
import { ARGS_SCHEMA_CHARACTERS_MAX, SCHEMA_PARTS_MAX } from "./schema.ts";

/** Of processor time. */
export const CHECK_DEADLINE_MS = 250;
const COMPILE_DEADLINE_MS = 2_000;
/** Interrupted work that had a smaller share of its deadline was kept from the processor. */
const FULL_SHARE = 0.8;
const COMPILED_KEPT_MAX = 500;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

type Schema = Readonly<Record<string, unknown>>;

export interface ArgsSchema {
  /** Returns undefined if the arguments are valid. Never raises. */
  readonly problemOf: (args: Record<string, unknown>) => ArgsProblem | undefined;
}

/** Validates a new schema. Raises `invalid`, naming `args_schema` and the problem. */
export function checkArgsSchema(text: string): void {
  if (text.length > ARGS_SCHEMA_CHARACTERS_MAX)
    throw fieldError("invalid", "args_schema", `at most ${ARGS_SCHEMA_CHARACTERS_MAX} characters`);
  const schema = parseSchema(text);
  if (schema.type !== "object")
    throw fieldError("invalid", "args_schema", 'its root must have "type": "object"');
  requireKnownDraft(schema);
  if (partsOf(schema) > SCHEMA_PARTS_MAX)
    throw fieldError("invalid", "args_schema", `at most ${SCHEMA_PARTS_MAX} objects and lists in it`, {
      limit: SCHEMA_PARTS_MAX,
    });
  requirePlain(schema);
  const ajv = metaAjv(schema);
  const valid = bounded(COMPILE_DEADLINE_MS, () => ajv.validateSchema(schema));
  if (!valid)
    throw fieldError(
      "invalid",
      "args_schema",
      `not a valid JSON Schema: ${ajv.errorsText(ajv.errors, { dataVar: "schema" })}`,
    );
  compile(schema);
}

const compiled = new Map<string, ArgsSchema>();

/** Returns a stored schema, compiled once. */
export function argsSchema(text: string): ArgsSchema {
  const known = compiled.get(text);
  if (known) return known;
  const made = compile(parseSchema(text));
  compiled.set(text, made);
  if (compiled.size > COMPILED_KEPT_MAX) compiled.delete(compiled.keys().next().value!);
  return made;
}

/** Checks arguments against a stored schema. */
export function checkArgs({ schema: text, json, nullIsAbsent }: GivenArgs): CheckedArgs {
  const schema = argsSchema(text);
  const args = JSON.parse(json) as Record<string, unknown>;
  const problem = schema.problemOf(args);
  if (!problem) return { ok: true, args };
  const plain = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  if (nullIsAbsent && !schema.problemOf(plain)) return { ok: true, args: plain };
  return { ok: false, problem };
}

function parseSchema(text: string): Schema {
  if (isTooDeep(text))
    throw fieldError("invalid", "args_schema", `nested more than ${JSON_DEPTH_MAX} levels deep`);
  const schema = objectIn(text);
  if (schema) return schema;
  throw fieldError("invalid", "args_schema", "not a JSON object; write a JSON Schema document as text");
}

function requireKnownDraft(schema: Schema): void {
  const draft = schema.$schema;
  if (draft === undefined || (typeof draft === "string" && (DRAFT_07.test(draft) || DRAFT_2020.test(draft))))
    return;
  throw fieldError("invalid", "args_schema", "$schema must be that of draft 2020-12 or draft-07, or omitted");
}

/** Refuses patterns that could run too long. */
function requirePlain(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === "pattern" && typeof member === "string") requirePattern(member);
    if (key === "patternProperties" && typeof member === "object" && member !== null)
      Object.keys(member).forEach(requirePattern);
    requirePlain(member);
  }
}

/** Counts the schema and every object and list in it. */
function partsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((parts, member) => parts + partsOf(member), 1);
}

function requirePattern(pattern: string): void {
  const problem = patternProblem(pattern);
  if (problem)
    throw fieldError(
      "invalid",
      "args_schema",
      `pattern ${JSON.stringify(pattern.slice(0, 100))}: ${problem}`,
    );
}

function compile(schema: Schema): ArgsSchema {
  const validate = bounded(COMPILE_DEADLINE_MS, () => newAjv(schema, "without").compile(schema));
  return {
    problemOf: (args) => {
      try {
        if (bounded(CHECK_DEADLINE_MS, () => validate(args))) return undefined;
        return described(validate.errors?.[0]);
      } catch {
        return {
          path: "",
          message: "cannot be checked against args_schema: too deep, or takes too long",
        };
      }
    },
  };
}

function described(error: ErrorObject | undefined): ArgsProblem {
  if (!error) return { path: "", message: "does not fit args_schema" };
  const at = pointerParts(error.instancePath);
  const params = error.params as {
    missingProperty?: string;
    additionalProperty?: string;
    allowedValues?: unknown[];
  };
  if (error.keyword === "required")
    return { path: [...at, params.missingProperty].join("."), message: "missing" };
  if (params.additionalProperty !== undefined)
    return { path: [...at, params.additionalProperty].join("."), message: "unknown field" };
  if (error.keyword === "enum")
    return {
      path: at.join("."),
      message: `expected one of: ${JSON.stringify(params.allowedValues).slice(1, -1)}`,
    };
  return { path: at.join("."), message: error.message ?? "does not fit args_schema" };
}

const metaAjvs = new Map<boolean, Ajv>();

/** Returns a shared instance for validating schemas, which compiles only meta-schemas and retains no schema. */
function metaAjv(schema: Schema): Ajv {
  const draft07 = isDraft07(schema);
  const known = metaAjvs.get(draft07);
  if (known) return known;
  const made = newAjv(schema, "with meta-schema");
  // Compiles the meta-schema, since an interruption at a deadline would leave it half compiled.
  made.validateSchema({});
  metaAjvs.set(draft07, made);
  return made;
}

function isDraft07(schema: Schema): boolean {
  return typeof schema.$schema === "string" && DRAFT_07.test(schema.$schema);
}

/** Makes a new instance for each schema, because one retains every `$id` it has seen. Loaded on demand. */
function newAjv(schema: Schema, metaSchema: "with meta-schema" | "without"): Ajv {
  const draft07 = isDraft07(schema);
  const Class = draft07
    ? (require("ajv") as typeof AjvDraft07).Ajv
    : (require("ajv/dist/2020") as typeof AjvDraft2020).Ajv2020;
  const meta = metaSchema === "with meta-schema";
  // The optimizer is quadratic in the number of properties, which does not pay for code that runs once per call.
  const code = {
    optimize: false,
    regExp: Object.assign(boundedPattern, { code: "boundedPattern" }),
  };
  const ajv: Ajv = new Class({
    strict: false,
    logger: false,
    validateFormats: false,
    meta,
    validateSchema: false,
    code,
  });
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    schemaType: "boolean",
    type: "array",
    validate: isUnique,
    error: { message: "must not contain an item twice" },
  });
  return ajv;
}

function isUnique(wanted: boolean, items: unknown[]): boolean {
  return !wanted || new Set(items.map((item) => JSON.stringify(item))).size === items.length;
}

let box: { context: { work?: () => unknown }; script: vm.Script } | undefined;

function newBox(): NonNullable<typeof box> {
  const { createContext, Script } = process.getBuiltinModule("node:vm");
  return { context: createContext({}), script: new Script("work()") };
}

/**
 * Runs `work` with a deadline of processor time, at which the engine interrupts it and this raises `invalid`. The engine goes by the clock, so work
 * that a busy machine kept from the processor begins again, with twice the time. `work` has no effects.
 */
function bounded<T>(deadlineMs: number, work: () => T): T {
  box ??= newBox();
  box.context.work = work;
  try {
    for (let clockMs = deadlineMs; ; clockMs *= 2) {
      const before = threadTimeMs();
      try {
        return box.script.runInContext(box.context as vm.Context, { timeout: clockMs }) as T;
      } catch (error) {
        if (!isInterrupted(error) || threadTimeMs() - before >= FULL_SHARE * deadlineMs) throw error;
      }
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw fieldError("invalid", "args_schema", reason(error));
  } finally {
    delete box.context.work;
  }
}

function isInterrupted(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function reason(error: unknown): string {
  if (isInterrupted(error)) return "takes too long to check; simplify it";
  return (error as { message?: string }).message ?? "cannot be compiled";
}
