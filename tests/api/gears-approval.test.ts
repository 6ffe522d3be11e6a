// Goal: an approval is an admin's recorded decision on exact bytes, and pending gears are in the list of approvals.

import type { GearDetail } from "../../src/service/gears/schema.ts";
import { expect, test } from "bun:test";
import { ISOLATION_LOST } from "../../src/service/gears/isolation.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { approvedGear, isolatedSandbox, makeGear, withPrograms } from "../kit/service/gears.ts";
import { world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

test("records the user, authentication, time and hash of an approval", async () => {
  await using at = await world();
  const gear = await makeGear(at.admin);
  const session = at.as(at.program.token);
  const approved = await session.patch(`/gears/${gear.id}`, {
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
      isolated: false,
    },
  });
  const [record] = await at.admin.get("/audit?action=gear.approve");
  expect(record).toMatchObject({
    actor: "admin",
    auth: "token",
    target: `gear:${gear.id}`,
    content_hash: gear.content_hash,
    detail: { name: "echo_args", version: 1, status_before: "pending", isolated: false },
  });
});

test("refuses an outdated hash and approves nothing", async () => {
  await using at = await world();
  const gear = await makeGear(at.admin);
  await at.admin.put(`/gears/${gear.id}`, { code: "echo other" });
  await refusal(
    at.admin.patch(`/gears/${gear.id}`, { status: "approved", content_hash: gear.content_hash }),
    "conflict",
    "content_hash: the gear's content has changed; review it again",
    { version: 2, content_hash: expect.any(String) },
  );
  expect(await at.admin.get<unknown>(`/gears/${gear.id}`)).toMatchObject({
    status: "pending",
    approval: null,
  });
});

test("refuses a decision that does not know of another one, and approves nothing", async () => {
  await using at = await world();
  const { id, content_hash } = await makeGear(at.admin);
  const decide = (status: string, seen_status: string) =>
    at.admin.patch(`/gears/${id}`, { status, seen_status, content_hash });
  await decide("disabled", "pending");
  await refusal(
    decide("approved", "pending"),
    "conflict",
    "seen_status: someone else has already decided: the gear is disabled; review it again",
    { status: "disabled" },
  );
  expect(await at.admin.get(`/gears/${id}`)).toMatchObject({ status: "disabled", approval: null });
  // Two who decide the same do not disagree.
  await decide("disabled", "pending");
  await decide("approved", "disabled");
  expect(await at.admin.get(`/gears/${id}`)).toMatchObject({ status: "approved" });
});

test("lets only admins approve, disable, set timeouts and delete", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const gear = await makeGear(ann);
  const forbidden = ["forbidden", "only an admin may do this"] as const;
  await refusal(ann.patch(`/gears/${gear.id}`, { status: "approved" }), ...forbidden);
  await refusal(ann.delete(`/gears/${gear.id}`), ...forbidden);
  await refusal(
    at.admin.patch(`/gears/${gear.id}`, {}),
    "invalid",
    "body: give status, timeout_seconds or tags",
  );
  await refusal(at.admin.patch(`/gears/${gear.id}`, { timeout_seconds: 601 }), "invalid");
});

test.each([
  ["isolated", { sandbox: isolatedSandbox() }],
  ["not isolated", {}],
])(
  "removes the approval on disabling and withdrawing, and records a decision once: %s",
  async (_, options) => {
    await using at = await world(options);
    const gear = await approvedGear(at.admin);
    expect(await at.admin.patch<unknown>(`/gears/${gear.id}`, { timeout_seconds: 5 })).toMatchObject({
      status: "approved",
      timeout_seconds: 5,
    });
    for (const status of ["approved", "disabled", "disabled", "pending", "pending"]) {
      const approval =
        status === "approved" ? expect.objectContaining({ content_hash: gear.content_hash }) : null;
      expect(await at.admin.patch<unknown>(`/gears/${gear.id}`, { status })).toMatchObject({
        status,
        approval,
      });
    }
    const records = await at.admin.get("/audit");
    expect(records.filter((each) => each.action.startsWith("gear.")).map((each) => each.action)).toEqual([
      "gear.withdraw",
      "gear.disable",
      "gear.timeout",
      "gear.approve",
      "gear.create",
    ]);
  },
);

test("lists pending gears with their facts, for admins only", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const gear = await makeGear(ann, { description: "says it back" });
  expect(await ann.get<unknown>("/approvals")).toEqual([]);
  expect(await at.admin.get<unknown>("/approvals")).toEqual([
    {
      kind: "gear",
      id: gear.id,
      title: 'gear "echo_args", version 1 (bash)',
      subject: "echo_args",
      facts: [expect.stringContaining("NOT isolated"), "says it back", "no agent is bound to it"],
      callers: { named: [], elsewhere: 0 },
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

test("does not run a gear approved under isolation without it, until an admin approves it again", async () => {
  await using folder = await temporaryFolder();
  let gear: GearDetail;
  {
    await using at = await world({ data: folder.path, sandbox: isolatedSandbox() });
    gear = await approvedGear(at.admin);
    expect(gear).toMatchObject({ isolated: true, approval: { isolated: true } } as never);
    expect(await at.admin.post<unknown>(`/gears/${gear.id}/run`, {})).toMatchObject({ exit_code: 0 });
  }
  await using at = await world({ data: folder.path, environment: withPrograms.environment });
  const ann = await at.user("ann");
  const run = `/gears/${gear.id}/run`;
  const wanted = {
    status: 422,
    code: "refused",
    message:
      'run refused; gear not executed: "echo_args" was approved to run isolated, but gears are not isolated on this server now; ' +
      "start the container runtime and restart the service, or ask an admin to approve the gear again",
    details: { reason: "isolation_lost", gear_id: gear.id, approved_isolated: true, isolated: false },
  };
  expect(await refusalOf(ann.post(run, {}))).toEqual(wanted);
  expect(await refusalOf(at.admin.post(`${run}?stream=1`, {}))).toEqual(wanted);
  expect(await at.admin.get<unknown>(`/gears/${gear.id}/runs`)).toHaveLength(1);
  expect(await at.admin.get<unknown>("/approvals")).toMatchObject([
    {
      kind: "gear",
      id: gear.id,
      facts: [expect.stringContaining("NOT isolated"), ISOLATION_LOST, expect.anything()],
    },
  ]);
  await refusal(ann.patch(`/gears/${gear.id}`, { status: "approved" }), "forbidden");
  expect(
    await at.admin.patch<unknown>(`/gears/${gear.id}`, {
      status: "approved",
      content_hash: gear.content_hash,
    }),
  ).toMatchObject({ status: "approved", isolated: false, approval: { isolated: false } });
  expect(await ann.post<unknown>(run, {})).toMatchObject({ exit_code: 0, stdout: "{}" });
  expect(await at.admin.get<unknown>("/approvals")).toEqual([]);
  const records = await at.admin.get("/audit?action=gear.approve");
  expect(records.map((each) => each.detail)).toEqual([
    { name: "echo_args", version: 1, status_before: "approved", isolated: false },
    { name: "echo_args", version: 1, status_before: "pending", isolated: true },
  ]);
});

test("does not claim missing isolation while it is undecided", async () => {
  await using folder = await temporaryFolder();
  let gear: GearDetail;
  {
    await using at = await world({ data: folder.path, sandbox: isolatedSandbox() });
    gear = await approvedGear(at.admin);
  }
  const known = Promise.withResolvers<void>();
  const asking = { ...isolatedSandbox(), isolated: false, decided: () => Promise.resolve() };
  asking.decided = async () => {
    await known.promise;
    asking.isolated = true;
  };
  await using at = await world({ data: folder.path, sandbox: asking });
  const asked = [
    at.admin.get<unknown>("/gears"),
    at.admin.get<unknown>(`/gears/${gear.id}`),
    at.admin.get<unknown>("/approvals"),
    at.admin.post<unknown>(`/gears/${gear.id}/run`, {}),
  ];
  await at.admin.get("/whoami");
  known.resolve();
  expect(await Promise.all(asked)).toMatchObject([
    [{ isolated: true }],
    { isolated: true },
    [],
    { exit_code: 0 },
  ]);
});
