// Goal: the file API checks preconditions, preserves versions and history, and reports what is gone.

import { describe, expect, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILE_BYTES_CEILING, type FileHistory } from "../../src/context/versioned-store/schema.ts";
import {
  deny,
  contextServer,
  filePath,
  put,
  type ContextServer,
  type WrittenFile,
} from "../kit/context/context-server.ts";
import { sha256Hex } from "../../src/kit/crypto.ts";
import { eventually } from "../kit/eventually.ts";
import { manualClock, MINUTE_MS } from "../kit/manual-clock.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";

async function wrote(answer: Promise<Response>) {
  const response = await answer;
  const { version, created } = (await response.json()) as WrittenFile;
  return { status: response.status, etag: response.headers.get("etag"), version, created };
}

function history(server: ContextServer, path: string): Promise<FileHistory> {
  return server.admin.get(filePath(path, "history"));
}

function changes(server: ContextServer, since: string) {
  return server.admin.get(`/spaces/team/changes?since=${since}`);
}

describe("preconditions", () => {
  test("create and update; without one, the last write wins", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const say = (body: string, headers = {}) => wrote(put(admin, "a.md", body, headers));
    const ok = { status: 200, created: false };
    const created = { status: 201, etag: '"1"', version: 1, created: true };
    expect(await say("one", { "If-None-Match": "*" })).toEqual(created);
    expect(await say("two", { "If-Match": '"1"' })).toEqual({ etag: '"2"', version: 2, ...ok });
    expect(await say("three", { "If-Match": '"2"' })).toEqual({ etag: '"3"', version: 3, ...ok });
    expect(await say("four")).toEqual({ etag: '"4"', version: 4, ...ok });
    expect(await say("four")).toEqual({ etag: '"5"', version: 5, ...ok });
    expect(await say("four", { "If-Match": '"5"' })).toEqual({ etag: '"6"', version: 6, ...ok });
    for (const listed of [(await history(server, "a.md")).versions, await server.audit("action=file.write")])
      expect(listed.map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test("refuse a stale put or delete with 412 and the live version, or null", async () => {
    await using server = await contextServer({ files: { "a.md": "one" } });
    const { admin } = server;
    await admin.write("a.md", "two");
    // A writer that lost the response to its own write can recognize it.
    const two = { version: 2, hash: sha256Hex("two") };
    const seen = "the current version is v2";
    const [first, none] = [{ "If-Match": '"1"' }, { "If-None-Match": "*" }];
    const remove = (path: string) => admin.raw("DELETE", filePath(path), { headers: first });
    // Identical content makes no difference.
    const cases: [attempt: Promise<Response>, path: string, message: string, current: typeof two | null][] = [
      [put(admin, "a.md", "x", first), "a.md", `expected v1, but ${seen}`, two],
      [put(admin, "a.md", "x", none), "a.md", `expected no file, but ${seen}`, two],
      [put(admin, "a.md", "two", first), "a.md", `expected v1, but ${seen}`, two],
      [put(admin, "a.md", "two", none), "a.md", `expected no file, but ${seen}`, two],
      [put(admin, "b.md", "x", first), "b.md", "expected v1, but there is no such file", null],
      [remove("a.md"), "a.md", `expected v1, but ${seen}`, two],
    ];
    for (const [attempt, path, message, current] of cases)
      await refusal(attempt, "stale", `${path}: ${message}`, { path, current });
    await refusal(remove("b.md"), "not_found");
    expect(await admin.read("a.md")).toBe("two");
  });

  test("rejects any other header value instead of ignoring it", async () => {
    await using server = await contextServer();
    const refused = (headers: Record<string, string>, message?: string) =>
      refusal(put(server.admin, "a.md", "x", headers), "invalid", message);
    const expected = 'expected the version that was read, in double quotes, for example "7"';
    // Without quotes it is not an entity tag, and `v1` is a display form, not the ETag.
    for (const tag of ["1", "v1", '"v1"', '"1', '"1", "2"', 'W/"1"', '"0"', "*"])
      await refused({ "If-Match": tag }, `header If-Match: ${expected}`);
    await refused({ "If-None-Match": '"1"' });
    const both = "header If-Match: cannot be combined with If-None-Match";
    await refused({ "If-Match": '"1"', "If-None-Match": "*" }, both);
  });

  test("of many writers with the same precondition, one wins", async () => {
    await using server = await contextServer({ files: { "a.md": "start" } });
    const { admin } = server;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put(admin, "a.md", `writer ${index}`, { "If-Match": '"1"' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await admin.read("a.md")).toBe(`writer ${winner}`);
    expect((await history(server, "a.md")).versions.length).toBe(2);
  });
});

describe("versions", () => {
  test("keeps each version; a read names it, and a reader that has it gets 304", async () => {
    await using server = await contextServer({ files: { "notes/a.md": "one\n" } });
    const { admin } = server;
    await admin.write("notes/a.md", "two\n");
    const read = async (query: string, headers = {}) => {
      const response = await admin.raw("GET", filePath("notes/a.md") + query, { headers });
      return [response.status, response.headers.get("etag"), await response.text()];
    };
    expect(await read("")).toEqual([200, '"2"', "two\n"]);
    expect(await read("?version=1")).toEqual([200, '"1"', "one\n"]);
    expect(await read("", { "If-None-Match": '"2"' })).toEqual([304, '"2"', ""]);
    expect(await read("", { "If-None-Match": '"1", W/"2"' })).toEqual([304, '"2"', ""]);
    expect(await read("", { "If-None-Match": "*" })).toEqual([304, '"2"', ""]);
    expect(await read("", { "If-None-Match": '"1"' })).toEqual([200, '"2"', "two\n"]);
    const version = (number: number) => admin.get(`${filePath("notes/a.md")}?version=${number}`);
    await refusal(version(3), "not_found", "file notes/a.md v3: not found");
    await refusal(version(0), "invalid");
  });

  test("returns the bytes as written, never as an HTML page", async () => {
    await using server = await contextServer();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await server.admin.write("raw.bin", bytes);
    await server.admin.write("page.html", "<script>alert(1)</script>");
    const raw = await server.admin.raw("GET", filePath("raw.bin"));
    expect([raw.headers.get("content-type"), await raw.bytes()]).toEqual(["application/octet-stream", bytes]);
    const page = await server.admin.raw("GET", filePath("page.html"));
    expect(page.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a read returns manual edits in the working tree, with their state and without a version", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const tree = server.inSpace();
    const opened = async (path: string, version = "") => {
      const response = await admin.raw("GET", `${filePath(path)}${version}`);
      const of = ["etag", "x-service-state"].map((name) => response.headers.get(name));
      return [response.status, await response.text(), ...of];
    };
    await admin.write("a.md", "one");
    expect(await opened("a.md")).toEqual([200, "one", '"1"', null]);
    writeFileSync(join(tree, "a.md"), "by hand");
    writeFileSync(join(tree, "new.md"), "added");
    // A recent read may be cached for some milliseconds.
    await eventually(() => opened("a.md"), [200, "by hand", null, "modified"]);
    expect(await opened("new.md")).toEqual([200, "added", null, "untracked"]);
    expect(await opened("a.md", "?version=1")).toEqual([200, "one", '"1"', null]);
    // A reader with version 1 does not have this.
    const known = await admin.raw("GET", filePath("a.md"), { headers: { "If-None-Match": '"1"' } });
    expect(known.status).toBe(200);
    const ann = await server.user("Ann", "viewer");
    await server.rules("Ann", deny("new.md", "list", "read"));
    await refusal(ann.raw("GET", filePath("new.md")), "not_found");
    rmSync(join(tree, "a.md"));
    expect(await opened("a.md")).toEqual([200, "one", '"1"', null]);
    writeFileSync(join(tree, "large.bin"), "");
    truncateSync(join(tree, "large.bin"), FILE_BYTES_CEILING + 1);
    await refusal(admin.raw("GET", filePath("large.bin")), "too_large");
    await admin.raw("DELETE", filePath("a.md"));
    writeFileSync(join(tree, "a.md"), "again");
    // The working tree is noticed within a moment; before that, the file is unknown.
    await eventually(() => opened("a.md"), [200, "again", null, "untracked"]);
    // Once recorded, it is a version like any other.
    expect(await wrote(put(admin, "a.md", "three"))).toMatchObject({ version: 3 });
    expect(await opened("a.md", "?version=2")).toEqual([200, "again", '"2"', null]);
  });

  test("diff compares the newest version with the previous one by default", async () => {
    await using server = await contextServer({ files: { "a.md": "one\ntwo\n" } });
    const { admin } = server;
    await admin.write("a.md", "one\n2\nthree\n");
    const text = expect.stringMatching(
      /^--- a\.md\tv1\n\+\+\+ a\.md\tv2\n@@ -1,2 \+1,3 @@\n one\n-two\n\+2\n\+three\n$/,
    );
    const between = { path: "a.md", from: 1, to: 2, added: 2, removed: 1, coarse: false };
    expect(await admin.get(filePath("a.md", "diff"))).toEqual({ ...between, text });
    const first = await admin.get(`${filePath("a.md", "diff")}?from=0&to=1`);
    expect(first).toMatchObject({ added: 2, removed: 0 });
    await admin.write("b.bin", Uint8Array.of(0xff, 0xfe, 0x00));
    await refusal(admin.raw("GET", filePath("b.bin", "diff")), "not_text");
  });

  test("diff compares an edit in the working tree with the newest version, or with nothing, unless versions are named", async () => {
    await using server = await contextServer({ files: { "a.md": "one\n" } });
    const { admin } = server;
    await admin.write("a.md", "two\n");
    const tree = join(server.directory, "spaces", "team");
    writeFileSync(join(tree, "a.md"), "three\n");
    writeFileSync(join(tree, "new.md"), "new\n");
    const diff = (path: string, query = "") => admin.get(`${filePath(path, "diff")}${query}`);
    await eventually(() => diff("a.md").then(({ to }) => to), null);
    const text = expect.stringContaining("--- a.md\tv2\n+++ a.md\ton disk\n@@ -1,1 +1,1 @@\n-two\n+three\n");
    expect(await diff("a.md")).toMatchObject({ from: 2, to: null, added: 1, removed: 1, text });
    expect(await diff("a.md", "?from=1")).toMatchObject({ from: 1, to: null });
    expect(await diff("a.md", "?to=2")).toMatchObject({ from: 1, to: 2 });
    expect(await diff("new.md")).toMatchObject({ from: 0, to: null, added: 1, removed: 0 });
  });

  test("delete keeps versions, undelete restores the newest under its number, destroy removes one permanently", async () => {
    await using server = await contextServer({ files: { "a.md": "one" } });
    const { admin } = server;
    await admin.write("a.md", "two");
    const destroy = (version: number) =>
      admin.raw("DELETE", `${filePath("a.md", "versions")}?version=${version}`);
    await refusal(destroy(2), "invalid", "cannot destroy current live version — soft-delete first");
    const deleted = await admin.raw("DELETE", filePath("a.md"));
    expect([deleted.status, await deleted.json()]).toEqual([
      200,
      { path: "a.md", version: 2, head: expect.stringMatching(/\.3$/) },
    ]);
    expect((await admin.raw("GET", filePath("a.md"))).status).toBe(404);
    expect(await admin.read("a.md", "?version=2")).toBe("two");
    expect((await destroy(2)).status).toBe(204);
    await refusal(
      admin.raw("GET", `${filePath("a.md")}?version=2`),
      "not_found",
      "a.md: the content of v2 was destroyed",
      { path: "a.md" },
    );
    expect(await admin.post(filePath("a.md", "undelete"))).toMatchObject({ path: "a.md", version: 1 });
    await refusal(admin.raw("POST", filePath("a.md", "undelete")), "conflict", "a.md: not deleted", {
      path: "a.md",
      current: 1,
    });
    expect((await admin.write("a.md", "three")).version).toBe(3);
    const { versions, ...rest } = await history(server, "a.md");
    expect(rest).toEqual({ path: "a.md", tracked: true, current: 3 });
    expect(versions.map(({ version, destroyed, pruned }) => [version, destroyed, pruned])).toEqual([
      [3, false, false],
      [2, true, false],
      [1, false, false],
    ]);
  });

  test("restoring a snapshot names the files that it cannot bring back, and leaves them as they are", async () => {
    await using server = await contextServer();
    const { admin } = server;
    await admin.write("a.md", "one");
    await admin.write("gone.md", "secret");
    await admin.write("vault/gone.md", "secret");
    const { id } = await admin.post("/spaces/team/snapshots", { name: "before" });
    for (const path of ["a.md", "gone.md", "vault/gone.md"]) await admin.write(path, "two");
    for (const path of ["gone.md", "vault/gone.md"])
      await admin.raw("DELETE", `${filePath(path, "versions")}?version=1`);
    const lee = await server.user("Lee", "space-lead");
    await server.rules("Lee", deny("vault/*", "list", "read"));
    const restored = await lee.post(`/spaces/team/snapshots/${id}/restore`);
    expect(restored).toMatchObject({ files: ["a.md"], lost: ["gone.md"] });
    expect(await admin.post(`/spaces/team/snapshots/${id}/restore`)).toMatchObject({
      files: [],
      lost: ["gone.md", "vault/gone.md"],
    });
    expect([await admin.read("a.md"), await admin.read("gone.md")]).toEqual(["one", "two"]);
  });

  test("a missing file is the same 404 on every route", async () => {
    await using server = await contextServer();
    const { admin } = server;
    for (const route of ["GET files", "DELETE files", "GET history", "GET diff", "POST undelete"]) {
      const [method, kind] = route.split(" ") as [string, string];
      await refusal(admin.raw(method, filePath("no.md", kind)), "not_found", "file no.md: not found");
    }
    await refusal(admin.raw("DELETE", `${filePath("no.md", "versions")}?version=1`), "not_found");
  });
});

describe("changes and times", () => {
  test("returns a delta with tombstones; another epoch is a conflict, and a future head is refused", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const { head: empty } = await admin.get("/spaces/team");
    await admin.write("a.md", "one");
    const { head: first } = await admin.write("b.md", "one");
    await admin.write("a.md", "two");
    await admin.raw("DELETE", filePath("b.md"));
    const short = async (since: string) =>
      (await changes(server, since)).changes.map(({ path, change, version }) => [path, change, version]);
    expect(await short(empty)).toEqual([
      ["a.md", "written", 2],
      ["b.md", "deleted", null],
    ]);
    expect(await short(first)).toEqual(await short(empty));
    const { head } = await changes(server, first);
    expect(await short(head)).toEqual([]);
    const [epoch, seq] = head.split(".") as [string, string];
    const other = epoch.startsWith("0") ? epoch.replace(/^0/, "1") : epoch.replace(/^./, "0");
    await refusal(changes(server, `${other}.${seq}`), "epoch_changed", /./, { head });
    await refusal(changes(server, `${epoch}.${Number(seq) + 1}`), "invalid");
    await refusal(changes(server, "5"), "invalid");
  });

  test("lists the past by head and by time", async () => {
    const clock = manualClock();
    await using server = await contextServer({ clock });
    const { admin } = server;
    const { head } = await admin.write("a.md", "one");
    const time = new Date(clock.now()).toISOString();
    clock.advance(MINUTE_MS);
    await admin.write("a.md", "two!");
    await admin.write("b.md", "new");
    await admin.raw("DELETE", filePath("a.md"));
    const list = async (query: string) =>
      (await admin.get(`/spaces/team/files?${query}`)).map(({ path, version, state }) => [
        path,
        version,
        state,
      ]);
    expect(await list("")).toEqual([["b.md", 1, "live"]]);
    expect(await list("deleted=1")).toEqual([
      ["a.md", 2, "deleted"],
      ["b.md", 1, "live"],
    ]);
    expect(await list(`at=${head}`)).toEqual([["a.md", 1, "live"]]);
    expect(await list(`at=${encodeURIComponent(time)}`)).toEqual([["a.md", 1, "live"]]);
    for (const at of ["yesterday", "0", "2026", "-1", "abc.1", head.slice(1), "2026-13-01", "1 Jan 2026"])
      await refusal(
        admin.raw("GET", `/spaces/team/files?at=${at}`),
        "invalid",
        "at: expected a head (<epoch>.<seq>) or a time (RFC 3339)",
      );
  });

  test("a prefix is a directory, not the start of a name", async () => {
    await using server = await contextServer();
    const { admin } = server;
    for (const path of ["docs/a.md", "docs/b/c.md", "docs-old/a.md", "doc.md"]) await admin.write(path, path);
    const list = async (prefix: string) =>
      (await admin.get(`/spaces/team/files?prefix=${prefix}`)).map(({ path }) => path);
    expect(await list("docs")).toEqual(["docs/a.md", "docs/b/c.md"]);
    expect(await list("docs/")).toEqual(["docs/a.md", "docs/b/c.md"]);
    expect(await list("docs/a.md")).toEqual(["docs/a.md"]);
    expect(await list("doc")).toEqual([]);
  });

  test("a snapshot names a state, and restoring it writes new versions", async () => {
    await using server = await contextServer({ files: { "a.md": "one", "b.md": "one" } });
    const { admin } = server;
    const snapshot = await admin.post("/spaces/team/snapshots", { name: "before" });
    await refusal(admin.post("/spaces/team/snapshots", { name: "before" }), "conflict");
    await admin.write("a.md", "two");
    await admin.raw("DELETE", filePath("b.md"));
    await admin.write("c.md", "new");
    const restored = await admin.post(`/spaces/team/snapshots/${snapshot.id}/restore`);
    expect(restored.files.toSorted()).toEqual(["a.md", "b.md", "c.md"]);
    const list = await admin.get("/spaces/team/files");
    expect(list.map(({ path, version }) => [path, version])).toEqual([
      ["a.md", 3],
      ["b.md", 2],
    ]);
    expect([await admin.read("a.md"), await admin.read("b.md")]).toEqual(["one", "one"]);
    await refusal(admin.raw("POST", "/spaces/team/snapshots/99/restore"), "not_found");
  });

  test("reading changes nothing", async () => {
    await using server = await contextServer();
    const { admin } = server;
    const { head } = await admin.write("a.md", "one");
    await admin.read("a.md");
    await history(server, "a.md");
    await admin.get("/spaces/team/files?deleted=1");
    await changes(server, head);
    expect(await admin.get("/spaces/team")).toMatchObject({ head });
  });
});

test("refuses oversized content for its size, whatever it contains", async () => {
  const config = { quotas: { max_file_size: 1_000 } };
  await using server = await contextServer({ config });
  const text = `AKIAQWERTYUIOPASDFGH ${"x".repeat(1_000)}`;
  const { code, details } = await refusalOf(put(server.admin, "a.md", text));
  expect([code, details]).toMatchObject(["quota_exceeded", { quota: "max_file_size", limit: 1_000 }]);
});
