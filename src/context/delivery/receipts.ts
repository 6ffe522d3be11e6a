// Proves what a receipt says against the space: the versions that it names have the content that it names, also after later edits. Says exactly
// which row differs, and how.

import { Value } from "@sinclair/typebox/value";
import { sha256Hex } from "../../kit/crypto.ts";
import { AppError, noneIfNotFound } from "../../kit/error.ts";
import { JSON_DEPTH_MAX, isTooDeep } from "../../kit/text/json-shape.ts";
import { firstProblem } from "../../kit/schema-problem.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import type { FileHistory } from "../versioned-store/schema.ts";
import { Receipt, type ReceiptRow, type RowStatus, type Verification, type VerifiedRow } from "./schema.ts";
import type { ContextSource } from "./source.ts";

const HASH_SHOWN_CHARACTERS = 12;

/** Raises `invalid` with the first problem. */
export function parseReceipt(text: string): Receipt {
  if (isTooDeep(text)) throw new AppError("invalid", `nested deeper than ${JSON_DEPTH_MAX} levels`);
  const value = parsedJson(text);
  if (value === undefined)
    throw new AppError("invalid", "expected JSON, as cairn context inject --receipt writes it");
  const problem = firstProblem(Receipt, value, { whole: "the receipt" });
  if (problem !== undefined) throw new AppError("invalid", problem);
  return Value.Cast(Receipt, value);
}

export async function verifyReceipt(receipt: Receipt, source: ContextSource): Promise<Verification> {
  const problems: string[] = [];
  const head = await source.head();
  // Another space has another history, which says nothing about this one.
  if (receipt.space !== source.name)
    problems.push(`the receipt is about the space ${receipt.space}, but this is ${source.name}`);
  else if (epochOf(head) !== epochOf(receipt.head))
    problems.push("the space was restored from a backup since; its history is another one");
  else if (seqOf(head) < seqOf(receipt.head))
    problems.push(`the receipt is of head ${receipt.head}, but the space is only at ${head}`);
  const sum = receipt.documents.reduce((total, { tokens }) => total + tokens, 0);
  if (sum > receipt.tokens)
    problems.push(`the rows have ${sum} tokens, more than the total of ${receipt.tokens}`);
  const rows: VerifiedRow[] = [];
  for (const [index, row] of receipt.documents.entries()) {
    const { status, problem, current } = await judged(row, source);
    const ok = problem === null;
    rows.push({ row: index + 1, path: row.path, version: row.version, ok, status, problem, current });
  }
  const ok = problems.length === 0 && rows.every((row) => row.ok);
  return { ok, space: source.name, problems, rows };
}

interface Judgement {
  readonly status: RowStatus;
  readonly problem: string | null;
  readonly current: number | null;
}

async function judged(row: ReceiptRow, source: ContextSource): Promise<Judgement> {
  const history = await historyOf(row.path, source);
  if (!history) return { status: "missing", problem: "no such document in the space", current: null };
  const { current } = history;
  if (row.version === null) return { ...(await unrecorded(row, history, source)), current };
  const known = history.versions.find(({ version }) => version === row.version);
  if (!known) {
    const newest = history.versions[0]?.version;
    const there = newest === undefined ? "has no versions" : `has versions up to v${newest}`;
    return { status: "missing", problem: `no v${row.version}: the document ${there}`, current };
  }
  if (known.hash !== row.hash) return { ...differs(row, `v${row.version}`, known.hash), current };
  if (known.size !== row.bytes)
    return {
      status: "differs",
      problem: `v${row.version} has ${known.size} bytes, the receipt says ${row.bytes}`,
      current,
    };
  if (known.destroyed || known.pruned) return { status: "recorded", problem: null, current };
  const { bytes } = await source.read(row.path, row.version);
  const hash = sha256Hex(bytes);
  return hash === row.hash
    ? { status: "proven", problem: null, current }
    : { ...differs(row, `the content of v${row.version}`, hash), current };
}

/** Delivered from the disk, before it had a version. */
async function unrecorded(
  row: ReceiptRow,
  history: FileHistory,
  source: ContextSource,
): Promise<Omit<Judgement, "current">> {
  if (history.versions.some(({ hash }) => hash === row.hash)) return { status: "adopted", problem: null };
  const now = await source.read(row.path).catch(noneIfNotFound);
  if (now && sha256Hex(now.bytes) === row.hash) return { status: "on_disk", problem: null };
  return {
    status: "differs",
    problem: `was delivered without a version, and neither a version nor the file has its content (${short(row.hash)}) now`,
  };
}

async function historyOf(path: string, source: ContextSource): Promise<FileHistory | undefined> {
  try {
    return await source.history(path);
  } catch (error) {
    if (error instanceof AppError && (error.code === "not_found" || error.code === "invalid"))
      return undefined;
    throw error;
  }
}

function differs(row: ReceiptRow, what: string, hash: string): Omit<Judgement, "current"> {
  return {
    status: "differs",
    problem: `${what} has the hash ${short(hash)}, the receipt says ${short(row.hash)}`,
  };
}

function short(hash: string): string {
  return `${hash.slice(0, HASH_SHOWN_CHARACTERS)}…`;
}

function epochOf(head: string): string {
  return head.split(".", 1)[0]!;
}

function seqOf(head: string): number {
  return Number(head.split(".")[1]);
}
