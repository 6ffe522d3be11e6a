// Goal: a push is atomic and judges each path separately; a pull returns an archive of the paths that sync; modes agree in both directions.

import { describe, expect, test } from "bun:test";
import type { AclRule } from "../../src/context/access/schema.ts";
import { readContents } from "../../src/context/sync/contents.ts";
import { PULL_BYTES_MAX } from "../../src/context/sync/schema.ts";
import { modeOf, travelsDown, travelsUp } from "../../src/context/spaces/modes.ts";
import { BATCH_OPERATIONS_MAX } from "../../src/context/versioned-store/schema.ts";
import { sha256Hex } from "../../src/kit/crypto.ts";
import {
  deny,
  contextServer,
  filePath,
  put as write,
  type ContextClient,
} from "../kit/context/context-server.ts";
import type { ErrorCode } from "../../src/kit/error.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

interface Op {
  op: "put" | "delete";
  path: string;
  content_b64?: string;
  expected?: number | null;
}

/** As many random bytes as the system gives at once. */
const PIECE = 64 * 1024;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const put = (path: string, text: string, expected?: number | null): Op => ({
  op: "put",
  path,
  content_b64: base64(text),
  ...(expected === undefined ? {} : { expected }),
});
const push = (client: ContextClient, ops: Op[], base?: string) =>
  client.raw("POST", "/spaces/team/push", { body: { ops, ...(base === undefined ? {} : { base }) } });
const pull = (client: ContextClient, paths: string[]) =>
  client.raw("POST", "/spaces/team/pull", { body: { paths } });

async function unpacked(response: Response): Promise<Record<string, string>> {
  expect(response.headers.get("content-type")).toBe("application/zstd");
  const files = await new Bun.Archive(Bun.zstdDecompressSync(await response.bytes())).files();
  return Object.fromEntries(
    await Promise.all([...files].map(async ([path, file]) => [path, await file.text()])),
  );
}

const paths = async (client: ContextClient) =>
  (await client.get("/spaces/team/files")).map(({ path, version }) => `${path} ${version}`);

describe("modes", () => {
  test("the longest prefix wins in any order of rules, and a prefix matches whole names", () => {
    const rules = { "a/": "never", "a/b/": "always", "a/b/c.md": "init-only", d: "never" } as const;
    const reversed = Object.fromEntries(Object.entries(rules).toReversed());
    const expected = {
      "a/x.md": "never",
      "a/b/x.md": "always",
      "a/b/c.md": "init-only",
      "a/b/c.md/x": "init-only",
      "ab.md": "always",
      d: "never",
      "d/x": "never",
      dx: "always",
    };
    for (const [path, mode] of Object.entries(expected)) {
      expect([path, modeOf(rules, path)]).toEqual([path, mode]);
      expect([path, modeOf(reversed, path)]).toEqual([path, mode]);
    }
  });

  test("letter case does not matter, and the stricter of two rules for a directory wins", () => {
    expect(modeOf({ "identity/": "init-only" }, "Identity/me.md")).toBe("init-only");
    expect(modeOf({ "a/": "never", a: "always" }, "a/x")).toBe("never");
    expect(modeOf({ a: "always", "a/": "never" }, "a/x")).toBe("never");
  });

  test("init-only syncs down but not up; never does neither", () => {
    const rules = { i: "init-only", n: "never" } as const;
    expect(["a", "i", "n"].map((path) => [travelsUp(rules, path), travelsDown(rules, path)])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });
});

describe("push", () => {
  test("applies everything and returns the live versions", async () => {
    await using server = await contextServer({ files: { "old.md": "x" } });
    const { admin } = server;
    const ops = [put("a.md", "A"), put("b/c.md", "C", null), { op: "delete", path: "old.md", expected: 1 }];
    const { head, versions } = await admin.post("/spaces/team/push", { ops });
    const shown = versions.map(({ path, version }) => `${path} ${version}`);
    expect(shown.toSorted()).toEqual(["a.md 1", "b/c.md 1", "old.md null"]);
    expect(await admin.get("/spaces/team")).toMatchObject({ head });
    // Repeating it is stale with a precondition, and a new version without one.
    const hash = sha256Hex("A");
    const { code, details } = await refusalOf(push(admin, [put("a.md", "A", null)]));
    const problem = "expected no file, but the current version is v1";
    expect([code, details]).toEqual(["stale", { path: "a.md", problem, current: { version: 1, hash } }]);
    const again = await push(admin, [put("a.md", "A", 1)]);
    expect(await again.json()).toMatchObject({ versions: [{ path: "a.md", version: 2, hash }] });
  });

  test("does nothing if any operation is refused, for any reason", async () => {
    await using server = await contextServer({ files: { "live.md": "live" } });
    const { admin } = server;
    await admin.put("/spaces/team/sync", { "own/": "never", "seeded/": "init-only", "secret/": "never" });
    await admin.put("/spaces/team/quotas", { max_file_size: 64 });
    const ann = await server.user("Ann", "contributor");
    await server.rules("Ann", deny("secret/**", "create", "update"));
    const before = await paths(admin);
    const bad: [Op, ErrorCode][] = [
      [put("live.md", "new", null), "stale"],
      [{ op: "delete", path: "no.md" }, "not_found"],
      [put("own/x.md", "x"), "refused"],
      [put("seeded/x.md", "x"), "refused"],
      [put("SEEDED/x.md", "x"), "refused"],
      [put("big.md", "x".repeat(65)), "quota_exceeded"],
      [put("secret/x.md", "x"), "forbidden"],
      [put("key.md", `AKIA${"A".repeat(16)}`), "secret_found"],
      [put("LIVE.md", "x"), "conflict"],
      [put("live.md/x", "x"), "conflict"],
      [put("../x", "x"), "invalid"],
      [put(".cairn/x", "x"), "invalid"],
      [{ op: "put", path: "x.md" }, "invalid"],
      [{ op: "put", path: "x.md", content_b64: "??" }, "invalid"],
      [put("first.md", "twice"), "invalid"],
    ];
    for (const [op, code] of bad) {
      await refusal(push(ann, [put("first.md", "1"), op]), code);
      await refusal(push(ann, [op, put("first.md", "1")]), code);
    }
    expect(await paths(admin)).toEqual(before);
    // Each refusal is audited, including those by sync mode.
    const records = await admin.get("/audit?action=space.push");
    expect(records.length).toBe(bad.length * 2);
    expect(records.every(({ result, actor }) => result !== "ok" && actor.name === "Ann")).toBe(true);
  });

  test("checks rights before modes, contents, quotas and secrets: 403 or 404, whatever else is wrong", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const key = `AKIA${"A".repeat(16)}`;
    await admin.put("/spaces/team/quotas", { max_file_size: 64 });
    await admin.put("/spaces/team/sync", { "identity/": "init-only", "hidden/": "never", "new/": "never" });
    await admin.write("new/there.md", "x");
    const ann = await server.user("Ann", "contributor");
    await server.rules("Ann", deny("hidden/**", "list", "read"), deny("new/**", "update"));
    const wrong: Partial<Op>[] = [
      {},
      { content_b64: "??" },
      { content_b64: btoa("x".repeat(65)) },
      { content_b64: btoa(key) },
      { content_b64: btoa("x"), expected: 7 },
    ];
    for (const [path, code] of [
      ["identity/me.md", "forbidden"],
      ["hidden/a.md", "not_found"],
      ["new/there.md", "forbidden"],
    ] as const)
      for (const rest of wrong) {
        const op = { op: "put" as const, path, ...rest };
        await refusal(push(ann, [put("first.md", key), op]), code);
        await refusal(push(ann, [op], "000000000000.0"), code);
        await refusal(write(ann, path, key, { "If-Match": '"7"' }), code);
      }
    await refusal(push(ann, [put("new/other.md", "x")]), "refused");
    await refusal(pull(ann, ["hidden/a.md"]), "not_found");
    expect(await paths(admin)).toEqual(["new/there.md 1"]);
  });

  test("refuses a base of another epoch before any other check", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const { head } = await admin.get("/spaces/team");
    expect((await push(admin, [put("a.md", "A")], head)).status).toBe(200);
    const other = head.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    await refusal(push(admin, [put("b.md", "B")], other), "epoch_changed");
    expect((await push(admin, [put("b.md", "B")], "7")).status).toBe(400);
    expect(await paths(admin)).toEqual(["a.md 1"]);
  });

  test("a body over the limit is 413 and is not read", async () => {
    await using server = await contextServer();
    await refusal(server.admin.post("/users", { name: "x".repeat(1024 * 1024) }), "too_large");
    const large = "x".repeat(2 * 1024 * 1024);
    expect((await push(server.admin, [put("large.md", large)])).status).toBe(200);
    expect((await server.admin.read("large.md")).length).toBe(large.length);
    const beyond = fetch(`${server.url}/api/v1${filePath("huge.bin")}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${server.admin.token}` },
      body: new Uint8Array(64 * 1024 * 1024 + 1),
    });
    await refusal(beyond, "too_large", "the body is larger than 67108864 bytes", { limit_bytes: 67_108_864 });
  });
});

describe("pull", () => {
  test("returns an archive with every file and its version", async () => {
    await using server = await contextServer({ files: { "a.md": "one" } });
    const { admin } = server;
    await admin.write("a.md", "two");
    await admin.write("deep/er/ü.md", "umlaut");
    const { ".versions.json": versions, ...files } = await unpacked(
      await pull(admin, ["a.md", "deep/er/ü.md"]),
    );
    expect(files).toEqual({ "a.md": "two", "deep/er/ü.md": "umlaut" });
    expect(JSON.parse(versions!)).toEqual({ "a.md": 2, "deep/er/ü.md": 1 });
    expect(Object.keys(await unpacked(await pull(admin, [])))).toEqual([".versions.json"]);
  });

  test("returns the contents as they are stored, on request", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const long = "two ".repeat(500);
    await admin.write("a.md", "one");
    await admin.write("a.md", long);
    await admin.write("deep/er/ü.md", "umlaut");
    const body = { paths: ["a.md", "deep/er/ü.md"], form: "contents" };
    const response = await admin.raw("POST", "/spaces/team/pull", { body });
    expect(response.headers.get("content-type")).toBe("application/vnd.cairn.contents");
    const files = await Array.fromAsync(readContents(response.body!, PULL_BYTES_MAX));
    const shown = files.map(({ path, version, bytes, coded: { coding } }) => [
      path,
      version,
      Buffer.from(bytes).toString(),
      coding,
    ]);
    expect(shown).toEqual([
      ["a.md", 2, long, "zstd"],
      ["deep/er/ü.md", 1, "umlaut", "raw"],
    ]);
    const wrong = admin.raw("POST", "/spaces/team/pull", { body: { ...body, form: "zip" } });
    await refusal(wrong, "invalid", "form: expected one of: archive, contents");
  });

  test("handles many files and names of any length", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const names = Array.from({ length: 1_200 }, (_, index) => `many/${index}.md`);
    names.push(`${"long/".repeat(200)}é.md`);
    const ops = names.map((name, index) => put(name, `content ${index}`));
    for (let from = 0; from < ops.length; from += BATCH_OPERATIONS_MAX)
      expect((await push(admin, ops.slice(from, from + BATCH_OPERATIONS_MAX))).status).toBe(200);
    const { ".versions.json": versions, ...files } = await unpacked(await pull(admin, names));
    expect(files).toEqual(Object.fromEntries(names.map((name, index) => [name, `content ${index}`])));
    expect(Object.keys(JSON.parse(versions!) as object)).toEqual(names);
  });

  test("streams large files as of the time of the request; disconnecting ends the read", async () => {
    await using server = await contextServer();
    const { admin } = server;
    // Together, what does not compress is more than the buffers between a server and a client that does not read.
    const noise = () =>
      Buffer.concat(Array.from({ length: 12 }, () => crypto.getRandomValues(Buffer.alloc(PIECE))));
    const names = Array.from({ length: 24 }, (_, index) => `${index}.bin`);
    const last = noise();
    for (const name of names) await admin.write(name, name === "23.bin" ? last : noise());
    const answer = await pull(admin, names);
    const reader = answer.body!.getReader();
    const chunks = [(await reader.read()).value!];
    await admin.write("23.bin", "later");
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    const files = await new Bun.Archive(Bun.zstdDecompressSync(Buffer.concat(chunks))).files();
    expect(Buffer.from(await files.get("23.bin")!.arrayBuffer()).equals(last)).toBe(true);
    const left = await pull(admin, names);
    await left.body!.getReader().cancel();
    expect(await admin.read("23.bin")).toBe("later");
    expect(server.log.filter(({ message }) => message === "a pull was interrupted")).toEqual([]);
  });

  test("refuses never paths and returns init-only paths", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.put("/spaces/team/sync", { "own/": "never", "identity/": "init-only" });
    await admin.write("own/a.md", "mine");
    await admin.write("identity/me.md", "me");
    const viewer = await server.user("Vic", "viewer");
    expect((await unpacked(await pull(viewer, ["identity/me.md"])))["identity/me.md"]).toBe("me");
    const kept = "own/a.md: excluded by the sync rules of team";
    await refusal(pull(viewer, ["own/a.md"]), "refused", kept, { path: "own/a.md" });
    await refusal(pull(viewer, ["no.md"]), "not_found");
  });

  test("rules reveal no place where the caller may list nothing; leads see all rules", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const rules = {
      "open/": "never",
      "deals/": "never",
      "deals/acme/": "never",
      "DEALS2/": "init-only",
      "deep/": "never",
      "partly/": "never",
      "secret.md": "never",
      "plain.md": "never",
    };
    await admin.put("/spaces/team/sync", rules);
    await admin.write("plain.md", "x");
    await admin.write("secret.md", "x");
    const vic = await server.user("Vic", "viewer");
    const list = ["list", "read"] as const;
    const hidden = (path: string) => deny(path, ...list);
    const allow = (path: string): AclRule => ({
      effect: "allow",
      path: `team/${path}`,
      capabilities: [...list],
    });
    const denied = "deals/** deals2/** deep/* deep/*/** partly/* secret.md/** secret.md";
    await server.rules("Vic", ...denied.split(" ").map(hidden));
    const shown = { "open/": "never", "partly/": "never", "plain.md": "never" };
    expect(await vic.get<unknown>("/spaces/team/sync")).toEqual(shown);
    expect((await vic.get("/spaces/team")).sync).toEqual(shown as never);
    expect((await vic.get("/spaces")).map(({ sync }) => sync)).toEqual([shown as never]);
    // A user who sees the space only through an allow rule sees only the sync rules within its reach.
    const guest = await server.user("Guest", "viewer", []);
    await server.rules("Guest", allow("deals/acme/*.md"), hidden("deals/acme/a*"));
    expect(await guest.get("/spaces/team/sync")).toEqual({ "deals/": "never", "deals/acme/": "never" });
    await server.rules("Guest", allow("deals/acme/a*.md"), hidden("deals/acme/a*"), allow("open/x.md"));
    expect(await guest.get("/spaces/team/sync")).toEqual({ "open/": "never" });
    const lead = await server.user("Lee", "space-lead");
    await server.rules("Lee", hidden("deals/**"));
    expect(await lead.get<unknown>("/spaces/team/sync")).toEqual(rules);
  });

  test("only leads write rules, which are stored in canonical form, sorted; an unknown mode is refused", async () => {
    await using server = await contextServer();
    const contributor = await server.user("Ann", "contributor");
    const lead = await server.user("Lee", "space-lead");
    await refusal(contributor.raw("PUT", "/spaces/team/sync", { body: {} }), "forbidden");
    const stored = await lead.put<object>("/spaces/team/sync", { "cafe\u0301/": "never", b: "always" });
    expect(Object.entries(stored)).toEqual([
      ["b", "always"],
      ["caf\u00e9/", "never"],
    ]);
    for (const rules of [{ "../": "never" }, { "": "never" }, { a: "sometimes" }, { "/a": "never" }])
      await refusal(lead.raw("PUT", "/spaces/team/sync", { body: rules }), "invalid");
  });
});
