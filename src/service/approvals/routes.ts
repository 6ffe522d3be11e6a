// HTTP for the list of everything that waits for a person.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import type { Admission } from "../identity/admission.ts";
import type { Approvals } from "./approvals.ts";
import { Approval } from "./schema.ts";

/** `ready`: resolves when it is known whether gears are isolated, which decides what waits. */
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
