// Text output of records: tables with aligned columns, and lists with one field per line. On a terminal, tables fit its width and times are
// relative. Elsewhere nothing is cut and times are exact, since a program may read them.

import { systemClock } from "../kit/clock.ts";
import { stdoutColumns } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { styled } from "../kit/terminal/style.ts";
import { plural } from "../kit/text/amounts.ts";
import { visibleInLine } from "../kit/text/visible.ts";
import { isPlain, widthOf } from "../kit/terminal/text-width.ts";

export { plural, sizeText as bytes } from "../kit/text/amounts.ts";

export type Cell = string | number | boolean | null | undefined;

const GAP = 2;
/** A column is never cut below this. */
const CUT_COLUMNS_MIN = 8;
/** Columns of paths and addresses, which people read and copy: cut only if the others leave no room, and then in the middle. */
const PLACES: ReadonlySet<string> = new Set([
  "PATH",
  "TARGET",
  "WHERE",
  "OTHER VERSION",
  "PLACE",
  "LINKS TO",
  "LINKED FROM",
  "URL",
]);
/** Columns of dates, which say something else if a part is missing: never cut. */
const DATES: ReadonlySet<string> = new Set(["VALIDATED", "DUE"]);
/** A column of places is cut below this after all others. */
const PLACE_COLUMNS_MIN = 32;

/** Pads each column but the last to its widest cell. Returns `empty` if there are no rows. `columns`: of the terminal; undefined: no limit. */
export function table(
  rows: readonly (readonly Cell[])[],
  header: readonly string[],
  empty: string,
  columns: number | undefined = stdoutColumns(),
): string {
  if (rows.length === 0) return empty;
  const { texts, natural, plain } = measured(rows, header);
  const widths = columns === undefined ? natural : fitted(natural, header, columns);
  const isPlace = header.map((name) => PLACES.has(name));
  const last = header.length - 1;
  const above: string[] = [];
  const padded: string[] = [];
  const lines: string[] = [];
  for (let at = 0; at < texts.length;) {
    let line = "";
    for (let column = 0; column < last; column += 1) {
      const text = texts[at++]!;
      if (text !== above[column]) {
        above[column] = text;
        padded[column] = plain[column]
          ? paddedPlain(text, widths[column]!, isPlace[column])
          : paddedAny(text, widths[column]!, isPlace[column]);
      }
      line += padded[column]!;
    }
    line += cut(texts[at++]!, widths[last]!, isPlace[last]);
    lines.push(line.endsWith(" ") ? line.trimEnd() : line);
  }
  lines[0] = styled("bold", lines[0]!);
  return lines.join("\n");
}

interface Measured {
  /** Of all cells, row by row; first the header. */
  readonly texts: readonly string[];
  /** The widest of each column. */
  readonly natural: readonly number[];
  /** Which columns hold only ASCII. */
  readonly plain: readonly boolean[];
}

/** Lists have very many rows, so that a cell has no object of its own, and one that repeats what is above is not measured. */
function measured(rows: readonly (readonly Cell[])[], header: readonly string[]): Measured {
  const natural = header.map(widthOf);
  const plain = header.map(isPlain);
  const texts = [...header];
  const above: Cell[] = [...header];
  const textsAbove = [...header];
  for (const row of rows)
    for (let column = 0; column < header.length; column += 1) {
      const cell = row[column];
      if (cell !== above[column]) {
        above[column] = cell;
        if (typeof cell === "string" && isPlain(cell)) {
          textsAbove[column] = cell;
          if (cell.length > natural[column]!) natural[column] = cell.length;
        } else {
          const text = shown(cell);
          textsAbove[column] = text;
          plain[column] = false;
          natural[column] = Math.max(natural[column]!, widthOf(text));
        }
      }
      texts.push(textsAbove[column]!);
    }
  return { texts, natural, plain };
}

/** Of a text of ASCII only. */
function paddedPlain(text: string, room: number, isPlace: boolean | undefined): string {
  return text.length <= room ? text + " ".repeat(room + GAP - text.length) : paddedAny(text, room, isPlace);
}

function paddedAny(text: string, room: number, isPlace: boolean | undefined): string {
  const part = cut(text, room, isPlace);
  return part + " ".repeat(room + GAP - widthOf(part));
}

/** Narrows the columns until the line fits, those of places last. If it cannot fit, places stay legible: the terminal wraps the line anyway. */
function fitted(natural: readonly number[], header: readonly string[], columns: number): number[] {
  const least = header.map((name, column) =>
    DATES.has(name) ? natural[column]! : Math.max(CUT_COLUMNS_MIN, name.length),
  );
  const first = least.map((width, column) =>
    PLACES.has(header[column]!) ? Math.max(width, PLACE_COLUMNS_MIN) : width,
  );
  const legible = narrowed(natural, first, columns);
  const narrow = narrowed(legible, least, columns);
  return lineWidth(narrow) > columns ? legible : narrow;
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width + GAP, -GAP);

/** Narrows the widest columns, together, but none below its `least`. */
function narrowed(before: readonly number[], least: readonly number[], columns: number): number[] {
  const widths = [...before];
  let surplus = lineWidth(widths) - columns;
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

/** Keeps both ends of a place and of one word, and the beginning of anything else. */
function cut(text: string, width: number, isPlace: boolean | undefined): string {
  if (Bun.stringWidth(text) <= width) return text;
  const units = width * UNITS_PER_COLUMN;
  const tail = tailOf(text, width, isPlace);
  const end = taken(charactersOf(text.slice(-units)).toReversed(), tail)
    .toReversed()
    .join("");
  const start = taken(charactersOf(text.slice(0, units)), width - 1 - Bun.stringWidth(end));
  return start.join("") + ELLIPSIS + end;
}

/** The columns for the end of a text: of a place, its last name, if that leaves some for the beginning. */
function tailOf(text: string, width: number, isPlace: boolean | undefined): number {
  if (isPlace !== true && text.includes(" ")) return 0;
  const half = Math.floor((width - 1) / 2);
  const name = isPlace === true ? Bun.stringWidth(text.slice(text.lastIndexOf("/"))) : 0;
  return name + ELLIPSIS.length + CUT_COLUMNS_MIN <= width ? Math.max(half, name) : half;
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

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** Raises `invalid`. */
export function wholeNumber(flag: string, text: string, { min = 0, max = Infinity }: Range = {}): number {
  const number = /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  const range = `${min === 0 ? "" : ` from ${min}`}${max === Infinity ? "" : ` to ${max}`}`;
  throw new AppError("invalid", `${flag} "${text}": expected a whole number${range}`);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3_600, d: 86_400, w: 604_800 };

/** Parses a span such as `12h`, `30d` or `8w`. Raises `invalid`. */
export function secondsOf(flag: string, text: string): number {
  const [, count, unit = ""] = /^([1-9][0-9]{0,5})([hdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new AppError("invalid", `${flag} "${text}": expected a number with h, d or w, for example 30d`);
  return Number(count) * UNIT_SECONDS[unit]!;
}
