// Text output of records: tables with aligned columns, and lists with one field per line. On a terminal, tables fit its width and times are
// relative. Elsewhere nothing is cut and times are exact, since a program may read them.

import { systemClock } from "../kit/clock.ts";
import { stdoutColumns } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { styled } from "../kit/style.ts";
import { visibleInLine } from "../kit/visible.ts";

export type Cell = string | number | boolean | null | undefined;

const GAP = 2;
/** A column is never cut below this. */
const CUT_COLUMNS_MIN = 8;

/** Pads each column but the last to its widest cell. Returns `empty` if there are no rows. `columns`: of the terminal; undefined: no limit. */
export function table(
  rows: readonly (readonly Cell[])[],
  header: readonly string[],
  empty: string,
  columns: number | undefined = stdoutColumns(),
): string {
  if (rows.length === 0) return empty;
  const natural = header.map(widthOf);
  const before: Measured[] = [];
  const lines = rows.map((row) =>
    row.map((cell, column) => {
      // Most columns of a long table repeat what is above.
      const above = before[column];
      const measured = above !== undefined && above.cell === cell ? above : measuredOf(cell);
      before[column] = measured;
      if (measured.width > natural[column]!) natural[column] = measured.width;
      return measured;
    }),
  );
  const widths = columns === undefined ? natural : fitted(natural, header, columns);
  const head = styled("bold", lineOf(header.map(measuredOf), widths));
  return [head, ...lines.map((line) => lineOf(line, widths))].join("\n");
}

interface Measured {
  readonly cell: Cell;
  readonly text: string;
  readonly width: number;
  /** As wide as its column, once that is known. */
  padded?: string;
}

function measuredOf(cell: Cell): Measured {
  if (typeof cell === "string" && PLAIN.test(cell)) return { cell, text: cell, width: cell.length };
  const text = shown(cell);
  return { cell, text, width: widthOf(text) };
}

function lineOf(cells: readonly Measured[], widths: readonly number[]): string {
  const last = cells.length - 1;
  let line = "";
  for (let column = 0; column < last; column += 1) {
    const cell = cells[column]!;
    line += cell.padded ??= padded(cell, widths[column]!);
  }
  const { text, width } = cells[last]!;
  line += width > widths[last]! ? cut(text, widths[last]!) : text;
  return line.endsWith(" ") ? line.trimEnd() : line;
}

function padded({ text, width }: Measured, room: number): string {
  if (width <= room) return text + " ".repeat(room + GAP - width);
  const part = cut(text, room);
  return part + " ".repeat(room + GAP - widthOf(part));
}

const PLAIN = /^[\x20-\x7e]*$/;

/** A short look at plain text saves half the time of a long table. */
function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : Bun.stringWidth(text);
}

/** Narrows the widest columns, together, until the line fits or nothing more can be cut. */
function fitted(natural: readonly number[], header: readonly string[], columns: number): number[] {
  const widths = [...natural];
  const least = header.map((name) => Math.max(CUT_COLUMNS_MIN, name.length));
  let surplus = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  while (surplus > 0) {
    const open = [...widths.keys()].filter((column) => widths[column]! > least[column]!);
    if (open.length === 0) break;
    const widest = Math.max(...open.map((column) => widths[column]!));
    const group = open.filter((column) => widths[column] === widest);
    // Down to the next width in one step, so that the work does not depend on how long a cell is.
    const below = [...widths.filter((width) => width < widest), ...group.map((column) => least[column]!)];
    const step = Math.min(widest - Math.max(...below), Math.ceil(surplus / group.length));
    for (const column of group) widths[column]! -= step;
    surplus -= step * group.length;
  }
  return widths;
}

const ELLIPSIS = "…";
let segmenter: Intl.Segmenter | undefined;

/** Enough to fill a column with characters of several parts; the rest of a long text is not looked at. */
const UNITS_PER_COLUMN = 16;

/** Keeps both ends of one word, such as a path or an address, and the beginning of anything else. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  const units = width * UNITS_PER_COLUMN;
  const tail = text.includes(" ") ? 0 : Math.floor((width - 1) / 2);
  const end = taken(charactersOf(text.slice(-units)).toReversed(), tail)
    .toReversed()
    .join("");
  const start = taken(charactersOf(text.slice(0, units)), width - 1 - Bun.stringWidth(end));
  return start.join("") + ELLIPSIS + end;
}

function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

/** The first characters that fit. */
function taken(characters: readonly string[], width: number): string[] {
  let used = 0;
  let count = 0;
  for (const character of characters) {
    used += Bun.stringWidth(character);
    if (used > width) break;
    count += 1;
  }
  return characters.slice(0, count);
}

const SPANS = [
  { name: "year", ms: 365 * 86_400_000 },
  { name: "month", ms: 30 * 86_400_000 },
  { name: "day", ms: 86_400_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "minute", ms: 60_000 },
] as const;

/** A time (RFC 3339) as a cell: relative on a terminal, exact elsewhere. */
export function when(time: string | null, now: number | undefined = clockOfTerminal()): string | null {
  if (time === null || now === undefined) return time;
  const distance = now - Date.parse(time);
  if (Number.isNaN(distance)) return time;
  const span = SPANS.find(({ ms }) => Math.abs(distance) >= ms);
  if (!span) return distance >= 0 ? "just now" : "in a moment";
  const text = plural(Math.floor(Math.abs(distance) / span.ms), span.name);
  return distance > 0 ? `${text} ago` : `in ${text}`;
}

function clockOfTerminal(): number | undefined {
  return stdoutColumns() === undefined ? undefined : systemClock.now();
}

export function fields(record: Readonly<Record<string, Cell>>): string {
  const names = Object.keys(record);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${shown(record[name])}`).join("\n");
}

/** One part of a line. */
export function shown(cell: Cell): string {
  if (cell === null || cell === undefined) return "—";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return visibleInLine(String(cell));
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytes(count: number): string {
  const power = count === 0 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), UNITS.length - 1);
  const value = count / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Raises `invalid`. */
export function wholeNumber(flag: string, text: string): number {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text))
    throw new AppError("invalid", `${flag} "${text}": expected a whole number`);
  return Number(text);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3_600, d: 86_400, w: 604_800 };

/** Parses a span such as `12h`, `30d` or `8w`. Raises `invalid`. */
export function secondsOf(flag: string, text: string): number {
  const [, count, unit = ""] = /^([1-9][0-9]{0,5})([hdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new AppError("invalid", `${flag} "${text}": expected a number with h, d or w, for example 30d`);
  return Number(count) * UNIT_SECONDS[unit]!;
}
