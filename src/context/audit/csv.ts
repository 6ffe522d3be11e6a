// Formats an audit record as a line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe.

import type { AuditRecord } from "./schema.ts";

const COLUMNS = [
  "seq",
  "time",
  "actor",
  "role",
  "auth",
  "address",
  "action",
  "space",
  "target",
  "version",
  "content_hash",
  "result",
  "error",
  "request_id",
  "recovered",
  "hash",
] as const;

export const CSV_HEADER = COLUMNS.join(",");

export function csvLine({ actor, ...record }: AuditRecord): string {
  const { name, role, auth, address } = actor;
  const cells: Record<(typeof COLUMNS)[number], string | number | null> = {
    ...record,
    recovered: record.recovered ? "true" : null,
    actor: name,
    role,
    auth,
    address,
  };
  return COLUMNS.map((column) => cell(cells[column])).join(",");
}

function cell(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
