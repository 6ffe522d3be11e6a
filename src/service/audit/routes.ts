// HTTP for the audit.

import { Elysia } from "elysia";
import { fromText } from "../../kit/http/text-params.ts";
import { Type } from "@sinclair/typebox";
import type { Admission } from "../identity/admission.ts";
import type { Audit } from "./audit.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { exportAnswer } from "./exporting.ts";
import { AuditQuery, AuditVerification, AuditExportQuery, ListedRecord } from "./schema.ts";

export function auditRoutes(plugin: Admission, audit: Audit) {
  return new Elysia({ name: "audit", normalize: false, prefix: "/audit", tags: ["audit"] })
    .use(plugin)
    .get("", ({ caller, query }) => audit.list(caller, query), {
      caller: "admin",
      query: fromText(AuditQuery),
      response: Type.Array(ListedRecord),
    })
    .get("/export", ({ caller, query, request }) => exportAnswer(audit, caller, query, exchangeOf(request)), {
      caller: "admin",
      query: fromText(AuditExportQuery),
      detail: EXPORT,
    })
    .get("/verify", ({ caller }) => audit.verify(caller), { caller: "admin", response: AuditVerification });
}

const EXPORT = {
  description:
    "Exports all matching records, newest first, as CSV. Cells that a spreadsheet would run as formulas are escaped.",
  responses: {
    200: { description: "the records", content: { "text/csv": { schema: { type: "string" as const } } } },
  },
};
