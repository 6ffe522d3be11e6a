// HTTP for the audit record: list, verify, export, acknowledge breaks. No route changes a record.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { fromText } from "../../kit/http/text-params.ts";
import type { Admission } from "../identity/admission.ts";
import type { Audit } from "./audit.ts";
import { exportAnswer } from "./exporting.ts";
import {
  AcknowledgeBreaks,
  AuditBreak,
  AuditQuery,
  AuditRecord,
  AuditStats,
  AuditVerification,
  ExportQuery,
} from "./schema.ts";

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
      async ({ caller, query, request }) => exportAnswer(audit, caller, query, exchangeOf(request)),
      { caller: "admin", query: fromText(ExportQuery), detail: EXPORT },
    );
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
