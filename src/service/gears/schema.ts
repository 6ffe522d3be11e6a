// Gears: records, inputs and limits. The hashed and approved content is the name, description, runtime, entrypoint, files and args_schema; tags,
// tests and the timeout are not part of it.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time, Flag, judgedText } from "../../kit/schema.ts";
import { runtimes } from "../config/schema.ts";
import { AuthKind } from "../identity/schema.ts";

export const GEAR_NAME_PATTERN = "^[a-z][a-z0-9_]{1,48}$";
/** Limit of all decoded files of a version together. */
export const GEAR_CODE_BYTES_MAX = 4 * 1024 * 1024;
/** Limit of a request with gear code: 4 MiB as base64, plus the other fields. */
export const GEAR_BODY_BYTES_MAX = 6 * 1024 * 1024;
const GEAR_FILES_MAX = 100;
const GEAR_PATH_CHARACTERS_MAX = 200;
export const GEAR_DESCRIPTION_CHARACTERS_MAX = 10_000;
const GEAR_TAGS_MAX = 20;
const GEAR_TAG_CHARACTERS_MAX = 50;
export const GEAR_TESTS_MAX = 20;
const GEAR_TEST_CHARACTERS_MAX = 100_000;
export const ARGS_SCHEMA_CHARACTERS_MAX = 64 * 1024;
/** Objects and lists in an `args_schema`, which keeps compiling to a few dozen milliseconds, unless references repeat its parts. */
export const SCHEMA_PARTS_MAX = 300;
export const TIMEOUT_SECONDS_DEFAULT = 60;
const TIMEOUT_SECONDS_MAX = 600;
/** Limit of concurrent runs in all workspaces; further ones are queued. */
export const GEAR_RUNS_AT_ONCE_MAX = 20;
export const GEAR_RUNS_WAITING_MAX = 200;
/** Limits of the workspace files that one run receives. */
export const RUN_FILES_MAX = 50;
export const RUN_FILES_BYTES_MAX = 16 * 1024 * 1024;
/** Limit of a result's text for the model; the run's record has all of it. */
export const TOOL_TEXT_CHARACTERS_MAX = 50_000;
/** A page of versions is cut at this much code, but has at least one version. */
export const VERSIONS_PAGE_BYTES_MAX = 8 * 1024 * 1024;

export const GearRuntime = oneOf(runtimes);
export type GearRuntime = (typeof runtimes)[number];

const gearStatuses = ["pending", "approved", "disabled"] as const;
export const GearStatus = oneOf(gearStatuses);
export type GearStatus = (typeof gearStatuses)[number];

const GearPath = Type.String({
  maxLength: GEAR_PATH_CHARACTERS_MAX,
  description:
    "relative, with `/` between segments; a path that some system would read differently is refused",
});

export const GearFile = closed({
  path: GearPath,
  content: Type.String(),
  encoding: oneOf(["utf8", "base64"] as const),
});
export type GearFile = Static<typeof GearFile>;

export const GearFileInput = closed({
  path: GearPath,
  content: Type.String(),
  encoding: Type.Optional(oneOf(["utf8", "base64"] as const)),
});
export type GearFileInput = Static<typeof GearFileInput>;

/** Arguments of a gear, defined by its own schema. Any key is valid, even one with line breaks. */
const Arguments = Type.Record(Type.String({ pattern: "^[\\s\\S]*$" }), Type.Unknown(), {
  additionalProperties: false,
});

/** Example arguments with the expected output: exactly this text, or the same JSON value. */
export const GearTest = closed({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  args: Arguments,
  expected: Type.String({ maxLength: GEAR_TEST_CHARACTERS_MAX }),
});
export type GearTest = Static<typeof GearTest>;

const Description = Type.String({ maxLength: GEAR_DESCRIPTION_CHARACTERS_MAX });
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: GEAR_TAG_CHARACTERS_MAX }), {
  maxItems: GEAR_TAGS_MAX,
});
const ArgsSchema = judgedText(
  { maxLength: ARGS_SCHEMA_CHARACTERS_MAX },
  { description: "a JSON Schema document (2020-12 or draft-07) whose root is an object, as text" },
);
const Files = Type.Array(GearFileInput, { minItems: 1, maxItems: GEAR_FILES_MAX });
const Tests = Type.Array(GearTest, { maxItems: GEAR_TESTS_MAX });

export const CreateGear = closed({
  name: judgedText({ pattern: GEAR_NAME_PATTERN }),
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  runtime: GearRuntime,
  code: Type.Optional(Type.String()),
  files: Type.Optional(Files),
  entrypoint: Type.Optional(GearPath),
  args_schema: ArgsSchema,
  tests: Type.Optional(Tests),
});
export type CreateGear = Static<typeof CreateGear>;

/** An absent field is unchanged. `name`, if given, must be the gear's current name, which never changes. */
export const SaveGear = Type.Composite([Type.Partial(CreateGear)], { additionalProperties: false });
export type SaveGear = Static<typeof SaveGear>;

export const DecideGear = closed({
  status: Type.Optional(GearStatus),
  content_hash: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
  seen_status: Type.Optional(
    Type.Unsafe<GearStatus>({
      ...GearStatus,
      description: "the status when it was reviewed; if someone else has decided since, the answer is 409",
    }),
  ),
  timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: TIMEOUT_SECONDS_MAX })),
  tags: Type.Optional(Tags),
});
export type DecideGear = Static<typeof DecideGear>;

/** The response to a create: the specified fields, and those that its approval refers to. */
export const CreatedGear = closed({
  id: Id,
  name: Type.String(),
  tags: Type.Array(Type.String()),
  version: Id,
  runtime: GearRuntime,
  entrypoint: Type.String(),
  status: GearStatus,
  timeout_seconds: Type.Integer(),
  content_hash: Type.String({ description: "SHA-256, hex; see docs/gears.md" }),
  isolated: Type.Boolean({ description: "whether gears run isolated on this server" }),
});
export type CreatedGear = Static<typeof CreatedGear>;

const GearFields = {
  ...CreatedGear.properties,
  description: Type.String(),
  args_schema: Type.String(),
  code_bytes: Type.Integer(),
  author_id: Id,
  author: Type.String(),
  forged_by: nullable(Type.String({ description: "the agent that made it" })),
  /** The workspace where it was forged; null also if the caller may not see it. */
  workspace_id: nullable(Id),
  approval: nullable(
    closed({
      user_id: Id,
      user: Type.String(),
      auth: AuthKind,
      time: Time,
      content_hash: Type.String(),
      isolated: Type.Boolean({
        description:
          "whether gears were isolated at that time; if true while the gear's `isolated` is false, it does not run until an admin approves it again",
      }),
    }),
  ),
  /** A sentence that explains `isolated`. */
  isolation: Type.String(),
  created_at: Time,
  updated_at: Time,
};

export const GearIsolation = closed({
  isolated: Type.Boolean(),
  /** A sentence that explains `isolated`. */
  text: Type.String(),
  /** Images that are not on the server's machine. Gears of their runtimes cannot run. */
  missing: Type.Array(
    closed({
      image: Type.String(),
      runtimes: Type.Array(GearRuntime),
      reason: Type.String(),
      command: nullable(Type.String({ description: "provides the image, on the server's machine" })),
    }),
  ),
});
export type GearIsolation = Static<typeof GearIsolation>;

export const Gear = closed(GearFields);
export type Gear = Static<typeof Gear>;

const CodeFields = {
  code: nullable(Type.String({ description: "text of the entrypoint; null when it is not text" })),
  files: Type.Array(GearFile),
};

const gearVerdicts = ["approved", "disabled", "withdrawn"] as const;
export type GearVerdict = (typeof gearVerdicts)[number];
/** Of a gear, or of one of its versions; the newest are shown. */
export const GEAR_DECISIONS_MAX = 20;

export const GearDecision = closed({
  version: Id,
  decision: oneOf(gearVerdicts),
  by: Type.String(),
  auth: AuthKind,
  time: Time,
  content_hash: Type.String(),
  /** Whether gears were isolated at that time. */
  isolated: Type.Boolean(),
});
export type GearDecision = Static<typeof GearDecision>;

export const GearDetail = closed({
  ...GearFields,
  ...CodeFields,
  tests: Type.Array(GearTest),
  /** The newest, oldest first. */
  decisions: Type.Array(GearDecision),
});
export type GearDetail = Static<typeof GearDetail>;

/** If `changed` is false, the content is identical to the previous version's. It is still a new version, and needs approval. */
export const SavedGear = closed({ ...GearDetail.properties, changed: Type.Boolean() });
export type SavedGear = Static<typeof SavedGear>;

export const GearVersion = closed({
  version: Id,
  description: Type.String(),
  runtime: GearRuntime,
  entrypoint: Type.String(),
  args_schema: Type.String(),
  content_hash: Type.String(),
  author_id: Id,
  author: Type.String(),
  created_at: Time,
  /** The newest on this version, oldest first. */
  decisions: Type.Array(GearDecision),
  ...CodeFields,
});
export type GearVersion = Static<typeof GearVersion>;

export const GearBinding = closed({
  id: Id,
  workspace_id: Id,
  gear_id: Id,
  gear_name: Type.String(),
  gear_status: GearStatus,
  agent_id: nullable(Id),
  created_at: Time,
});
export type GearBinding = Static<typeof GearBinding>;

export const CreateGearBinding = closed({ gear_id: Id, agent_id: Type.Optional(nullable(Id)) });
export type CreateGearBinding = Static<typeof CreateGearBinding>;

export const RunGear = closed({
  args: Type.Optional(Arguments),
  workspace_id: Type.Optional(Id),
  files: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: RUN_FILES_MAX }),
  ),
});
export type RunGear = Static<typeof RunGear>;

export const RunQuery = closed({ dry: Flag, stream: Flag });

const ResultFields = {
  exit_code: Type.Integer(),
  stderr: Type.String(),
  stdout: Type.String(),
  timed_out: Type.Boolean(),
  duration_ms: Type.Integer(),
  truncated: Type.Boolean({ description: "whether output was dropped; 1 MiB of each stream is kept" }),
};

/** A dry run also reports whether it was isolated, with a notice if it was not. */
export const GearResult = closed({
  ...ResultFields,
  isolated: Type.Optional(Type.Boolean()),
  notice: Type.Optional(Type.String()),
  /** Present if someone ended the run. */
  cancelled: Type.Optional(Type.Boolean()),
});
export type GearResult = Static<typeof GearResult>;

const gearRunKinds = ["run", "dry", "test", "tool"] as const;
export type GearRunKind = (typeof gearRunKinds)[number];
const gearRunStatuses = ["running", "done", "cancelled", "failed", "interrupted"] as const;
export type GearRunStatus = (typeof gearRunStatuses)[number];

/** A run in lists; its own record also has the arguments and output. */
const RunFields = {
  id: Id,
  gear_id: Id,
  version: Id,
  content_hash: Type.String(),
  kind: oneOf(gearRunKinds),
  status: oneOf(gearRunStatuses),
  workspace_id: nullable(Id),
  agent: nullable(Type.String()),
  turn_id: nullable(Id),
  user_id: Id,
  user_name: Type.String(),
  auth: AuthKind,
  isolated: Type.Boolean(),
  exit_code: nullable(Type.Integer()),
  timed_out: nullable(Type.Boolean()),
  truncated: nullable(Type.Boolean()),
  duration_ms: nullable(Type.Integer()),
  error: nullable(Type.String()),
  started_at: Time,
  finished_at: nullable(Time),
};
export const GearRun = closed(RunFields);
export type GearRun = Static<typeof GearRun>;

export const GearRunDetail = closed({
  ...RunFields,
  args: Arguments,
  files: Type.Array(Type.String()),
  stdout: nullable(Type.String()),
  stderr: nullable(Type.String()),
});
export type GearRunDetail = Static<typeof GearRunDetail>;

export const TestOutcome = closed({
  name: Type.String(),
  passed: Type.Boolean(),
  /** Why it failed; null when it passed. */
  problem: nullable(Type.String()),
  expected: Type.String(),
  /** Null when the gear did not run, because the arguments do not match the schema. */
  result: nullable(closed(ResultFields)),
});
export type TestOutcome = Static<typeof TestOutcome>;

export const TestReport = closed({
  passed: Type.Boolean(),
  version: Id,
  content_hash: Type.String(),
  isolated: Type.Boolean(),
  notice: Type.Optional(Type.String()),
  tests: Type.Array(TestOutcome),
});
export type TestReport = Static<typeof TestReport>;
