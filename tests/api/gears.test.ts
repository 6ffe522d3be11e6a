// Goal: gears are created, shown and saved as specified, with every refusal and its text.

import { expect, test } from "bun:test";
import type { Client } from "../kit/http/client.ts";
import { ANY_ARGS, approvedGear, ECHO, isolatedSandbox, makeGear } from "../kit/service/gears.ts";
import { call, say } from "../kit/model/index.ts";
import { world } from "../kit/service/world.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const NAME_RULE = "expected 2 to 49 lower-case letters, digits and _, beginning with a letter";

test("returns the specified fields, the content hash and the isolation on create", async () => {
  await using at = await world();
  const made = await at.admin.post("/gears", {
    name: "first_gear",
    description: "d",
    tags: ["a", " b ", "a"],
    runtime: "python",
    code: "print(1)",
    args_schema: ANY_ARGS,
  });
  expect(made).toEqual({
    id: 1,
    name: "first_gear",
    tags: ["a", "b"],
    version: 1,
    runtime: "python",
    entrypoint: "main.py",
    status: "pending",
    timeout_seconds: 60,
    content_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as never,
    isolated: false,
  });
});

test("shows the code, hash, author and isolation of a gear", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const gear = await makeGear(ann, { description: "d" });
  expect(gear).toEqual({
    id: 1,
    name: "echo_args",
    description: "d",
    tags: [],
    version: 1,
    runtime: "bash",
    entrypoint: "main.sh",
    status: "pending",
    timeout_seconds: 60,
    args_schema: ANY_ARGS,
    content_hash: "e399dd3aade6a85b80d0d42dabcfbda909ef763f7ac32f04314821e4e41ef358",
    code_bytes: 4,
    author_id: ann.id,
    author: "ann",
    forged_by: null,
    workspace_id: null,
    approval: null,
    isolated: false,
    isolation:
      "Gears are NOT isolated on this server: a gear runs with the server's own access to files, the database, the stored provider keys, the network and this API. The approval is the only control.",
    created_at: expect.any(String),
    decisions: [],
    updated_at: expect.any(String),
    code: "cat\n",
    files: [{ path: "main.sh", encoding: "utf8", content: "cat\n" }],
    tests: [],
  } as never);
  const {
    code: _code,
    files: _files,
    tests: _tests,
    decisions: _decisions,
    ...listed
  } = gear as unknown as Record<string, unknown>;
  expect(await ann.get<unknown>("/gears")).toEqual([listed]);
});

const file = (path: string, content: string, encoding?: string) => ({
  path,
  content,
  ...(encoding ? { encoding } : {}),
});
const { code: _code, ...NO_CODE } = ECHO;
const REFUSED_CREATES: [what: string, fields: Record<string, unknown>, status: number, message: string][] = [
  ["a capital in the name", { ...ECHO, name: "Echo" }, 400, `name: ${NAME_RULE}`],
  ["a name of one letter", { ...ECHO, name: "e" }, 400, `name: ${NAME_RULE}`],
  ["a name of 50 letters", { ...ECHO, name: "e".repeat(50) }, 400, `name: ${NAME_RULE}`],
  ["white space after the name", { ...ECHO, name: "echo " }, 400, `name: ${NAME_RULE}`],
  [
    "a built-in tool's name",
    { ...ECHO, name: "delegate" },
    400,
    'name: "delegate" is the name of a built-in tool',
  ],
  [
    "an unknown runtime",
    { ...ECHO, runtime: "perl" },
    400,
    "runtime: expected one of: python, node, bash, binary",
  ],
  ["a status", { ...ECHO, status: "approved" }, 400, "status: unknown field"],
  ["no code", NO_CODE, 400, "code: give the program either as code or as files"],
  [
    "code and files",
    { ...ECHO, files: [file("main.sh", "x")] },
    400,
    "code: give the program either as code or as files",
  ],
  ["empty code", { ...ECHO, code: "" }, 400, "code: the program is empty"],
  [
    "another entrypoint",
    { ...ECHO, entrypoint: "run.sh" },
    400,
    "entrypoint: must be main.sh for bash; omit it",
  ],
  [
    "files without the entrypoint",
    { ...NO_CODE, files: [file("other.sh", "x")] },
    400,
    "files: the entrypoint main.sh is missing",
  ],
  [
    "a path that leaves",
    { ...NO_CODE, files: [file("main.sh", "x"), file("../x", "x")] },
    400,
    `files.1.path: must not contain the segment ".."`,
  ],
  [
    "an absolute path",
    { ...NO_CODE, files: [file("/main.sh", "x")] },
    400,
    "files.0.path: must be relative, without a slash at the start",
  ],
  [
    "one path twice, by case",
    { ...NO_CODE, files: [file("main.sh", "x"), file("MAIN.sh", "x")] },
    400,
    "files: MAIN.sh appears twice",
  ],
  [
    "a file as a directory",
    { ...NO_CODE, files: [file("main.sh", "x"), file("main.sh/a", "x")] },
    400,
    "files: main.sh cannot be both a file and a directory",
  ],
  [
    "a file among the inputs",
    { ...NO_CODE, files: [file("main.sh", "x"), file("inputs/a", "x")] },
    400,
    "files: inputs/ is reserved for files of the workspace",
  ],
  [
    "bad base64",
    { ...NO_CODE, files: [file("main.sh", "%%%", "base64")] },
    400,
    "files.0.content: not valid base64",
  ],
  ["half a character", { ...ECHO, code: "\ud800" }, 400, "code: not valid Unicode"],
  [
    "a binary as code",
    { ...ECHO, runtime: "binary" },
    400,
    "code: not for a binary gear; give files with base64 content",
  ],
  [
    "a binary without entrypoint",
    { ...NO_CODE, runtime: "binary", files: [file("x", "AA==", "base64")] },
    400,
    "entrypoint: missing; name the file that a binary gear runs",
  ],
  [
    "a binary as text",
    { ...NO_CODE, runtime: "binary", entrypoint: "x", files: [file("x", "AA==")] },
    400,
    "files: the entrypoint of a binary gear must be given as base64",
  ],
  [
    "a schema that is no JSON",
    { ...ECHO, args_schema: "{" },
    400,
    "args_schema: not a JSON object; write a JSON Schema document as text",
  ],
  ["a schema that is an object", { ...ECHO, args_schema: {} }, 400, "args_schema: expected a string"],
  [
    "a schema of a string",
    { ...ECHO, args_schema: '{"type":"string"}' },
    400,
    'args_schema: its root must have "type": "object"',
  ],
  [
    "an unknown draft",
    { ...ECHO, args_schema: '{"type":"object","$schema":"x"}' },
    400,
    "args_schema: $schema must be that of draft 2020-12 or draft-07, or omitted",
  ],
  [
    "a remote reference",
    { ...ECHO, args_schema: '{"type":"object","$ref":"http://x/y"}' },
    400,
    "args_schema: can't resolve reference http://x/y from id #",
  ],
  [
    "a schema that is too long",
    { ...ECHO, args_schema: `{"type":"object","description":"${"x".repeat(65_536)}"}` },
    400,
    "args_schema: at most 65536 characters",
  ],
  [
    "code over 4 MiB",
    { ...ECHO, code: "x".repeat(4 * 1024 * 1024 + 1) },
    413,
    "the gear's files are larger than 4194304 bytes in total",
  ],
];

test("refuses every invalid create with its reason, and creates nothing", async () => {
  await using at = await world();
  for (const [what, fields, status, message] of REFUSED_CREATES) {
    const refused = await refusalOf(at.admin.post("/gears", fields));
    expect({ what, status: refused.status, message: refused.message }).toEqual({ what, status, message });
  }
  expect(await at.admin.get<unknown>("/gears")).toEqual([]);
});

test("accepts 4 MiB of code, and keeps the smaller limit of other routes", async () => {
  await using at = await world();
  const gear = await makeGear(at.admin, { code: "#".repeat(4 * 1024 * 1024) });
  expect(gear).toMatchObject({ code_bytes: 4 * 1024 * 1024 } as never);
  const refused = await refusalOf(at.admin.post("/teams", { name: "x".repeat(1024 * 1024) }));
  expect(refused).toEqual({
    status: 413,
    code: "too_large",
    message: "the body is larger than 1048576 bytes",
    details: { limit_bytes: 1_048_576 },
  });
});

test("keeps names unique among gears that are not deleted", async () => {
  await using at = await world();
  const first = await makeGear(at.admin);
  await refusal(at.admin.post("/gears", ECHO), "conflict", 'name: a gear named "echo_args" already exists');
  await at.admin.delete(`/gears/${first.id}`);
  await refusal(at.admin.get(`/gears/${first.id}`), "not_found", `gear ${first.id}: not found`);
  expect((await makeGear(at.admin)).id).toBe(first.id + 1);
});

test("returns files and binaries byte for byte", async () => {
  await using at = await world();
  const files = [file("bin/tool", "AP8Q", "base64"), file("note.txt", "\ufeffä", "utf8")];
  const gear = await makeGear(at.admin, {
    code: undefined,
    runtime: "binary",
    entrypoint: "bin/tool",
    files,
  });
  expect(gear).toMatchObject({ entrypoint: "bin/tool", code: null, files, code_bytes: 8 } as never);
});

test("makes every save a new pending version, even with only new tags or identical content", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const gear = await makeGear(ann, { description: "says it back" });
  const saves: [fields: Record<string, unknown>, changed: boolean, description: string][] = [
    [{ description: "Always call this first." }, true, "Always call this first."],
    [{ ...ECHO, description: "Always call this first." }, false, "Always call this first."],
    [{ tags: ["x"] }, false, "Always call this first."],
    [{}, false, "Always call this first."],
  ];
  for (const [index, [fields, changed, description]] of saves.entries()) {
    await at.admin.patch(`/gears/${gear.id}`, { status: "approved" });
    const saved = await ann.put(`/gears/${gear.id}`, fields);
    expect(saved).toMatchObject({
      changed,
      version: index + 2,
      status: "pending",
      approval: null,
      description,
    });
    expect(saved["content_hash"]).not.toBe(gear.content_hash);
    await refusal(ann.post(`/gears/${gear.id}/run`, {}), "forbidden");
  }
  const versions = await ann.get(`/gears/${gear.id}/versions?limit=500`);
  expect(versions.map((each) => each.description)).toEqual([
    "says it back",
    ...saves.map(([, , description]) => description),
  ]);
});

test("lets only an admin change the tags of an approved gear, and records it", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const gear = await makeGear(ann);
  await at.admin.patch(`/gears/${gear.id}`, { status: "approved" });
  await refusal(ann.patch(`/gears/${gear.id}`, { tags: ["x"] }), "forbidden");
  expect(await at.admin.patch<unknown>(`/gears/${gear.id}`, { tags: [" x ", "x", "y"] })).toMatchObject({
    status: "approved",
    version: 1,
    tags: ["x", "y"],
    content_hash: gear.content_hash,
  });
  const [record] = await at.admin.get("/audit?action=gear.tags");
  expect(record!.detail).toEqual({ name: "echo_args", version: 1, from: "", to: "x, y" });
});

test("names only workspaces visible to the caller", async () => {
  await using lab = await world({ model: true, sandbox: isolatedSandbox() });
  const ann = await lab.user("ann");
  const made = { name: "adder", description: "d", runtime: "bash", code: "true", args_schema: ANY_ARGS };
  lab.model.script("boss", [call("gear_forge", made), say("wait")]);
  await lab.chat("make it");
  const ids = async (client: Client) => {
    const [listed] = await client.get("/gears");
    const one = await client.get(`/gears/${listed!.id}`);
    return [listed!.workspace_id, one.workspace_id];
  };
  expect(await ids(lab.admin)).toEqual([lab.workspaceId, lab.workspaceId]);
  expect(await ids(ann)).toEqual([null, null]);
});

test("makes new content a pending version, and keeps earlier versions", async () => {
  await using at = await world();
  const gear = await approvedGear(at.admin);
  const saved = await at.admin.put(`/gears/${gear.id}`, { code: "cat; echo" });
  expect(saved).toMatchObject({
    changed: true,
    version: 2,
    status: "pending",
    approval: null,
    code: "cat; echo",
  });
  expect(saved["content_hash"]).not.toBe(gear.content_hash);
  const versions = await at.admin.get(`/gears/${gear.id}/versions`);
  expect(versions.map(({ version, code }) => ({ version, code }))).toEqual([
    { version: 1, code: "cat\n" },
    { version: 2, code: "cat; echo" },
  ]);
  const older = await at.admin.get(`/gears/${gear.id}/versions?before=2&limit=1`);
  expect(older.map((each) => each.version)).toEqual([1]);
});

test("refuses a save by non-authors, with another name, or with an incomplete change", async () => {
  await using at = await world();
  const ann = await at.user("ann");
  const bob = await at.user("bob");
  const gear = await makeGear(ann);
  const path = `/gears/${gear.id}` as const;
  await refusal(bob.put(path, { code: "x" }), "forbidden", "only the gear's author or an admin may save it");
  await refusal(
    ann.put(path, { name: "other" }),
    "invalid",
    "name: a gear's name never changes; create another gear",
  );
  await refusal(
    ann.put(path, { runtime: "python" }),
    "invalid",
    "code: missing; a new runtime or entrypoint requires a new program",
  );
  await refusal(ann.put("/gears/99", { code: "x" }), "not_found", "gear 99: not found");
  expect((await ann.put(path, { runtime: "python", code: "print()" })).version).toBe(2);
  expect((await at.admin.put(path, { code: "print(1)" })).version).toBe(3);
});
