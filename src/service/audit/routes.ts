// HTTP for the audit.

import { Elysia } from "elysia";
import { fromText } from "../../kit/http/text-params.ts";
import { Type } from "@sinclair/typebox";
import type { Admission } from "../identity/admission.ts";
import type { Audit } from "./audit.ts";
import { AuditQuery, AuditRecord, AuditVerification } from "./schema.ts";

export function auditRoutes(plugin: Admission, audit: Audit) {
  return new Elysia({ name: "audit", normalize: false, prefix: "/audit", tags: ["audit"] })
    .use(plugin)
    .get("", ({ caller, query }) => audit.list(caller, query), {
      caller: "admin",
      query: fromText(AuditQuery),
      response: Type.Array(AuditRecord),
    })
    .get("/verify", ({ caller }) => audit.verify(caller), { caller: "admin", response: AuditVerification });
}
