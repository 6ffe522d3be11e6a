// Lines of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe.

const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvLine(cells: readonly (string | number | null)[]): string {
  return cells.map(cellOf).join(",");
}

function cellOf(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
