// Streams the audit record as JSON lines or CSV, oldest first.

import type { Static } from "@sinclair/typebox";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Caller } from "../identity/caller.ts";
import type { Audit } from "./audit.ts";
import { csvLine, CSV_HEADER } from "./csv.ts";
import type { AuditRecord, ExportQuery } from "./schema.ts";

const RECORDS_PER_CHUNK = 100;

/** Raises `forbidden`, `invalid`. */
export function exportAnswer(
  audit: Pick<Audit, "lines">,
  caller: Caller,
  { format, ...filter }: Static<typeof ExportQuery>,
  exchange: Exchange,
): Response {
  const csv = format === "csv";
  const records = audit.lines(caller, filter);
  const body = new ReadableStream<string>({
    start: (controller) => {
      if (csv) controller.enqueue(`${CSV_HEADER}\n`);
    },
    pull: async (controller) => {
      const lines = await nextLines(records, csv ? csvLine : JSON.stringify);
      if (lines === "") controller.close();
      else controller.enqueue(lines);
    },
    // Closes the file.
    cancel: () => void records.return(undefined),
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: {
      ...SECURITY_HEADERS,
      "X-Request-Id": exchange.id,
      "Cache-Control": "no-store",
      "Content-Type": csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
      "Content-Disposition": `attachment; filename="audit.${csv ? "csv" : "jsonl"}"`,
    },
  });
}

/** Returns an empty text at the end. */
async function nextLines(
  records: AsyncGenerator<AuditRecord>,
  lineOf: (record: AuditRecord) => string,
): Promise<string> {
  let lines = "";
  for (let count = 0; count < RECORDS_PER_CHUNK; count++) {
    const { done, value } = await records.next();
    if (done) break;
    lines += `${lineOf(value)}\n`;
  }
  return lines;
}
