// Finds a text in files, line by line, within limits of files, bytes and time; says which one ended it.

import { systemClock } from "../../kit/clock.ts";
import { HeldRoot } from "../../kit/disk/held-directory.ts";
import { characterStart } from "../../kit/text/characters.ts";
import type { FindInput } from "./find-job.ts";
import {
  FILE_BYTES_MAX,
  FIND_LINES_MAX,
  type FoundFile,
  type FoundInFiles,
  type FoundLine,
} from "./schema.ts";
import { filesBelow, readTreeFile } from "./tree.ts";

const FILES_MAX = 10_000;
const BYTES_MAX = 128 * 1024 * 1024;
const WORK_MS_MAX = 5_000;
/** A longer line is cut. */
const LINE_CHARACTERS_MAX = 240;
/** The text that stays before the first match of a cut line. */
const LEAD_CHARACTERS = 60;
const RANGES_PER_LINE_MAX = 20;
const ELLIPSIS = "…";

export function findInFiles({ directory, text, matchCase, limit }: FindInput): FoundInFiles {
  const root = new HeldRoot(directory);
  const end = systemClock.elapsed() + WORK_MS_MAX;
  const wanted = matchCase ? text : lowered(text);
  const results: FoundFile[] = [];
  let files = 0;
  let bytes = 0;
  for (const { path, size } of filesBelow(root)) {
    if (files === FILES_MAX) return { results, ended_by: "files" };
    files += 1;
    if (size > FILE_BYTES_MAX) continue;
    if (bytes + size > BYTES_MAX) return { results, ended_by: "bytes" };
    if (systemClock.elapsed() > end) return { results, ended_by: "time" };
    bytes += size;
    const content = readTreeFile(root, path, FILE_BYTES_MAX)?.text;
    const found = content === undefined ? undefined : linesWith(content, wanted, matchCase);
    if (!found) continue;
    if (results.length === limit) return { results, ended_by: "results" };
    results.push({ path, ...found });
  }
  return { results, ended_by: null };
}

function linesWith(
  text: string,
  wanted: string,
  matchCase: boolean,
): Pick<FoundFile, "lines" | "more_lines"> | undefined {
  const searched = matchCase ? text : lowered(text);
  const lines: FoundLine[] = [];
  let number = 1;
  let counted = 0;
  for (let at = searched.indexOf(wanted); at >= 0;) {
    if (lines.length === FIND_LINES_MAX) return { lines, more_lines: true };
    for (let feed = text.indexOf("\n", counted); feed >= 0 && feed < at; feed = text.indexOf("\n", counted)) {
      number += 1;
      counted = feed + 1;
    }
    const found = text.indexOf("\n", at);
    const stop = found < 0 ? text.length : found;
    lines.push(lineOf(text, searched, wanted, { number, start: counted, stop, first: at }));
    at = searched.indexOf(wanted, stop);
  }
  return lines.length === 0 ? undefined : { lines, more_lines: false };
}

interface Line {
  readonly number: number;
  readonly start: number;
  readonly stop: number;
  readonly first: number;
}

function lineOf(
  text: string,
  searched: string,
  wanted: string,
  { number, start, stop, first }: Line,
): FoundLine {
  const isLong = stop - start > LINE_CHARACTERS_MAX;
  const from = isLong ? characterStart(text, Math.max(start, first - LEAD_CHARACTERS)) : start;
  const to = isLong ? characterStart(text, Math.min(stop, from + LINE_CHARACTERS_MAX)) : stop;
  const before = from > start ? ELLIPSIS : "";
  const ranges: FoundLine["ranges"] = [];
  for (
    let at = first;
    at >= 0 && at < to && ranges.length < RANGES_PER_LINE_MAX;
    at = searched.indexOf(wanted, at + wanted.length)
  )
    ranges.push({
      start: at - from + before.length,
      end: Math.min(at + wanted.length, to) - from + before.length,
    });
  const shown = text.slice(from, to).replace(/\r$/, "");
  return { line: number, text: `${before}${shown}${to < stop ? ELLIPSIS : ""}`.toWellFormed(), ranges };
}

/** Each character where it was: a few capital letters have lower forms of another length. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
