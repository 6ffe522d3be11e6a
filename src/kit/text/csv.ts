// Rows of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets a leading apostrophe.

export const CSV_TYPE = "text/csv; charset=utf-8";
/** Also behind spaces, and in the wide forms that spreadsheets of some languages accept. */
const FORMULA = /^\s*[=+\-@|%\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/;
/** Also what other spreadsheets take for the end of a cell: the rest would be a cell of its own. */
const QUOTED = /[",;\t\r\n]/;

/** Null becomes an empty cell. */
export function csvRow(cells: readonly (string | number | null)[]): string {
  return cells.map(cell).join(",");
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
