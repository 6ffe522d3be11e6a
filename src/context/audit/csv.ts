// Formats an audit record as a line of CSV.

import { csvRow } from "../../kit/text/csv.ts";
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
  return csvRow(COLUMNS.map((column) => cells[column]));
}
