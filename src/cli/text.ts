// Text output of records: tables with aligned columns, and lists with one field per line. Widths are those of a terminal.

import { AppError } from "../kit/error.ts";
import { visibleInLine } from "../kit/visible.ts";

export type Cell = string | number | boolean | null | undefined;

/** Pads each column but the last to its widest cell. Returns `empty` if there are no rows. */
export function table(rows: readonly (readonly Cell[])[], header: readonly string[], empty: string): string {
  if (rows.length === 0) return empty;
  const lines = [header, ...rows.map((row) => row.map(shown))];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === line.length - 1 ? cell : cell + " ".repeat(widths[column]! - Bun.stringWidth(cell)),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
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
