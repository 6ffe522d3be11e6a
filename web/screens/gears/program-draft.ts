// A gear's program while it is being edited: files, argument schema, description, tags and tests. Pure and immutable.

import { fieldProblem } from "../../api/problem.ts";
import type { GearDetail, GearFile, GearRuntime, GearTest } from "../../../src/service/gears/schema.ts";
import { objectOf } from "../../kit/json.ts";

export interface TestDraft {
  readonly name: string;
  /** JSON. */
  readonly args: string;
  readonly expected: string;
}

export interface ProgramDraft {
  readonly description: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly runtime: GearRuntime;
  readonly entrypoint: string;
  readonly files: readonly GearFile[];
  readonly argsSchema: string;
  readonly tests: readonly TestDraft[];
}

const ENTRYPOINTS: Readonly<Record<GearRuntime, string>> = {
  python: "main.py",
  node: "main.js",
  bash: "main.sh",
  binary: "",
};

const STARTS: Readonly<Record<GearRuntime, string>> = {
  python: 'import json, sys\n\nargs = json.load(sys.stdin)\nprint(args["text"])\n',
  node: "const args = JSON.parse(await new Response(process.stdin).text());\nconsole.log(args.text);\n",
  bash: "# The arguments arrive as JSON on stdin; the output is the result.\ncat\n",
  binary: "",
};

const SCHEMA = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};

export function newDraft(runtime: GearRuntime): ProgramDraft {
  return {
    description: "",
    tags: "",
    runtime,
    entrypoint: ENTRYPOINTS[runtime],
    files: startFiles(runtime),
    argsSchema: `${JSON.stringify(SCHEMA, null, 2)}\n`,
    tests: [],
  };
}

function startFiles(runtime: GearRuntime): GearFile[] {
  if (runtime === "binary") return [];
  return [{ path: ENTRYPOINTS[runtime], content: STARTS[runtime], encoding: "utf8" }];
}

export function draftOf(gear: GearDetail): ProgramDraft {
  return {
    description: gear.description,
    tags: gear.tags.join(", "),
    runtime: gear.runtime,
    entrypoint: gear.entrypoint,
    files: gear.files,
    argsSchema: gear.args_schema,
    tests: gear.tests.map(({ name, args, expected }) => ({
      name,
      args: JSON.stringify(args, null, 2),
      expected,
    })),
  };
}

/** Renames the entrypoint for the new runtime. An untouched example is replaced by the new runtime's example. */
export function withRuntime(draft: ProgramDraft, runtime: GearRuntime): ProgramDraft {
  const untouched =
    draft.files.length <= 1 &&
    (draft.files[0]?.content ?? "") === (startFiles(draft.runtime)[0]?.content ?? "");
  const entrypoint = ENTRYPOINTS[runtime];
  const files = untouched
    ? startFiles(runtime)
    : draft.files.map((file) =>
        file.path === draft.entrypoint && entrypoint ? { ...file, path: entrypoint } : file,
      );
  return { ...draft, runtime, entrypoint: entrypoint || (files[0]?.path ?? ""), files };
}

export function withFile(draft: ProgramDraft, file: GearFile): ProgramDraft {
  const known = draft.files.some(({ path }) => path === file.path);
  const files = known
    ? draft.files.map((one) => (one.path === file.path ? file : one))
    : [...draft.files, file];
  return { ...draft, files };
}

export function withoutFile(draft: ProgramDraft, path: string): ProgramDraft {
  return { ...draft, files: draft.files.filter((file) => file.path !== path) };
}

export function tagsOf(draft: ProgramDraft): string[] {
  return draft.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Raises `Problem` naming the test whose arguments are not a JSON object. */
export function testsOf(draft: ProgramDraft): GearTest[] {
  return draft.tests.map(({ name, args, expected }, index) => {
    const value = objectOf(args);
    if (value === undefined)
      throw fieldProblem("tests", `The arguments of ${name || `test ${index + 1}`} are not a JSON object.`);
    return { name, args: value, expected };
  });
}

export function changed(before: ProgramDraft, now: ProgramDraft): boolean {
  return (
    before.argsSchema !== now.argsSchema ||
    before.runtime !== now.runtime ||
    before.entrypoint !== now.entrypoint ||
    filesText(before) !== filesText(now) ||
    before.description !== now.description ||
    before.tags !== now.tags ||
    JSON.stringify(before.tests) !== JSON.stringify(now.tests)
  );
}

function filesText(draft: ProgramDraft): string {
  const files = draft.files.map(({ path, encoding, content }) => [path, encoding, content] as const);
  return JSON.stringify(files.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
