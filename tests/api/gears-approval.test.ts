// Goal: an approval is a decision about exact bytes, made by an admin, on record; what waits for one is in the list of approvals.

import { expect, test } from "bun:test";
import { approvedGear, makeGear } from "../kit/gears.ts";
import { testService } from "../kit/service.ts";

test("an approval records who, how authenticated, when and which hash", async () => {
  await using at = await testService();
  const gear = await makeGear(at.admin);
  const session = at.as(at.adminToken);
  const approved = await session.patch<Record<string, unknown>>(`/gears/${gear.id}`, {
    status: "approved",
    content_hash: gear.content_hash,
  });
  expect(approved).toMatchObject({
    status: "approved",
    approval: {
      user_id: 1,
      user: "admin",
      auth: "token",
      time: expect.any(String),
      content_hash: gear.content_hash,
    },
  });
  const [record] = await at.admin.get<Record<string, unknown>[]>("/audit?action=gear.approve");
  expect(record).toMatchObject({
    actor: "admin",
    auth: "token",
    target: `gear:${gear.id}`,
    content_hash: gear.content_hash,
    detail: { name: "echo_args", version: 1, status_before: "pending", isolated: false },
  });
});

test("a hash that is not the current one is refused and approves nothing", async () => {
  await using at = await testService();
  const gear = await makeGear(at.admin);
  await at.admin.put(`/gears/${gear.id}`, { code: "echo other" });
  const refusal = await at.admin.refused("PATCH", `/gears/${gear.id}`, {
    status: "approved",
    content_hash: gear.content_hash,
  });
  expect(refusal).toEqual({
    status: 409,
    code: "conflict",
    message: "content_hash: the gear has other content by now; look at it again",
    details: { version: 2, content_hash: expect.any(String) as never },
  });
  expect(await at.admin.get<unknown>(`/gears/${gear.id}`)).toMatchObject({
    status: "pending",
    approval: null,
  });
});

test("only admins approve, disable, set time-outs and delete", async () => {
  await using at = await testService();
  const ann = await at.user("ann");
  const gear = await makeGear(ann);
  const forbidden = { status: 403, code: "forbidden", message: "only an admin may do this" };
  expect(await ann.refused("PATCH", `/gears/${gear.id}`, { status: "approved" })).toEqual(forbidden);
  expect(await ann.refused("DELETE", `/gears/${gear.id}`)).toEqual(forbidden);
  expect(await at.admin.refused("PATCH", `/gears/${gear.id}`, {})).toEqual({
    status: 400,
    code: "invalid",
    message: "body: give status or timeout_seconds",
  });
  expect(await at.admin.refused("PATCH", `/gears/${gear.id}`, { timeout_seconds: 601 })).toMatchObject({
    status: 400,
    code: "invalid",
  });
});

test("disabling and withdrawing take the approval away; the time-out does not touch it", async () => {
  await using at = await testService();
  const gear = await approvedGear(at.admin);
  expect(await at.admin.patch<unknown>(`/gears/${gear.id}`, { timeout_seconds: 5 })).toMatchObject({
    status: "approved",
    timeout_seconds: 5,
  });
  expect(await at.admin.patch<unknown>(`/gears/${gear.id}`, { status: "disabled" })).toMatchObject({
    status: "disabled",
    approval: null,
  });
  expect(await at.admin.patch<unknown>(`/gears/${gear.id}`, { status: "pending" })).toMatchObject({
    status: "pending",
    approval: null,
  });
  const records = await at.admin.get<{ action: string; detail: unknown }[]>("/audit");
  expect(records.filter((each) => each.action.startsWith("gear.")).map((each) => each.action)).toEqual([
    "gear.withdraw",
    "gear.disable",
    "gear.timeout",
    "gear.approve",
    "gear.create",
  ]);
});

test("pending gears wait in the list of approvals, for admins only, with what to know", async () => {
  await using at = await testService();
  const ann = await at.user("ann");
  const gear = await makeGear(ann, { description: "says it back" });
  expect(await ann.get<unknown>("/approvals")).toEqual([]);
  expect(await at.admin.get<unknown>("/approvals")).toEqual([
    {
      kind: "gear",
      id: gear.id,
      title: 'gear "echo_args", version 1 (bash)',
      facts: [expect.stringContaining("NOT isolated"), "says it back", "no agent is bound to it"],
      content_hash: gear.content_hash,
      workspace_id: null,
      agent: null,
      requested_by: "ann",
      requested_at: expect.any(String),
      expires_at: null,
      decide: { method: "PATCH", path: `/api/v1/gears/${gear.id}` },
    },
  ]);
  await at.admin.patch(`/gears/${gear.id}`, { status: "approved" });
  expect(await at.admin.get<unknown>("/approvals")).toEqual([]);
});
