// Streams the audit as CSV, newest first, for spreadsheets.

import { csvRow } from "../../kit/csv.ts";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Caller } from "../identity/caller.ts";
import type { Audit } from "./audit.ts";
import type { AuditExportQuery, ListedRecord } from "./schema.ts";

const RECORDS_PER_CHUNK = 100;
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
export async function exportAnswer(
  audit: Audit,
  caller: Caller,
  query: AuditExportQuery,
  exchange: Exchange,
): Promise<Response> {
  const records = audit.records(caller, query);
  // Refusals come before the answer has begun.
  const first = await linesOf(records);
  const body = new ReadableStream<string>({
    start: (controller) => controller.enqueue(`${COLUMNS.join(",")}\r\n${first}`),
    pull: async (controller) => {
      const lines = await linesOf(records);
      if (lines === "") controller.close();
      else controller.enqueue(lines);
    },
    cancel: () => void records.return(undefined),
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: {
      ...SECURITY_HEADERS,
      "X-Request-Id": exchange.id,
      "Cache-Control": "no-store",
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="audit.csv"',
    },
  });
}

/** Returns an empty text at the end. */
async function linesOf(records: AsyncGenerator<ListedRecord>): Promise<string> {
  let lines = "";
  for (let count = 0; count < RECORDS_PER_CHUNK; count++) {
    const { done, value } = await records.next();
    if (done) break;
    lines += `${lineOf(value)}\r\n`;
  }
  return lines;
}

function lineOf(record: ListedRecord): string {
  const cells = { ...record, detail: JSON.stringify(record.detail) };
  return csvRow(COLUMNS.map((column) => cells[column]));
}
