// Streams the audit as CSV, newest first, for spreadsheets.

import { CSV_TYPE, csvRow } from "../../kit/text/csv.ts";
import { answerDownload, inPieces } from "../../kit/http/download-answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Caller } from "../identity/caller.ts";
import type { Audit } from "./audit.ts";
import type { AuditExportQuery, ListedRecord } from "./schema.ts";

const COLUMNS = [
  "seq",
  "time",
  "actor",
  "role",
  "auth",
  "address",
  "action",
  "target",
  "target_name",
  "detail",
  "content_hash",
  "request_id",
  "hash",
] as const;

/** Raises `forbidden`, `invalid`. */
export function exportAnswer(
  audit: Audit,
  caller: Caller,
  query: AuditExportQuery,
  exchange: Exchange,
): Promise<Response> {
  const lines = inPieces(audit.records(caller, query), lineOf, `${COLUMNS.join(",")}\r\n`);
  return answerDownload(exchange.id, { name: "audit.csv", type: CSV_TYPE }, lines);
}

function lineOf(record: ListedRecord): string {
  const cells = { ...record, detail: JSON.stringify(record.detail) };
  return `${csvRow(COLUMNS.map((column) => cells[column]))}\r\n`;
}
