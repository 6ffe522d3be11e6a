// HTTP for pending approvals, and for what was decided in a workspace.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import type { Admission } from "../identity/admission.ts";
import type { Approvals } from "./approvals.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { IdParams, PageQuery } from "../../kit/schema.ts";
import type { Decisions } from "./decisions.ts";
import { Approval, DecisionRecord } from "./schema.ts";

interface ApprovalParts {
  readonly approvals: Approvals;
  readonly decisions: Decisions;
}

/** `ready` resolves once it is known whether gears are isolated, which determines the list. */
export function approvalRoutes(
  plugin: Admission,
  { approvals, decisions }: ApprovalParts,
  ready: () => Promise<void>,
) {
  return new Elysia({ name: "approvals", normalize: false, tags: ["approvals"] })
    .use(plugin)
    .get(
      "/approvals",
      async ({ caller }) => {
        await ready();
        return approvals.list(caller);
      },
      { caller: "any", response: Type.Array(Approval) },
    )
    .get(
      "/workspaces/:id/decisions",
      ({ caller, params, query }) => decisions.list(caller, params.id, query),
      {
        caller: "ws",
        params: fromPath(IdParams),
        query: fromText(PageQuery),
        response: Type.Array(DecisionRecord),
      },
    );
}
