// Modes and formats of delivery, the receipt for a delivered text, the tasks of the benchmark, and the limits of all three.

import { Type, type Static } from "@sinclair/typebox";
import { closed, nullable, oneOf, Time } from "../../kit/schema.ts";
import { Head, Version } from "../versioned-store/schema.ts";

export const injectModes = ["entry-set", "map"] as const;
export type InjectMode = (typeof injectModes)[number];
export const injectFormats = ["text", "claude-hook"] as const;
export type InjectFormat = (typeof injectFormats)[number];
export const exportFormats = ["single", "chatgpt"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const BUDGET_TOKENS_MIN = 200;
export const BUDGET_TOKENS_MAX = 1_000_000;
export const BUDGET_TOKENS_DEFAULT: Readonly<Record<InjectMode, number>> = { "entry-set": 8_000, map: 4_000 };
/** Claude Code replaces a longer text of a hook by a preview. */
export const HOOK_CHARACTERS_MAX = 10_000;
/** Half of what a server allows in a minute by default. */
export const READS_MAX = 60;
export const EXPORT_BYTES_MAX = 64 * 1024 * 1024;
export const RECEIPT_BYTES_MAX = 16 * 1024 * 1024;
const RECEIPT_ROWS_MAX = 50_000;

const Hash = Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256, hex" });

const ReceiptRow = closed({
  path: Type.String(),
  /** Null: a manual edit without a version. */
  version: nullable(Version),
  hash: Hash,
  bytes: Type.Integer({ minimum: 0 }),
  tokens: Type.Integer({ minimum: 0 }),
  /** `text`: all of it. `line`: its line of the map. */
  as: oneOf(["text", "line"] as const),
});
export type ReceiptRow = Static<typeof ReceiptRow>;

const Omitted = closed({ path: Type.String(), reason: Type.String() });
export type Omitted = Static<typeof Omitted>;

export const Receipt = closed({
  /** Of the format. */
  receipt: Type.Literal(1),
  space: Type.String(),
  head: Head,
  created_at: Time,
  /** `call`: the documents in the prompt of one model call of the agent workspace. */
  mode: oneOf([...injectModes, "call"] as const),
  format: oneOf([...injectFormats, "prompt"] as const),
  /** Null: a call has none. */
  budget: nullable(Type.Integer({ minimum: BUDGET_TOKENS_MIN, maximum: BUDGET_TOKENS_MAX })),
  tokens: Type.Integer({ minimum: 0 }),
  /** SHA-256 of the delivered text. */
  text_hash: Hash,
  documents: Type.Array(ReceiptRow, { maxItems: RECEIPT_ROWS_MAX }),
  omitted: Type.Array(Omitted, { maxItems: RECEIPT_ROWS_MAX }),
  /** Documents of the space that are neither delivered nor named in `omitted`. */
  rest: Type.Integer({ minimum: 0 }),
});
export type Receipt = Static<typeof Receipt>;

/**
 * `proven`: that version has this content. `recorded`: its content is destroyed or pruned, and the history keeps the hash. `adopted`: delivered
 * before it had a version, and a version has this content now. `on_disk`: delivered without a version, and the file still has this content.
 * Anything else is a difference.
 */
export type RowStatus = "proven" | "recorded" | "adopted" | "on_disk" | "differs" | "missing";

export interface VerifiedRow {
  /** From 1, in the order of the receipt. */
  readonly row: number;
  readonly path: string;
  readonly version: number | null;
  readonly ok: boolean;
  readonly status: RowStatus;
  /** The difference; null: none. */
  readonly problem: string | null;
  /** The live version now; null: none. */
  readonly current: number | null;
}

export interface Verification {
  readonly ok: boolean;
  readonly space: string;
  /** About the receipt as a whole. */
  readonly problems: readonly string[];
  readonly rows: readonly VerifiedRow[];
}

export const TASK_FILE_BYTES_MAX = 1024 * 1024;
const TASKS_MAX = 1_000;
const PHRASINGS_MAX = 20;
const QUESTION_CHARACTERS_MAX = 1_000;
const ANSWERS_MAX = 20;

const Question = Type.String({ minLength: 1, maxLength: QUESTION_CHARACTERS_MAX });

export const BenchTasks = closed({
  /** Of each arm, in tokens. */
  budget: Type.Optional(Type.Integer({ minimum: BUDGET_TOKENS_MIN, maximum: BUDGET_TOKENS_MAX })),
  tasks: Type.Array(
    closed({
      question: Question,
      /** The same question in other words. */
      phrasings: Type.Optional(Type.Array(Question, { maxItems: PHRASINGS_MAX })),
      /** Paths of documents, each of which answers the question. */
      answers: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: ANSWERS_MAX }),
    }),
    { minItems: 1, maxItems: TASKS_MAX },
  ),
});
export type BenchTasks = Static<typeof BenchTasks>;

export const benchArms = ["nothing", "entry set", "map + search"] as const;
export type BenchArm = (typeof benchArms)[number];
