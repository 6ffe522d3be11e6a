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
  const { code: _code, files: _files, tests: _tests, decisions: _decisions, ...listed } = gear;
  expect(await ann.get<unknown>("/gears")).toEqual([listed]);
});

const file = (path: string, content: string, encoding?: string) => ({
  path,
  content,
  ...(encoding ? { encoding } : {}),
});
/** A program as files instead of code. */
const files = (...given: object[]) => ({ code: undefined, files: given });
const MAIN = file("main.sh", "x");
const argsSchema = (schema: object) => ({ args_schema: JSON.stringify(schema) });

/** The fields that differ from a gear that is accepted, and the refusal. */
const REFUSED_CREATES: [what: string, fields: Record<string, unknown>, message: string][] = [
  ["a capital in the name", { name: "Echo" }, `name: ${NAME_RULE}`],
  ["a name of one letter", { name: "e" }, `name: ${NAME_RULE}`],
  ["a name of 50 letters", { name: "e".repeat(50) }, `name: ${NAME_RULE}`],
  ["white space after the name", { name: "echo " }, `name: ${NAME_RULE}`],
  ["a built-in tool's name", { name: "delegate" }, 'name: "delegate" is the name of a built-in tool'],
  ["an unknown runtime", { runtime: "perl" }, "runtime: expected one of: python, node, bash, binary"],
  ["a status", { status: "approved" }, "status: unknown field"],
  ["no code", { code: undefined }, "code: give the program either as code or as files"],
  ["code and files", { files: [MAIN] }, "code: give the program either as code or as files"],
  ["empty code", { code: "" }, "code: the program is empty"],
  ["another entrypoint", { entrypoint: "run.sh" }, "entrypoint: must be main.sh for bash; omit it"],
  ["files without the entrypoint", files(file("a.sh", "x")), "files: the entrypoint main.sh is missing"],
  ["a path that leaves", files(MAIN, file("../x", "x")), `files.1.path: must not contain the segment ".."`],
  [
    "an absolute path",
    files(file("/main.sh", "x")),
    "files.0.path: must be relative, without a slash at the start",
  ],
  ["one path twice, by case", files(MAIN, file("MAIN.sh", "x")), "files: MAIN.sh appears twice"],
  [
    "a file as a directory",
    files(MAIN, file("main.sh/a", "x")),
    "files: main.sh cannot be both a file and a directory",
  ],
  [
    "a file among the inputs",
    files(MAIN, file("inputs/a", "x")),
    "files: inputs/ is reserved for files of the workspace",
  ],
  ["bad base64", files(file("main.sh", "%%%", "base64")), "files.0.content: not valid base64"],
  ["half a character", { code: "\ud800" }, "code: not valid Unicode"],
  ["a binary as code", { runtime: "binary" }, "code: not for a binary gear; give files with base64 content"],
  [
    "a binary without entrypoint",
    { runtime: "binary", ...files(file("x", "AA==", "base64")) },
    "entrypoint: missing; name the file that a binary gear runs",
  ],
  [
    "a binary as text",
    { runtime: "binary", entrypoint: "x", ...files(file("x", "AA==")) },
    "files: the entrypoint of a binary gear must be given as base64",
  ],
  [
    "a schema that is no JSON",
    { args_schema: "{" },
    "args_schema: not a JSON object; write a JSON Schema document as text",
  ],
  ["a schema that is an object", { args_schema: {} }, "args_schema: expected a string"],
  [
    "a schema of a string",
    argsSchema({ type: "string" }),
    'args_schema: its root must have "type": "object"',
  ],
  [
    "an unknown draft",
    argsSchema({ type: "object", $schema: "x" }),
    "args_schema: $schema must be that of draft 2020-12 or draft-07, or omitted",
  ],
  [
    "a remote reference",
    argsSchema({ type: "object", $ref: "http://x/y" }),
    "args_schema: can't resolve reference http://x/y from id #",
  ],
  [
    "a schema that is too long",
    argsSchema({ type: "object", description: "x".repeat(65_536) }),
    "args_schema: at most 65536 characters",
  ],
];

test("refuses every invalid create with its reason, and creates nothing", async () => {
  await using at = await world();
  for (const [what, fields, message] of REFUSED_CREATES) {
    const refused = await refusalOf(at.admin.post("/gears", { ...ECHO, ...fields }));
    expect({ what, ...refused }).toEqual({ what, status: 400, code: "invalid", message });
  }
  await refusal(
    at.admin.post("/gears", { ...ECHO, code: "x".repeat(4 * 1024 * 1024 + 1) }),
    "too_large",
    "the gear's files are larger than 4194304 bytes in total",
    { limit_bytes: 4_194_304 },
  );
  expect(await at.admin.get<unknown>("/gears")).toEqual([]);
});

test("accepts 4 MiB of code, and keeps the smaller limit of other routes", async () => {
  await using at = await world();
  const gear = await makeGear(at.admin, { code: "#".repeat(4 * 1024 * 1024) });
  expect(gear).toMatchObject({ code_bytes: 4 * 1024 * 1024 } as never);
  await refusal(
    at.admin.post("/teams", { name: "x".repeat(1024 * 1024) }),
    "too_large",
    "the body is larger than 1048576 bytes",
    { limit_bytes: 1_048_576 },
  );
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
  const given = [file("bin/tool", "AP8Q", "base64"), file("note.txt", "\ufeffä", "utf8")];
  const entrypoint = "bin/tool";
  const gear = await makeGear(at.admin, { runtime: "binary", entrypoint, ...files(...given) });
  expect(gear).toMatchObject({ entrypoint, code: null, files: given, code_bytes: 8 } as never);
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
