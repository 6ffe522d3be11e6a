// Lines of an export: writes records with long texts cut, and reads them back, whole. Reading refuses a file that is damaged, truncated or of
// another format.

import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler, type TypeCheck } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { turnOfOthers, Stretch } from "../../kit/clock.ts";
import { AppError } from "../../kit/error.ts";
import { JSON_DEPTH_MAX, shapeOf } from "../../kit/text/json-shape.ts";
import { sentenceOf } from "../../kit/schema-problem.ts";
import type { Spool } from "../../kit/disk/spool.ts";
import { isObject } from "../../kit/text/parsed-json.ts";
import {
  CUT_CHARACTERS,
  end,
  FORMAT,
  FORMAT_VERSION,
  KINDS,
  LINE_BYTES_MAX,
  more,
  records,
  TEXT_CHARACTERS_MAX,
  type AnyRecord,
  type Kind,
} from "./format.ts";

const READ_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** Compiled on first use: a file has thousands of records of few kinds. */
const compiled = new Map<Kind, TypeCheck<TSchema>>();

/** The lines of one record, each with its line break. */
export function* linesOf(record: AnyRecord): Generator<string> {
  const rests: { field: string; text: string }[] = [];
  const cut = Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      if (typeof value !== "string" || value.length <= CUT_CHARACTERS) return [field, value];
      rests.push({ field, text: value });
      return [field, value.slice(0, CUT_CHARACTERS)];
    }),
  );
  yield `${JSON.stringify(cut)}\n`;
  for (const { field, text } of rests)
    for (let at = CUT_CHARACTERS; at < text.length; at += CUT_CHARACTERS)
      yield `${JSON.stringify({ type: "more", field, text: text.slice(at, at + CUT_CHARACTERS) })}\n`;
}

/** Hashes what it passes on, and adds the last line. */
export async function* ended(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const hash = new Bun.CryptoHasher("sha256");
  const encoder = new TextEncoder();
  let count = 0;
  let text = "";
  for await (const line of lines) {
    count += 1;
    text += line;
    if (text.length < CUT_CHARACTERS) continue;
    const bytes = encoder.encode(text);
    hash.update(bytes);
    yield bytes;
    text = "";
  }
  const rest = encoder.encode(text);
  hash.update(rest);
  yield rest;
  yield encoder.encode(`${JSON.stringify({ type: "end", lines: count, sha256: hash.digest("hex") })}\n`);
}

/** Checks take most of the time of reading. A spool does not change, so its second reader needs none. */
type Reading = "checked" | "checked before";

/** Yields the records of a file. Raises `invalid` naming the line. */
export async function* recordsIn(spool: Spool, reading: Reading = "checked"): AsyncGenerator<AnyRecord> {
  const isNew = reading === "checked";
  const hash = new Bun.CryptoHasher("sha256");
  let open: { kind: Kind; record: Record<string, unknown>; line: number } | undefined;
  let line = 0;
  let isEnded = false;
  const stretch = new Stretch();
  for await (const bytes of linesIn(spool)) {
    line += 1;
    if (isEnded) throw broken(line, "text after the end");
    const excess = isNew ? shapeOf(bytes).excess : undefined;
    if (excess === "depth") throw broken(line, `nested more than ${JSON_DEPTH_MAX} deep`);
    if (excess !== undefined) throw broken(line, "more keys or values than a record has");
    const value = parsed(bytes, line);
    if (value["type"] === "more") {
      if (!open) throw broken(line, "a text continues before it begins");
      append(open.record, value, line);
    } else {
      if (open) yield isNew ? checked(open.kind, open.record, open.line) : (open.record as AnyRecord);
      open = undefined;
      if (value["type"] === "end") {
        if (isNew) requireEnd(value, line, hash);
        isEnded = true;
      } else open = { kind: kindOf(value, line), record: value, line };
    }
    if (isNew) hash.update(bytes).update("\n");
    if (stretch.isOver()) await turnOfOthers();
  }
  if (!isEnded) throw new AppError("invalid", "the file is truncated: its last line is missing");
}

function requireEnd(value: Record<string, unknown>, line: number, hash: Bun.CryptoHasher): void {
  if (!Value.Check(end, value)) throw broken(line, "the last line is not valid");
  if (value.lines === line - 1 && value.sha256 === hash.digest("hex")) return;
  throw new AppError("invalid", "the file is damaged: its content does not match its hash");
}

function kindOf(value: Record<string, unknown>, line: number): Kind {
  const kind = value["type"];
  if (line === 1 && (kind !== "workspace" || value["format"] !== FORMAT))
    throw new AppError("invalid", "the file is not an exported workspace");
  if (line === 1 && value["version"] !== FORMAT_VERSION)
    throw new AppError(
      "invalid",
      `the file has version ${String(value["version"]).slice(0, 20)} of the format; this server reads version ${FORMAT_VERSION}`,
    );
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) throw broken(line, "unknown type of record");
  return known;
}

function checked(kind: Kind, record: Record<string, unknown>, line: number): AnyRecord {
  const schema = records[kind];
  let check = compiled.get(kind);
  if (!check) compiled.set(kind, (check = TypeCompiler.Compile<TSchema>(schema)));
  if (check.Check(record)) return record as AnyRecord;
  const found = Value.Errors(schema, record).First();
  throw broken(line, found ? sentenceOf(found, { whole: kind }) : "not valid");
}

function append(record: Record<string, unknown>, value: Record<string, unknown>, line: number): void {
  if (!Value.Check(more, value)) throw broken(line, "not valid");
  const before = Object.hasOwn(record, value.field) ? record[value.field] : undefined;
  if (typeof before !== "string" || value.field === "type") throw broken(line, "it continues no text");
  if (before.length + value.text.length > TEXT_CHARACTERS_MAX) throw broken(line, "the text is too long");
  record[value.field] = before + value.text;
}

function parsed(bytes: Uint8Array, line: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw broken(line, "not valid JSON");
  }
  if (!isObject(value)) throw broken(line, "not a JSON object");
  return value;
}

async function* linesIn(spool: Spool): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < spool.size; at += READ_BYTES) {
    const bytes = await spool.read(at, Math.min(READ_BYTES, spool.size - at));
    for (let from = 0; from < bytes.length;) {
      const to = bytes.indexOf(NEWLINE, from);
      const piece = bytes.subarray(from, to < 0 ? bytes.length : to);
      pieces.push(piece);
      length += piece.length;
      if (length > LINE_BYTES_MAX)
        throw new AppError("invalid", `a line has more than ${LINE_BYTES_MAX} bytes`);
      if (to < 0) break;
      yield pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      pieces = [];
      length = 0;
      from = to + 1;
    }
  }
  if (length > 0) throw new AppError("invalid", "the file is truncated: its last line is not complete");
}

function broken(line: number, problem: string): AppError {
  return new AppError("invalid", `line ${line}: ${problem}`, { line, problem });
}
