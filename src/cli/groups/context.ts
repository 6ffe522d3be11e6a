// `cairn context …`, `cairn export`, `cairn bench context`: put the context of a space into texts for AI tools, prove what was delivered, and measure it.

import { visibleInLine } from "../../kit/text/visible.ts";
import { defineCommand } from "citty";
import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ArmResult, BenchReport } from "../../context/delivery/bench.ts";
import type { Exported } from "../../context/delivery/export.ts";
import {
  BUDGET_TOKENS_DEFAULT,
  BUDGET_TOKENS_MAX,
  BUDGET_TOKENS_MIN,
  exportFormats,
  injectFormats,
  injectModes,
  RECEIPT_BYTES_MAX,
  TASK_FILE_BYTES_MAX,
  type Verification,
} from "../../context/delivery/schema.ts";
import type { SpaceDoor } from "../../context/space/door.ts";
import { oneOfWords } from "../../kit/terminal/arguments.ts";
import { SECOND_MS, systemClock } from "../../kit/clock.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { readNamedFile, readRegularFile } from "../../kit/disk/regular-file.ts";
import { AppError } from "../../kit/error.ts";
import { PUBLIC_FILE_MODE } from "../../kit/disk/modes.ts";
import { formatOf, printBytes, printData, printText, printWarning } from "../../kit/terminal/output.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { spaceArgs, withSpace } from "../connection.ts";
import { commandOn, spaceWords } from "../space-arguments.ts";
import { nounFor } from "../../kit/text/amounts.ts";
import { plural, table, wholeNumber } from "../tables.ts";

/** On a terminal; the export itself names all. */
const OMITTED_NAMED_MAX = 20;

export const contextInject = defineCommand({
  meta: { name: "inject", description: "Print the context of a space for an AI tool, within a budget" },
  args: {
    mode: oneOfWords(injectModes, {
      type: "string",
      valueHint: "word",
      description:
        "entry-set: entry documents, identity and important documents; map: entry documents and a line for each other document (default: entry-set)",
    }),
    budget: {
      type: "string",
      valueHint: "tokens",
      description: `Tokens to spend at most (default: ${BUDGET_TOKENS_DEFAULT["entry-set"]}, for a map ${BUDGET_TOKENS_DEFAULT.map})`,
    },
    format: oneOfWords(injectFormats, {
      type: "string",
      valueHint: "word",
      description: "text, or claude-hook: the output of a session hook of Claude Code (default: text)",
    }),
    receipt: {
      type: "string",
      valueHint: "file",
      description: "Record the delivered documents in this file: paths, versions, hashes",
    },
    ...spaceArgs,
  },
  async run({ args }) {
    const mode = (args.mode ?? "entry-set") as (typeof injectModes)[number];
    const format = (args.format ?? "text") as (typeof injectFormats)[number];
    const budget = args.budget === undefined ? BUDGET_TOKENS_DEFAULT[mode] : tokens(args.budget);
    const shown = formatOf(args);
    if (args.receipt !== undefined) await requireReceiptPlace(args.receipt);
    if (format === "claude-hook" && shown !== "text")
      throw new AppError("invalid", `use --format claude-hook or --${shown}, not both`);
    const { hookOutput, inject } = await import("../../context/delivery/inject.ts");
    const deps = await delivering();
    const made = await withSpace(args, async (space) => {
      const words = spaceWords(args, space.name);
      const commands = {
        read: commandOn(words, "file", "get", "PATH"),
        search: commandOn(words, "search", "WORDS"),
      };
      return inject(await sourceOf(space), { mode, format, budget, commands }, deps);
    });
    if (format === "claude-hook") await printText(hookOutput(made.text));
    else await printData({ text: made.text, receipt: made.receipt }, shown, ({ text }) => text.trimEnd());
    // Last, because it says what was delivered.
    if (args.receipt !== undefined) await writeReceipt(args.receipt, made.receipt);
  },
});

export const contextVerifyReceipt = defineCommand({
  meta: {
    name: "verify-receipt",
    description:
      "Verify a receipt of cairn context inject: each version still has the content that was delivered",
  },
  args: {
    file: { type: "positional", required: true, valueHint: "file", description: "The receipt" },
    ...spaceArgs,
  },
  async run({ args }) {
    const { parseReceipt, verifyReceipt } = await import("../../context/delivery/receipts.ts");
    const receipt = await parsed(args.file, RECEIPT_BYTES_MAX, parseReceipt);
    const found = await withSpace(args, async (space) => verifyReceipt(receipt, await sourceOf(space)));
    await printData(found, formatOf(args), verificationText);
    if (found.ok) return;
    const first = found.rows.find((row) => !row.ok);
    const what = found.problems[0] ?? (first ? `row ${first.row}, ${first.path}: ${first.problem}` : "");
    throw new AppError("refused", `the receipt does not match the space: ${what}`);
  },
});

export const exportCommand = defineCommand({
  meta: { name: "export", description: "Print a whole space as one Markdown document" },
  args: {
    format: oneOfWords(exportFormats, {
      type: "string",
      valueHint: "word",
      description: "single, or chatgpt: to upload as a file of a project (default: single)",
    }),
    ...spaceArgs,
  },
  async run({ args }) {
    const format = (args.format ?? "single") as (typeof exportFormats)[number];
    const shown = formatOf(args);
    const { exportSpace } = await import("../../context/delivery/export.ts");
    const exported = await withSpace(args, async (space) => exportSpace(await sourceOf(space), format));
    await warnOf(exported.omitted);
    if (shown === "text") await printBytes(new TextEncoder().encode(exported.text));
    else await printData<Exported>(exported, shown, ({ text }) => text);
  },
});

export const benchContextCommand = defineCommand({
  meta: {
    name: "context",
    description: "Measure the recall and cost of each delivery mode, using questions with known answers",
  },
  args: {
    file: {
      type: "positional",
      required: true,
      valueHint: "tasks.yaml",
      description: "YAML file with questions, their phrasings, and the paths that answer them",
    },
    ...spaceArgs,
  },
  async run({ args }) {
    const { benchContext, parseTasks } = await import("../../context/delivery/bench.ts");
    const tasks = await parsed(args.file, TASK_FILE_BYTES_MAX, parseTasks);
    const deps = await delivering();
    const report = await withSpace(args, async (space) => benchContext(await sourceOf(space), tasks, deps));
    await printData(report, formatOf(args), reportText);
  },
});

async function warnOf(omitted: Exported["omitted"]): Promise<void> {
  for (const { path, reason } of omitted.slice(0, OMITTED_NAMED_MAX))
    await printWarning(`not included: ${visibleInLine(path)}: ${reason}`);
  const more = omitted.length - OMITTED_NAMED_MAX;
  if (more > 0)
    await printWarning(`not included: ${plural(more, "more document")}; the export names all of them`);
}

async function delivering() {
  const { countTexts } = await import("../../kit/text/token-count.ts");
  return { clock: systemClock, count: countTexts };
}

async function sourceOf(space: SpaceDoor) {
  const { doorSource } = await import("../../context/delivery/door-source.ts");
  return doorSource(space, async (seconds) => {
    await printWarning(
      `${space.place} allows no more requests for now; waiting ${plural(seconds, "second")}`,
    );
    await sleep(seconds * SECOND_MS);
  });
}

/** Raises `invalid`. */
function tokens(text: string): number {
  const budget = wholeNumber("--budget", text);
  if (budget < BUDGET_TOKENS_MIN || budget > BUDGET_TOKENS_MAX)
    throw new AppError(
      "invalid",
      `--budget "${text}": expected ${BUDGET_TOKENS_MIN} to ${BUDGET_TOKENS_MAX} tokens`,
    );
  return budget;
}

/** Raises `invalid` for `-` and for a directory that cannot be written, and `conflict` for a file that is no receipt, which is nobody's to overwrite. */
async function requireReceiptPlace(path: string): Promise<void> {
  if (path === "-") throw new AppError("invalid", "--receipt: name a file; standard output has the text");
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw new AppError("invalid", `--receipt ${path}: ${accessProblem(error)}`);
  });
  if (!existsSync(path)) return;
  const { parseReceipt } = await import("../../context/delivery/receipts.ts");
  try {
    await parsed(path, RECEIPT_BYTES_MAX, parseReceipt, readRegularFile);
  } catch {
    throw new AppError("conflict", `--receipt ${path}: not a receipt; choose another file`);
  }
}

async function writeReceipt(path: string, receipt: object): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(receipt, null, 2)}\n`, { mode: PUBLIC_FILE_MODE });
  } catch (error) {
    throw new AppError("invalid", `--receipt ${path}: ${accessProblem(error)}`);
  }
}

/** Reads a file that a person names, or a pipe. Its problems name it. Raises `invalid`, `too_large`. */
async function parsed<T>(
  path: string,
  bytesMax: number,
  parse: (text: string) => T,
  read: (path: string) => Uint8Array = readNamedFile,
): Promise<T> {
  let text: string | undefined;
  try {
    const bytes = read(path);
    if (bytes.length > bytesMax) throw new AppError("too_large", `${path}: larger than ${bytesMax} bytes`);
    text = decodeUtf8(bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", `${path}: ${accessProblem(error)}`);
  }
  try {
    if (text === undefined) throw new AppError("invalid", "not UTF-8 text");
    return parse(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, `${path}: ${error.message}`, error.details);
  }
}

function verificationText({ ok, problems, rows }: Verification): string {
  const failed = rows.filter((row) => !row.ok);
  const later = rows.filter((row) => row.ok && row.version !== null && row.current !== row.version);
  if (ok)
    return [
      `the receipt matches: ${plural(rows.length, "document")} verified`,
      ...later.map((row) => `${row.path}: v${row.version} was delivered; ${nowText(row.current)}`),
    ].join("\n");
  return [
    ...problems,
    ...failed.map((row) => `row ${row.row}, ${row.path}: ${row.problem}`),
    `${failed.length} of ${plural(rows.length, "document")} ${nounFor(failed.length, "differs", "differ")}`,
  ].join("\n");
}

function nowText(current: number | null): string {
  return current === null ? "it is deleted now" : `v${current} is current`;
}

function reportText(report: BenchReport): string {
  const rows = report.arms.map((arm) => [
    arm.arm,
    `${arm.reached} of ${arm.questions} (${percent(arm.reached, arm.questions)})`,
    arm.tokens_up_front,
    arm.tokens_fetched,
  ]);
  return [
    `${plural(report.tasks, "task")}, ${plural(report.questions.length, "question")}, head ${report.head}`,
    "",
    table(rows, ["ARM", "REACHED", "TOKENS UP FRONT", "TOKENS FETCHED"], ""),
    "",
    ...phrasingText(report),
  ].join("\n");
}

function phrasingText({ arms, tasks_with_phrasings: several, tasks }: BenchReport): string[] {
  if (several === 0)
    return [
      "No task has a second phrasing, so these figures do not show how much the wording matters. Add phrasings before you quote them.",
    ];
  const line = ({ arm, by_every_phrasing: every, by_some: some, by_none: none }: ArmResult) =>
    `  ${arm}: ${every} by every phrasing, ${some} by some, ${none} by none`;
  const without = tasks - several;
  return [
    `Phrasing, over the ${plural(several, "task")} with several:`,
    ...arms.map(line),
    ...(without > 0 ? [`Not in this count: ${plural(without, "task")} without a second phrasing.`] : []),
  ];
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}
