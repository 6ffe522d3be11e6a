// Goal: quotas are judged by the real effect of a write; secrets are refused on every path into a space and never shown again.

import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  configure,
  contextServer,
  deny,
  filePath,
  put,
  type ContextServer,
} from "../kit/context/context-server.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

const events = (server: ContextServer) => server.admin.events("/events?after=0");

describe("quotas", () => {
  test("returns the limits in force, never 0, and setting 0 restores the server default", async () => {
    await using server = await contextServer({ config: { quotas: { max_files: 7 } } });
    const lead = await server.user("Lee", "space-lead");
    const set = (body: object) => lead.put("/spaces/team/quotas", body);
    const defaults = { max_file_size: 5 * 1024 ** 2, max_space_size: 1024 ** 3, max_files: 7 };
    expect(await set({})).toEqual(defaults);
    const small = { max_files: 3, max_file_size: 10 };
    expect(await set(small)).toEqual({ ...defaults, ...small });
    expect(await set({ max_files: 0, max_space_size: 99 })).toEqual({ ...defaults, max_space_size: 99 });
    expect(await lead.get("/spaces/team")).toMatchObject({ quotas: { ...defaults, max_space_size: 99 } });
    for (const body of [
      { max_files: -1 },
      { max_files: 1.5 },
      { max_files: "3" },
      { max: 3 },
      { max_files: null },
    ])
      await refusal(set(body), "invalid");
    const ann = await server.user("Ann", "contributor");
    await refusal(ann.raw("PUT", "/spaces/team/quotas", { body: {} }), "forbidden");
  });

  test("only an admin may exceed the server's limit; a lead is refused, and the smaller limit applies", async () => {
    const config = { quotas: { max_files: 7, max_file_size: 100, max_space_size: 1_000 } };
    await using server = await contextServer({ config });
    const { admin } = server;
    const lead = await server.user("Lee", "space-lead");
    const place = "/spaces/team/quotas";
    const inForce = async () => {
      const { quotas, quotas_set_by } = await server.admin.get("/spaces/team");
      return { quotas, quotas_set_by };
    };
    await refusal(
      lead.raw("PUT", place, { body: { max_file_size: 9, max_files: 8 } }),
      "forbidden",
      "max_files: above the server's limit of 7; only an admin may set a higher limit",
      { quota: "max_files", asked: 8, limit: 7 },
    );
    expect(await inForce()).toEqual({ quotas: config.quotas, quotas_set_by: {} });
    await admin.put(place, { max_files: 8, max_file_size: 50 });
    const byRoot = { name: "root", role: "admin" } as const;
    expect(await inForce()).toEqual({
      quotas: { ...config.quotas, max_files: 8, max_file_size: 50 },
      quotas_set_by: { max_files: byRoot, max_file_size: byRoot },
    });
    // A lead may keep the admin's limits or lower them, but not raise them, also in two steps.
    await refusal(lead.raw("PUT", place, { body: { max_files: 9 } }), "forbidden");
    const lee = { name: "Lee", role: "space-lead" } as const;
    await lead.put(place, { max_file_size: 20 });
    expect(await inForce()).toEqual({
      quotas: { ...config.quotas, max_file_size: 20 },
      quotas_set_by: { max_file_size: { ...lee, admin: { name: "root", limit: 50 } } },
    });
    await refusal(
      lead.raw("PUT", place, { body: { max_file_size: 51 } }),
      "forbidden",
      "max_file_size: above the limit of 50 that an admin set; only an admin may set a higher limit",
      { quota: "max_file_size", asked: 51, limit: 50 },
    );
    await admin.put(place, { max_files: 8, max_file_size: 50 });
    await lead.put(place, { max_files: 8, max_space_size: 999 });
    const kept = {
      quotas: { ...config.quotas, max_files: 8, max_file_size: 50, max_space_size: 999 },
      quotas_set_by: { max_files: byRoot, max_file_size: byRoot, max_space_size: lee },
    };
    expect(await inForce()).toEqual(kept);
    for (let i = 0; i < 8; i++) await admin.write(`${i}.md`, "x");
    await refusal(put(admin, "8.md", "x"), "quota_exceeded");
    // The operator lowers the server's limits: this caps the lead's limits, but not the admin's.
    await server.restart((directory) =>
      configure(directory, { quotas: { max_files: 3, max_space_size: 500 } }),
    );
    const smaller = { max_files: 8, max_file_size: 50, max_space_size: 500 };
    expect(await inForce()).toEqual({ ...kept, quotas: smaller });
    await refusal(server.as(lead.token).raw("PUT", place, { body: { max_files: 7 } }), "forbidden");
    expect(await server.as(lead.token).put(place, {})).toMatchObject({ max_files: 3 });
  });

  test("a limit that an earlier build stored without its author raises nothing", async () => {
    await using server = await contextServer({ config: { quotas: { max_files: 2 } } });
    await server.restart((directory) => {
      const path = join(directory, "spaces", "team", ".cairn", "space.yaml");
      writeFileSync(path, `${readFileSync(path, "utf8")}\nquotas: { max_files: 90, max_file_size: 3 }\n`);
    });
    expect(await server.admin.get("/spaces/team")).toMatchObject({
      quotas: { max_files: 2, max_file_size: 3 },
      quotas_set_by: {},
    });
  });

  test("over a limit: 413 with quota, used and limit; shrinking the space is always allowed", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.write("a.md", "a".repeat(60));
    await admin.write("b.md", "b".repeat(30));
    const limits = (body: object) => admin.put("/spaces/team/quotas", body);
    const refused = async (answer: Promise<Response>, details: object) =>
      expect(await refusalOf(answer)).toMatchObject({ status: 413, code: "quota_exceeded", details });
    const spaceSize = { quota: "max_space_size", limit: 100 };
    await limits({ max_file_size: 50 });
    const file = { path: "c.md", quota: "max_file_size", used: 51, limit: 50 };
    await refused(put(admin, "c.md", "c".repeat(51)), file);
    await limits({ max_space_size: 100 });
    await refused(put(admin, "c.md", "c".repeat(11)), { ...spaceSize, used: 90 });
    expect((await put(admin, "c.md", "c".repeat(10))).status).toBe(201);
    await limits({ max_files: 3 });
    await refused(put(admin, "d.md", "d"), { quota: "max_files", used: 3, limit: 3 });
    expect((await put(admin, "c.md", "changed")).status).toBe(200);
    // Now over every limit: shrinking, deleting and keeping the size are allowed, growing is not.
    await limits({ max_files: 1, max_space_size: 10 });
    expect((await put(admin, "a.md", "a".repeat(20))).status).toBe(200);
    await refused(put(admin, "a.md", "a".repeat(21)), { ...spaceSize, used: 57, limit: 10 });
    expect((await put(admin, "a.md", "A".repeat(20))).status).toBe(200);
    expect((await admin.raw("DELETE", filePath("b.md"))).status).toBe(200);
    await refused(admin.raw("POST", filePath("b.md", "undelete")), { limit: 1 });
    expect(await admin.get("/spaces/team")).toMatchObject({ files: 2, bytes: 27 });
  });

  test("a batch is judged by its net effect", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.put("/spaces/team/quotas", { max_files: 2 });
    await admin.write("a.md", "a");
    await admin.write("b.md", "b");
    const content_b64 = Buffer.from("x").toString("base64");
    const ops = [
      { op: "put", path: "c.md", content_b64 },
      { op: "delete", path: "a.md" },
    ];
    expect((await admin.raw("POST", "/spaces/team/push", { body: { ops } })).status).toBe(200);
  });

  test("announces crossing 80 % once, and each refusal", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.put("/spaces/team/quotas", { max_space_size: 100 });
    for (const size of [80, 81, 90, 101]) await put(admin, "a.md", "x".repeat(size));
    await using stream = await events(server);
    const seen = [];
    while (seen.length < 2) {
      const { type, data } = await stream.until((event) => event.type.startsWith("quota."));
      seen.push([type, data.data]);
    }
    expect(seen).toEqual([
      ["quota.warning", { quota: "max_space_size", used: 81, limit: 100 }],
      ["quota.exceeded", { quota: "max_space_size", used: 90, limit: 100 }],
    ]);
  });
});

const KEY = `AKIA${"QWERTYUIOPASDFGH".replaceAll(/[018]/g, "A")}`;

describe("secrets", () => {
  test("every path in is checked: 422 with rule, line and snippet; audit records and events contain no secret", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const text = `intro\nkey = ${KEY}\n`;
    const details = { rule: "AWS access key", line: 2, snippet: "key = AKIA…" };
    const wanted = (path: string) =>
      [
        "secret_found",
        `${path}: line 2 looks like a secret (AWS access key); remove it, or have a person check it and add secret:checked to that line or the one above`,
        { path, ...details },
      ] as const;
    await refusal(put(admin, "a.md", text), ...wanted("a.md"));
    const ops = [{ op: "put", path: "b.md", content_b64: Buffer.from(text).toString("base64") }];
    await refusal(admin.post("/spaces/team/push", { ops }), ...wanted("b.md"));
    expect(await admin.get("/spaces/team/files")).toEqual([]);
    await using stream = await events(server);
    const { data } = await stream.until((event) => event.type === "secret.blocked");
    expect(data).toMatchObject({
      space: "team",
      path: "a.md",
      data: { rule: "AWS access key", line: 2, blocked: true },
    });
    const records = await admin.get("/audit");
    expect(JSON.stringify([records, stream.seen, server.log])).not.toContain(KEY.slice(4));
    expect(records.filter(({ result }) => result === "error").map(({ action }) => action)).toEqual([
      "space.push",
      "file.write",
    ]);
  });

  test("manual additions to the working tree are scanned before they are adopted", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const tree = server.inSpace();
    writeFileSync(join(tree, "note.md"), "by hand");
    writeFileSync(join(tree, "keys.md"), `key = ${KEY}`);
    const states = async () =>
      (await admin.get("/spaces/team/files")).map(({ path, version, state }) => [path, version, state]);
    expect(await states()).toEqual([
      ["keys.md", null, "untracked"],
      ["note.md", null, "untracked"],
    ]);
    expect(await admin.get(filePath("note.md", "history"))).toEqual({
      path: "note.md",
      tracked: false,
      current: null,
      versions: [],
    });
    const ann = await server.user("Ann", "contributor");
    await refusal(ann.raw("POST", "/spaces/team/adopt"), "forbidden");
    expect(await admin.post("/spaces/team/adopt")).toEqual({
      head: expect.stringMatching(/\.1$/),
      adopted: ["note.md"],
      refused: [
        {
          path: "keys.md",
          code: "secret_found",
          reason: expect.stringMatching(/^line 1 looks like a secret \(AWS access key\);/),
        },
      ],
    });
    const [record] = await admin.get("/audit?action=file.adopt&result=error");
    expect([record?.target, record?.error]).toEqual([
      "keys.md",
      expect.stringMatching(/^secret_found: keys\.md: line 1 /),
    ]);
    await admin.put("/spaces/team/quotas", { max_file_size: 10 });
    writeFileSync(join(tree, "keys.md"), "longer than ten");
    expect(await admin.post("/spaces/team/adopt")).toMatchObject({
      adopted: [],
      refused: [{ path: "keys.md", code: "quota_exceeded" }],
    });
    writeFileSync(join(tree, "keys.md"), "gone");
    expect(await admin.post("/spaces/team/adopt")).toMatchObject({ adopted: ["keys.md"], refused: [] });
    expect(await states()).toEqual([
      ["keys.md", 1, "live"],
      ["note.md", 1, "live"],
    ]);
    expect(await admin.read("note.md")).toBe("by hand");
  });

  test("a manual edit is also scanned when a write records it; a refusal changes and loses nothing", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const tree = server.inSpace();
    await admin.write("a.md", "one");
    writeFileSync(join(tree, "a.md"), `key = ${KEY}`);
    const recorded = "the working tree has a manual edit that must be recorded first";
    const remedy =
      "remove it, or have a person check it and add secret:checked to that line or the one above";
    await refusal(
      put(admin, "a.md", "two"),
      "secret_found",
      `${recorded}: a.md: line 1 looks like a secret (AWS access key); ${remedy}`,
      { path: "a.md", rule: "AWS access key", line: 1, snippet: "key = AKIA…" },
    );
    await refusal(admin.raw("DELETE", filePath("a.md")), "secret_found");
    await admin.put("/spaces/team/quotas", { max_file_size: 10 });
    writeFileSync(join(tree, "a.md"), "longer than ten");
    await refusal(
      put(admin, "a.md", "two"),
      "quota_exceeded",
      `${recorded}: a.md: 15 bytes, over the limit of 10 (max_file_size)`,
      { path: "a.md", quota: "max_file_size", limit: 10, used: 15 },
    );
    expect(await (await admin.raw("GET", `${filePath("a.md")}?version=1`)).text()).toBe("one");
    expect(await admin.read("a.md")).toBe("longer than ten");
    expect(readFileSync(join(tree, "a.md"), "utf8")).toBe("longer than ten");
    writeFileSync(join(tree, "a.md"), "by hand");
    expect((await put(admin, "a.md", "two")).headers.get("etag")).toBe('"3"');
  });

  test("a line marked as checked passes, by its own mark or by the line above", async () => {
    await using server = await contextServer();
    const { admin } = server;
    expect((await put(admin, "a.md", `${KEY} <!-- secret:allow -->`)).status).toBe(201);
    expect((await put(admin, "b.md", `# secret:checked\n${KEY}`)).status).toBe(201);
    expect((await put(admin, "c.md", `# secret:checked\n\n${KEY}`)).status).toBe(422);
    expect((await put(admin, "d.md", `${KEY} secret:allow\nother\n${KEY}`)).status).toBe(422);
  });

  test("warn reports and allows; off scans nothing", async () => {
    await using server = await contextServer({ config: { secrets: { mode: "warn" } } });
    expect((await put(server.admin, "a.md", KEY)).status).toBe(201);
    await using stream = await events(server);
    const { data } = await stream.until((event) => event.type === "secret.blocked");
    expect(data.data).toEqual({ rule: "AWS access key", line: 1, blocked: false });
    await using silent = await contextServer({ config: { secrets: { mode: "off" } } });
    expect((await put(silent.admin, "a.md", KEY)).status).toBe(201);
  });

  test("only who may read the file is told that a line of it looks like a secret", async () => {
    await using server = await contextServer({ config: { secrets: { mode: "warn" } } });
    const eve = await server.user("eve", "viewer");
    await server.rules("eve", deny("a.md", "read"));
    await server.admin.write("a.md", KEY);
    await server.admin.write("last.md", "");
    await using hers = await eve.events("/events?spaces=team&after=0");
    await hers.until(({ data }) => (data as { path: string }).path === "last.md");
    const types = hers.seen.map(({ type }) => type);
    expect(types).toContain("file.write");
    expect(types).not.toContain("secret.blocked");
  });
});
