// HTTP for the list of pending approvals.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import type { Admission } from "../identity/admission.ts";
import type { Approvals } from "./approvals.ts";
import { Approval } from "./schema.ts";

/** `ready` resolves once it is known whether gears are isolated, which determines the list. */
export function approvalRoutes(plugin: Admission, approvals: Approvals, ready: () => Promise<void>) {
  return new Elysia({ name: "approvals", normalize: false, tags: ["approvals"] }).use(plugin).get(
    "/approvals",
    async ({ caller }) => {
      await ready();
      return approvals.list(caller);
    },
    { caller: "any", response: Type.Array(Approval) },
  );
}
