// Streams the audit record as JSON lines or CSV, oldest first.

import type { Static } from "@sinclair/typebox";
import { CSV_TYPE } from "../../kit/text/csv.ts";
import { answerDownload, inPieces } from "../../kit/http/download-answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import type { Caller } from "../identity/caller.ts";
import type { Audit } from "./audit.ts";
import { csvLine, CSV_HEADER } from "./csv.ts";
import type { ExportQuery } from "./schema.ts";

/** Raises `forbidden`, `invalid`. */
export function exportAnswer(
  audit: Pick<Audit, "lines">,
  caller: Caller,
  { format, ...filter }: Static<typeof ExportQuery>,
  exchange: Exchange,
): Promise<Response> {
  const records = audit.lines(caller, filter);
  return format === "csv"
    ? answerDownload(
        exchange.id,
        { name: "audit.csv", type: CSV_TYPE },
        inPieces(records, (record) => `${csvLine(record)}\n`, `${CSV_HEADER}\n`),
      )
    : answerDownload(
        exchange.id,
        { name: "audit.jsonl", type: "application/jsonl; charset=utf-8" },
        inPieces(records, (record) => `${JSON.stringify(record)}\n`),
      );
}
