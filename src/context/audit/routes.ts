// HTTP for the audit record: list, verify, export, acknowledge breaks. No route changes a record.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { fromText } from "../../kit/http/text-params.ts";
import type { Admission } from "../identity/admission.ts";
import type { Audit } from "./audit.ts";
import { csvLine, CSV_HEADER } from "./csv.ts";
import {
  AcknowledgeBreaks,
  AuditBreak,
  AuditQuery,
  AuditRecord,
  AuditStats,
  AuditVerification,
  ExportQuery,
} from "./schema.ts";

/** The records per chunk of an export. */
const RECORDS_PER_CHUNK = 100;

export function auditRoutes(plugin: Admission, audit: Audit) {
  return new Elysia({ name: "audit", normalize: false, prefix: "/audit", tags: ["audit"] })
    .use(plugin)
    .get("", async ({ caller, query }) => audit.list(caller, query), {
      caller: "admin",
      query: fromText(AuditQuery),
      response: Type.Array(AuditRecord),
    })
    .get("/stats", async ({ caller }) => audit.stats(caller), { caller: "admin", response: AuditStats })
    .get("/verify", async ({ caller }) => audit.verify(caller), {
      caller: "admin",
      response: AuditVerification,
    })
    .get("/breaks", ({ caller }) => audit.breaks(caller), {
      caller: "admin",
      response: Type.Array(AuditBreak),
    })
    .post("/acknowledge", async ({ caller, body }) => audit.acknowledge(caller, body), {
      caller: "admin",
      body: AcknowledgeBreaks,
      response: Type.Array(AuditBreak),
    })
    .get(
      "/export",
      async ({ caller, query, request }) => {
        const { format, ...filter } = query;
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
            "X-Request-Id": exchangeOf(request).id,
            "Cache-Control": "no-store",
            "Content-Type": csv ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
            "Content-Disposition": `attachment; filename="audit.${csv ? "csv" : "jsonl"}"`,
          },
        });
      },
      { caller: "admin", query: fromText(ExportQuery), detail: EXPORT },
    );
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

const EXPORT = {
  description: "Exports all matching records, oldest first, as JSON lines or CSV.",
  responses: {
    200: {
      description: "the records",
      content: {
        "application/jsonl": { schema: { type: "string" as const } },
        "text/csv": { schema: { type: "string" as const } },
      },
    },
  },
};
