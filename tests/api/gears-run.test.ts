// Goal: a gear runs approved bytes with checked arguments, dry runs are for people with the right to, and every run is recorded forever.

import { expect, test } from "bun:test";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { ANY_ARGS, approvedGear, isolatedSandbox, makeGear, withPrograms } from "../kit/service/gears.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const NEVER_APPROVED =
  "run refused; gear not executed: this version is not approved; ask an admin to review it";
const RESULT = {
  exit_code: 0,
  stderr: "",
  stdout: '{"a":1}',
  timed_out: false,
  duration_ms: expect.any(Number) as never,
  truncated: false,
};
const NUMBER_ARGS = JSON.stringify({
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
});

test("refuses to run an unapproved gear for anyone", async () => {
  await using at = await world({ sandbox: isolatedSandbox() });
  const ann = await at.user("ann");
  const gear = await makeGear(ann);
  for (const client of [ann, at.admin]) {
    await refusal(client.post(`/gears/${gear.id}/run`, { args: {} }), "forbidden", NEVER_APPROVED, {
      status: "pending",
    });
  }
  await at.admin.patch(`/gears/${gear.id}`, { status: "disabled" });
  expect((await refusalOf(ann.post(`/gears/${gear.id}/run`))).message).toBe(
    "run refused; gear not executed: an admin has disabled it",
  );
  expect(await at.admin.get<unknown>(`/gears/${gear.id}/runs`)).toEqual([]);
});

test("runs an approved gear for anyone signed in, with arguments on stdin and stdout as the result", async () => {
  await using at = await world(withPrograms);
  const ann = await at.user("ann");
  const gear = await approvedGear(at.admin);
  expect(await ann.post<unknown>(`/gears/${gear.id}/run`, { args: { a: 1 } })).toEqual(RESULT);
  const failing = await approvedGear(at.admin, { name: "failing", code: "echo out; echo oops >&2; exit 3" });
  expect(await ann.post<unknown>(`/gears/${failing.id}/run`)).toMatchObject({
    exit_code: 3,
    stdout: "out\n",
    stderr: "oops\n",
    timed_out: false,
  });
});

test("passes on and shows arguments of any name", async () => {
  await using at = await world({ sandbox: isolatedSandbox() });
  const gear = await approvedGear(at.admin);
  const args = { "a\nb": 1, "": 2, "\u2028": 3 };
  expect(await at.admin.post<unknown>(`/gears/${gear.id}/run`, { args })).toMatchObject({
    stdout: JSON.stringify(args),
  });
  const [run] = await at.admin.get(`/gears/${gear.id}/runs`);
  expect(await at.admin.get<unknown>(`/gear-runs/${run!.id}`)).toMatchObject({ args } as never);
});

test("dry-runs unapproved content, leaves it pending, and reports missing isolation", async () => {
  await using at = await world(withPrograms);
  const gear = await makeGear(at.admin);
  expect(await at.admin.post<unknown>(`/gears/${gear.id}/run?dry=1`, { args: { a: 1 } })).toEqual({
    ...RESULT,
    isolated: false,
    notice: "This run was not isolated: the program had the server's own access.",
  });
  expect((await at.admin.get(`/gears/${gear.id}`)).status).toBe("pending");
  const [record] = await at.admin.get("/audit?action=gear.dry_run");
  expect(record).toMatchObject({ content_hash: gear.content_hash, detail: { isolated: false, run: 1 } });
});

test("lets only an admin dry-run or test without isolation, and anyone signed in with it", async () => {
  await using open = await world(withPrograms);
  const ann = await open.user("ann");
  const gear = await makeGear(ann, { tests: [{ name: "t", args: {}, expected: "{}" }] });
  const wanted = {
    status: 403,
    code: "forbidden",
    message:
      "run refused; gear not executed: gears are not isolated on this server, so only an admin may dry-run them",
  };
  expect(await refusalOf(ann.post(`/gears/${gear.id}/run?dry=1`))).toEqual(wanted);
  expect(await refusalOf(ann.post(`/gears/${gear.id}/tests/run`))).toEqual(wanted);
  await using isolated = await world({ sandbox: isolatedSandbox() });
  const bob = await isolated.user("bob");
  const other = await makeGear(bob);
  expect(await bob.post<unknown>(`/gears/${other.id}/run?dry=1`, { args: { a: 1 } })).toEqual({
    ...RESULT,
    isolated: true,
  });
});

test("refuses invalid arguments with their path, and runs nothing", async () => {
  const sandbox = isolatedSandbox();
  await using at = await world({ sandbox });
  const gear = await approvedGear(at.admin, { args_schema: NUMBER_ARGS });
  const path = `/gears/${gear.id}/run`;
  const messages: string[] = [];
  for (const args of [{}, { n: "1" }, { n: 1, m: 2 }]) {
    const { status, code, message } = await refusalOf(at.admin.post(path, { args }));
    expect({ status, code }).toEqual({ status: 400, code: "invalid" });
    messages.push(message);
  }
  expect(messages).toEqual(["args.n: missing", "args.n: must be integer", "args.m: unknown field"]);
  await refusal(at.admin.post(path, { args: [1] }), "invalid");
  expect(sandbox.requests).toEqual([]);
});

test("runs exactly the approved program, with its timeout", async () => {
  const sandbox = isolatedSandbox();
  await using at = await world({ sandbox });
  const files = [
    { path: "main.py", content: "import lib", encoding: "utf8" },
    { path: "lib.py", content: "eA==", encoding: "base64" },
  ];
  const gear = await approvedGear(at.admin, { runtime: "python", code: undefined, files });
  await at.admin.patch(`/gears/${gear.id}`, { timeout_seconds: 7 });
  await at.admin.post(`/gears/${gear.id}/run`, { args: { b: [1] } });
  const { output: _, signal: __, ...request } = sandbox.requests[0]!;
  expect({
    ...request,
    files: request.files.map((each) => ({ ...each, content: new TextDecoder().decode(each.content) })),
  } as unknown).toEqual({
    runtime: "python",
    entrypoint: "main.py",
    files: [
      { path: "lib.py", content: "x", executable: false },
      { path: "main.py", content: "import lib", executable: false },
    ],
    inputs: [],
    stdin: '{"b":[1]}',
    timeoutMs: 7000,
  });
});

test("does not run stored bytes that changed after the approval", async () => {
  await using folder = await temporaryFolder();
  const sandbox = isolatedSandbox();
  let id = 0;
  {
    await using at = await world({ data: folder.path, sandbox });
    id = (await approvedGear(at.admin)).id;
  }
  const db = openDatabase(`${folder.path}/service.db`);
  db.exec("UPDATE gear_files SET content = x'6c73'");
  db.close();
  await using at = await world({ data: folder.path, sandbox });
  const wanted = {
    status: 422,
    code: "refused",
    message: "run refused; gear not executed: the stored program does not match the recorded hash",
  };
  expect(await refusalOf(at.admin.post(`/gears/${id}/run`))).toEqual(wanted);
  expect(await refusalOf(at.admin.post(`/gears/${id}/run?dry=1`))).toEqual(wanted);
  await at.admin.patch(`/gears/${id}`, { status: "pending" });
  await refusal(
    at.admin.patch(`/gears/${id}`, { status: "approved" }),
    "conflict",
    "the stored files are not those of this version; save the gear again",
  );
  expect(sandbox.requests).toEqual([]);
});

test("streams live output in whole characters before the result", async () => {
  const sandbox = isolatedSandbox(async (request) => {
    const bytes = new TextEncoder().encode("aé\u001b[1m");
    request.output("stdout", bytes.subarray(0, 2));
    request.output("stdout", bytes.subarray(2));
    request.output("stderr", new Uint8Array([0xff]));
    return { stdout: "aé\u001b[1m", stderr: "\ufffd" };
  });
  await using at = await world({ sandbox });
  const gear = await approvedGear(at.admin);
  for (const [path, headers] of [
    ["?stream=1", {}],
    ["", { Accept: "text/event-stream" }],
    ["", { Accept: "application/json;q=0.5, Text/Event-Stream; q=1" }],
  ] as const) {
    await using reader = await at.admin.events(`/gears/${gear.id}/run${path}`, {
      method: "POST",
      body: {},
      headers,
    });
    const events = (await reader.all()).map(({ type, data }) => ({ type, data: data as unknown }));
    expect(events).toEqual([
      { type: "started", data: { run_id: expect.any(Number) as never } },
      { type: "output", data: { stream: "stdout", text: "a" } },
      { type: "output", data: { stream: "stdout", text: "é\u001b[1m" } },
      { type: "output", data: { stream: "stderr", text: "\ufffd" } },
      { type: "result", data: { ...RESULT, stdout: "aé\u001b[1m", stderr: "\ufffd", duration_ms: 1 } },
    ]);
  }
  const headers = { Accept: "application/json, text/event-stream;q=0" };
  const plain = await at.admin.raw("POST", `/gears/${gear.id}/run`, { body: {}, headers });
  expect(plain.headers.get("content-type")).toStartWith("application/json");
});

test("ends a run for the person who started it and for admins, with what it printed so far", async () => {
  await using at = await world(withPrograms);
  const [ann, bob] = [await at.user("ann"), await at.user("bob")];
  const slow = await approvedGear(at.admin, { code: "echo begun; sleep 300", args_schema: ANY_ARGS });
  const path = `/gears/${slow.id}/run?stream=1`;
  for (const [index, person] of [ann, at.admin].entries()) {
    await using reader = await ann.events(path, { method: "POST", body: {} });
    const { data } = await reader.until(({ type }) => type === "started");
    const { run_id: id } = data as { run_id: number };
    await reader.until(({ type }) => type === "output");
    await refusal(bob.post(`/gear-runs/${id}/cancel`), "not_found", `gear run ${id}: not found`);
    expect(await person.post<unknown>(`/gear-runs/${id}/cancel`)).toMatchObject({ id, status: "cancelled" });
    const { data: result } = await reader.until(({ type }) => type === "result");
    expect(result).toMatchObject({ stdout: "begun\n", timed_out: false, cancelled: true });
    await refusal(person.post(`/gear-runs/${id}/cancel`), "conflict", `gear run ${id} is cancelled`, {
      status: "cancelled",
    });
    expect(await at.admin.get<unknown>("/audit?action=gear.cancel_run&limit=1")).toMatchObject([
      { actor: index === 0 ? "ann" : "admin", target: `gear:${slow.id}`, detail: { run: id } },
    ]);
  }
  await refusal(at.admin.post("/gear-runs/99/cancel"), "not_found", "gear run 99: not found");
});

test("refuses a streamed run with a plain response", async () => {
  await using at = await world({ sandbox: isolatedSandbox() });
  const gear = await makeGear(at.admin);
  await refusal(at.admin.post(`/gears/${gear.id}/run?stream=1`), "forbidden", NEVER_APPROVED, {
    status: "pending",
  });
});

test("lists runs for people with access, and keeps them when the gear is deleted", async () => {
  await using at = await world({ sandbox: isolatedSandbox() });
  const [ann, bob] = [await at.user("ann"), await at.user("bob")];
  const gear = await approvedGear(at.admin);
  await ann.post(`/gears/${gear.id}/run`, { args: { secret: 1 } });
  const expected = {
    id: 1,
    gear_id: gear.id,
    version: 1,
    content_hash: gear.content_hash,
    kind: "run",
    status: "done",
    workspace_id: null,
    agent: null,
    turn_id: null,
    user_id: ann.id,
    user_name: "ann",
    auth: "token",
    isolated: true,
    exit_code: 0,
    timed_out: false,
    truncated: false,
    duration_ms: 1,
    error: null,
    started_at: expect.any(String),
    finished_at: expect.any(String),
  };
  expect(await ann.get<unknown>(`/gears/${gear.id}/runs`)).toEqual([expected]);
  expect(await bob.get<unknown>(`/gears/${gear.id}/runs`)).toEqual([]);
  await refusal(bob.get("/gear-runs/1"), "not_found", "gear run 1: not found");
  expect(await ann.get<unknown>("/gear-runs/1")).toEqual({
    ...expected,
    args: { secret: 1 },
    files: [],
    stdout: '{"secret":1}',
    stderr: "",
  });
  await at.admin.delete(`/gears/${gear.id}`);
  expect(await at.admin.get<unknown>(`/gears/${gear.id}/runs`)).toEqual([expected]);
  await refusal(ann.get(`/gears/${gear.id}/runs`), "not_found", `gear ${gear.id}: not found`);
  await refusal(at.admin.get("/gears/99/runs"), "not_found", "gear 99: not found");
});

test("marks a run that a crash left open as interrupted at start", async () => {
  await using folder = await temporaryFolder();
  {
    await using at = await world({ data: folder.path, sandbox: isolatedSandbox() });
    const gear = await approvedGear(at.admin);
    await at.admin.post(`/gears/${gear.id}/run`);
  }
  const db = openDatabase(`${folder.path}/service.db`);
  db.exec("UPDATE gear_runs SET status = 'running', finished_at = NULL");
  db.close();
  await using at = await world({ data: folder.path });
  expect(await at.admin.get<unknown>("/gear-runs/1")).toMatchObject({
    status: "interrupted",
    finished_at: expect.any(String),
  });
});

test("reports and records a sandbox failure", async () => {
  await using at = await world({ environment: { PATH: "/nonexistent" } });
  const gear = await approvedGear(at.admin, { runtime: "python", code: "print(1)", args_schema: ANY_ARGS });
  await refusal(at.admin.post(`/gears/${gear.id}/run`), "unavailable");
  expect(await at.admin.get<unknown>("/gear-runs/1")).toMatchObject({
    status: "failed",
    exit_code: null,
    error: expect.any(String),
  });
});

test("gives a run only named workspace files, and only for people who see the workspace", async () => {
  await using at = await world(withPrograms);
  const ann = await at.user("ann");
  const provider = await at.admin.post("/providers", {
    name: "p",
    type: "openai-compatible",
    base_url: "http://192.0.2.1/v1",
    api_key: "k",
  });
  const model = await at.admin.post("/models", { provider_id: provider.id, model_name: "m" });
  const workspace = await at.admin.post("/workspaces", { name: "w", orchestrator_model_id: model.id });
  const put = (path: string, text: string) =>
    at.admin.raw("PUT", `/workspaces/${workspace.id}/file?path=${path}`, {
      body: text,
      headers: { "Content-Type": "text/plain" },
    });
  for (const [path, text] of [
    ["a.txt", "A"],
    ["d/b.txt", "B"],
    ["c.txt", "C"],
  ] as const)
    expect((await put(path, text)).ok).toBe(true);
  const schema = JSON.stringify({ type: "object", properties: { doc: { type: "string", "x-file": true } } });
  const gear = await approvedGear(at.admin, {
    code: 'cd inputs; for each in $(find . -type f | sort); do echo "$each $(cat $each)"; done',
    args_schema: schema,
  });
  const run = (body: unknown) => at.admin.post(`/gears/${gear.id}/run`, body);
  expect((await run({ workspace_id: workspace.id, files: ["a.txt"], args: { doc: "d/b.txt" } })).stdout).toBe(
    "./a.txt A\n./d/b.txt B\n",
  );
  const path = `/gears/${gear.id}/run`;
  await refusal(
    at.admin.post(path, { files: ["a.txt"] }),
    "invalid",
    "workspace_id: missing; files belong to a workspace",
  );
  await refusal(
    ann.post(path, { workspace_id: workspace.id, files: ["a.txt"] }),
    "not_found",
    `workspace ${workspace.id}: not found`,
  );
  await refusal(at.admin.post(path, { workspace_id: workspace.id, files: ["none"] }), "not_found");
  await refusal(at.admin.post(path, { workspace_id: workspace.id, files: ["../x"] }), "invalid");
});

test("runs stored tests dry and reports differences", async () => {
  await using at = await world(withPrograms);
  const tests = [
    { name: "same text", args: { a: 1 }, expected: '{"a":1}' },
    { name: "same JSON", args: { a: 1, b: 2 }, expected: ' { "b": 2, "a": 1 } ' },
    { name: "other", args: { a: 2 }, expected: '{"a":3}' },
    { name: "bad arguments", args: { a: "x" }, expected: "" },
  ];
  const gear = await makeGear(at.admin, {
    args_schema: '{"type":"object","properties":{"a":{"type":"integer"}}}',
    tests,
  });
  const report = await at.admin.post(`/gears/${gear.id}/tests/run`);
  expect(report).toMatchObject({
    passed: false,
    version: 1,
    content_hash: gear.content_hash,
    isolated: false,
    notice: expect.any(String),
  } as never);
  expect(report.tests.map(({ name, passed, problem }) => ({ name, passed, problem }))).toEqual([
    { name: "same text", passed: true, problem: null },
    { name: "same JSON", passed: true, problem: null },
    { name: "other", passed: false, problem: "unexpected output" },
    { name: "bad arguments", passed: false, problem: "args.a: must be integer" },
  ]);
  await at.admin.put(`/gears/${gear.id}`, { tests: [] });
  await refusal(at.admin.post(`/gears/${gear.id}/tests/run`), "refused", "the gear has no tests");
});
