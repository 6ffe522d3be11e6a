// Reads the audit record: pages from its end, counts, exports. Reading a long record pauses regularly, so that it blocks no one.

import { Value } from "@sinclair/typebox/value";
import { rfc3339, LIGHT_STEPS, Stretch, timeOf, turnOfOthers } from "../../kit/clock.ts";
import { badParameter } from "../../kit/error.ts";
import { LIST_DEFAULT } from "../../kit/schema.ts";
import { readLines, readLinesBack, type Line } from "./audit-file.ts";
import { parseRecord } from "./record.ts";
import { AuditRecord, type AuditQuery, type AuditStats } from "./schema.ts";

/** Below this size, the binary search turns into a linear scan. */
const SEEK_BYTES_MIN = 128 * 1024;

/** Newest first; `end`: the offset after the last line to read. Raises `invalid`. */
export async function pageOf(path: string, end: number, query: AuditQuery): Promise<AuditRecord[]> {
  const limit = query.limit ?? LIST_DEFAULT;
  const filter = withTimes(query);
  const page: AuditRecord[] = [];
  const from = query.before === undefined ? end : endBefore(path, end, query.before);
  for await (const record of paced(readLinesBack(path, from)))
    if (matches(record, filter) && Value.Check(AuditRecord, record) && page.push(record) === limit) break;
  return page;
}

/** Oldest first. Raises `invalid`. */
export function matching(path: string, query: AuditQuery): AsyncGenerator<AuditRecord> {
  const filter = withTimes(query);
  return filtered(paced(readLines(path)), filter);
}

export async function statsOf(path: string): Promise<AuditStats> {
  const stats = { entries: 0, first: null as string | null, last: null as string | null };
  const actions: Record<string, number> = {};
  const results: Record<string, number> = {};
  for await (const { action, result, time } of paced(readLines(path))) {
    stats.entries += 1;
    stats.first ??= time;
    stats.last = time;
    actions[action] = (actions[action] ?? 0) + 1;
    results[result] = (results[result] ?? 0) + 1;
  }
  return { ...stats, actions, results };
}

/** Yields the ids of the records from this offset on. */
export function* idsFrom(path: string, offset: number): Generator<string> {
  for (const { bytes, whole } of readLines(path, offset)) {
    const id = whole ? parseRecord(bytes)?.id : undefined;
    if (id !== undefined) yield id;
  }
}

async function* filtered(
  records: AsyncGenerator<AuditRecord>,
  filter: AuditQuery,
): AsyncGenerator<AuditRecord> {
  for await (const record of records) if (matches(record, filter)) yield record;
}

async function* paced(lines: Iterable<Line>): AsyncGenerator<AuditRecord> {
  const stretch = new Stretch(LIGHT_STEPS);
  for (const { bytes, whole } of lines) {
    const record = whole ? parseRecord(bytes) : undefined;
    // Verification reports a line that is not a record.
    if (typeof record?.actor === "object" && record.actor !== null) yield record;
    if (stretch.isOver()) await turnOfOthers();
  }
}

/** Returns an offset just after all records before `seq`. Numbers ascend in the file. */
function endBefore(path: string, end: number, seq: number): number {
  let [low, high] = [0, end];
  while (high - low > SEEK_BYTES_MIN) {
    const middle = Math.floor((low + high) / 2);
    const found = recordAfter(path, middle, high);
    if (found && found.seq < seq) low = found.end;
    else high = middle;
  }
  // `high` may lie inside a line of the page, so extend it to the end of that line.
  return recordAfter(path, high, end)?.start ?? end;
}

/** Returns the first record that begins after offset `at` and before `end`. */
function recordAfter(path: string, at: number, end: number) {
  let isFirst = true;
  for (const line of readLines(path, at)) {
    if (line.start >= end) return undefined;
    // The offset may lie inside a line.
    const record = isFirst && at > 0 ? undefined : parseRecord(line.bytes);
    isFirst = false;
    if (record) return { seq: record.seq, start: line.start, end: line.end };
  }
  return undefined;
}

/** Normalizes the times of a query to the format of records, so that they compare as text. Raises `invalid`. */
function withTimes(query: AuditQuery): AuditQuery {
  const times: Pick<AuditQuery, "since" | "until"> = {};
  for (const name of ["since", "until"] as const) {
    const text = query[name];
    if (text === undefined) continue;
    const time = timeOf(text);
    if (time === undefined) throw badParameter(name, "expected a time (RFC 3339) or a date");
    times[name] = rfc3339(time);
  }
  return { ...query, ...times };
}

function matches(record: AuditRecord, query: AuditQuery): boolean {
  if (query.before !== undefined && record.seq >= query.before) return false;
  if (query.actor !== undefined && record.actor.name !== query.actor) return false;
  if (query.action !== undefined && record.action !== query.action) return false;
  if (query.space !== undefined && record.space !== query.space) return false;
  if (query.result !== undefined && record.result !== query.result) return false;
  if (query.since !== undefined && record.time < query.since) return false;
  return query.until === undefined || record.time <= query.until;
}
