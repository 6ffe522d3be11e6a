// Goal: people list, read and save files of a workspace, with versions, limits and refusals; strangers learn nothing.

import { describe, expect, spyOn, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { Place } from "../../../src/kit/disk/paths-disk.ts";
import { FILE_BYTES_MAX } from "../../../src/service/files/schema.ts";
import { world } from "../../kit/service/world.ts";
import { fileClient } from "./file-client.ts";
import { refusal } from "../../kit/http/refusal.ts";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe("reading and saving", () => {
  test("lists nothing before the first save, then directories first, by name", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    expect(await files.list()).toEqual([]);
    // The lab's provider has a sealed key.
    expect(readdirSync(lab.data).filter((name) => !name.startsWith("service.db"))).toEqual(["secrets.key"]);
    for (const path of ["b.md", "A.md", "zoo/deep/x.md", "Archive/y.md"])
      expect((await files.put(path, "x")).status).toBe(201);
    const file = (name: string) => ({ name, path: name, kind: "file", size: 1, modified_at: TIME });
    const directory = (name: string) => ({
      name,
      path: name,
      kind: "directory",
      size: null,
      modified_at: TIME,
    });
    expect(await files.list()).toEqual([directory("Archive"), directory("zoo"), file("A.md"), file("b.md")]);
    expect(await files.list("zoo")).toEqual([{ ...directory("deep"), path: "zoo/deep" }]);
    expect(await files.list("zoo/deep")).toEqual([{ ...file("x.md"), path: "zoo/deep/x.md" }]);
    if (process.platform === "win32") return;
    const base = join(lab.data, "files");
    const modes = ["", `${lab.workspaceId}`, `${lab.workspaceId}/zoo`, `${lab.workspaceId}/b.md`].map(
      (each) => statSync(join(base, each)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  test("returns text as saved, with its hash as version and ETag", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    for (const text of ["", "plain\n", "\ufeffwith a mark\r\n", "Ünï 日本 👩‍💻\0"]) {
      const version = sha256Hex(text);
      const saved = await files.put("notes/a.md", text);
      expect(saved.headers.get("etag")).toBe(`"${version}"`);
      const size = Buffer.byteLength(text);
      expect(await saved.json()).toEqual({ path: "notes/a.md", version, size, read_only: false });
      const read = await files.get("notes/a.md");
      expect(read.headers.get("etag")).toBe(`"${version}"`);
      expect(await read.json()).toEqual({
        path: "notes/a.md",
        content: text,
        version,
        size,
        read_only: false,
      });
    }
  });

  test("accepts a body of any type unchanged, including JSON and chunks", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    for (const type of [
      "application/json",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      undefined,
    ]) {
      const text = `{"type": "${type}"}`;
      expect((await files.put("a.json", text, type === undefined ? {} : { "Content-Type": type })).ok).toBe(
        true,
      );
      expect(await files.read("a.json")).toMatchObject({ content: text });
    }
    const chunks = new ReadableStream({
      start(controller) {
        for (const part of ["one ", "two ", "three"]) controller.enqueue(new TextEncoder().encode(part));
        controller.close();
      },
    });
    expect((await files.put("a.json", chunks)).status).toBe(200);
    expect(await files.read("a.json")).toMatchObject({ content: "one two three" });
  });

  test("treats composed and decomposed names as one file", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("cafe\u0301.md", "x");
    expect(await files.read("caf\u00e9.md")).toMatchObject({
      path: "caf\u00e9.md",
    });
    expect((await files.list()).map((each) => each.path)).toEqual(["caf\u00e9.md"]);
  });

  test("emits an event with the author for a save, but none for identical content", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("a.md", "one");
    await files.put("a.md", "one");
    await files.put("a.md", "two!");
    await using reader = await lab.admin.events(`${lab.own}/events?after=0`);
    await reader.until((event) => event.type === "file.saved" && event.data.data.size === 4);
    const saved = reader.seen.filter((event) => event.type === "file.saved").map((event) => event.data);
    const data = { path: "a.md", user: "admin", agent: null };
    expect(saved).toEqual([
      { turn_id: null, time: TIME, data: { ...data, version: sha256Hex("one"), size: 3, created: true } },
      { turn_id: null, time: TIME, data: { ...data, version: sha256Hex("two!"), size: 4, created: false } },
    ]);
  });
});

describe("versions", () => {
  test("refuses the second of two concurrent edits, with the current version", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("a.md", "start");
    const read = sha256Hex("start");
    expect((await files.put("a.md", "first", { "If-Match": `"${read}"` })).status).toBe(200);
    const current = sha256Hex("first");
    expect(await files.refused("PUT", "a.md", "second", { "If-Match": `"${read}"` })).toEqual({
      status: 412,
      code: "stale",
      message: "a.md: was changed since you read it",
      details: { current },
    });
    expect((await files.put("a.md", "second", { "If-Match": `"other", "${current}"` })).status).toBe(200);
    expect(await files.refused("PUT", "a.md", "third", { "If-Match": sha256Hex("second") })).toEqual({
      status: 400,
      code: "invalid",
      message: "header If-Match: expected the version that was read, in double quotes",
    });
  });

  test("supports the conditions new and existing, and refuses weak tags", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    const stale = (message: string, current: string | null) => ({
      status: 412,
      code: "stale",
      message,
      details: { current },
    });
    expect(await files.refused("PUT", "new/a.md", "x", { "If-Match": "*" })).toEqual(
      stale("new/a.md: there is no such file", null),
    );
    expect(await files.refused("PUT", "new/a.md", "x", { "If-Match": '"abc"' })).toEqual(
      stale("new/a.md: there is no such file", null),
    );
    expect(existsSync(join(lab.data, "files"))).toBe(false);
    expect((await files.put("new/a.md", "x", { "If-None-Match": "*" })).status).toBe(201);
    const version = sha256Hex("x");
    expect(await files.refused("PUT", "new/a.md", "y", { "If-None-Match": "*" })).toEqual(
      stale("new/a.md: already exists", version),
    );
    expect(await files.refused("PUT", "new/a.md", "y", { "If-Match": `W/"${version}"` })).toEqual(
      stale("new/a.md: was changed since you read it", version),
    );
    expect((await files.put("new/a.md", "y", { "If-Match": "*" })).status).toBe(200);
    const invalid = (message: string) => ({ status: 400, code: "invalid", message });
    expect(await files.refused("PUT", "new/a.md", "z", { "If-None-Match": '"abc"' })).toEqual(
      invalid("header If-None-Match: only * is supported"),
    );
    expect(await files.refused("PUT", "new/a.md", "z", { "If-None-Match": "*", "If-Match": "*" })).toEqual(
      invalid("header If-None-Match: cannot be combined with If-Match"),
    );
  });

  test("lets exactly one of many concurrent saves with the same condition win", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("a.md", "start");
    const version = sha256Hex("start");
    const texts = Array.from({ length: 20 }, (_, index) => `writer ${index}`);
    const statuses = await Promise.all(
      texts.map(async (text) => (await files.put("a.md", text, { "If-Match": `"${version}"` })).status),
    );
    expect(statuses.toSorted()).toEqual([200, ...Array(19).fill(412)]);
    const winner = texts[statuses.indexOf(200)]!;
    expect(await files.read("a.md")).toMatchObject({ content: winner });
    const created = await Promise.all(
      texts.map(async (text) => (await files.put("b.md", text, { "If-None-Match": "*" })).status),
    );
    expect(created.toSorted()).toEqual([201, ...Array(19).fill(412)]);
    expect(readdirSync(files.directory).sort()).toEqual(["a.md", "b.md"]);
  });
});

describe("limits", () => {
  test("edits up to 2 MiB, refuses one byte more, and shows a larger file read-only", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    const full = "x".repeat(FILE_BYTES_MAX);
    expect((await files.put("full.txt", full)).status).toBe(201);
    expect(await files.read("full.txt")).toMatchObject({
      size: FILE_BYTES_MAX,
      read_only: false,
      content: full,
    });
    const tooLarge = [
      "too_large",
      `the body is larger than ${FILE_BYTES_MAX} bytes`,
      { limit_bytes: FILE_BYTES_MAX },
    ] as const;
    await refusal(files.put("full.txt", `${full}y`), ...tooLarge);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024).fill(120)),
    });
    const answer = await files.put("full.txt", endless).then(
      (response) => response.status,
      () => "closed",
    );
    expect([413, "closed"]).toContain(answer);
    expect(await files.read("full.txt")).toMatchObject({ size: FILE_BYTES_MAX });

    const large = `${"x".repeat(FILE_BYTES_MAX - 1)}é and more`;
    writeFileSync(join(files.directory, "large.txt"), large);
    const read = await (await files.get("large.txt")).json();
    expect(read as object).toEqual({
      path: "large.txt",
      content: "x".repeat(FILE_BYTES_MAX - 1),
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
      size: Buffer.byteLength(large),
      read_only: true,
    });
    const refused = {
      status: 413,
      code: "too_large",
      message: `large.txt: larger than ${FILE_BYTES_MAX} bytes and therefore read-only`,
      details: { limit_bytes: FILE_BYTES_MAX },
    };
    expect(await files.refused("PUT", "large.txt", "small")).toEqual(refused);
    expect(await files.refused("PUT", "large.txt", "small", { "If-Match": `"${read.version}"` })).toEqual(
      refused,
    );
    expect(readFileSync(join(files.directory, "large.txt"), "utf8")).toBe(large);
  });

  test("neither accepts nor shows bytes that are not UTF-8", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("a.md", "text");
    const notText = (path: string) => ["not_text", `${path}: not UTF-8 text`] as const;
    const broken: number[][] = [[0xff, 0xfe], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0x80]];
    for (const bytes of broken) {
      await refusal(files.put("a.md", new Uint8Array(bytes)), ...notText("a.md"));
      writeFileSync(join(files.directory, "b.bin"), new Uint8Array(bytes));
      await refusal(files.get("b.bin"), ...notText("b.bin"));
    }
    const image = new Uint8Array(FILE_BYTES_MAX + 10).fill(0x89);
    writeFileSync(join(files.directory, "c.png"), image);
    await refusal(files.get("c.png"), ...notText("c.png"));
    expect(await files.read("a.md")).toMatchObject({ content: "text" });
  });
});

describe("paths", () => {
  test("refuses paths that lead outside, in any encoding", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("a.md", "text");
    writeFileSync(join(lab.data, "files/secret.txt"), "secret");
    const raws = [
      "../secret.txt",
      "%2e%2e/secret.txt",
      "%2e%2e%2fsecret.txt",
      "..%2fsecret.txt",
      "..%5csecret.txt",
      "a/../../secret.txt",
      "%2fetc%2fpasswd",
      "/etc/passwd",
      "a%00b",
      "%EF%BC%8E%EF%BC%8E/secret.txt",
      "..%EF%BC%8Fsecret.txt",
      "C:/x",
      "nul",
      "x/",
      "",
      "a%0Ab",
    ];
    for (const raw of raws) {
      for (const [method, body] of [
        ["GET", undefined],
        ["PUT", "overwritten"],
      ] as const) {
        const refused = await files.refusedRaw(method, `path=${raw}`, body);
        expect({
          raw,
          status: refused.status,
          code: refused.code,
          field: refused.message.slice(0, 6),
        }).toEqual({ raw, status: 400, code: "invalid", field: "path: " });
      }
    }
    // Decoded only once: these are ordinary names of missing files.
    for (const raw of ["%252e%252e%252fsecret.txt", "..%c0%afsecret.txt", "%c0%ae%c0%ae/secret.txt"]) {
      const refused = await files.refusedRaw("GET", `path=${raw}`);
      expect([400, 404]).toContain(refused.status);
    }
    expect(await files.refusedRaw("GET", "path=a.md&path=../secret.txt")).toMatchObject({
      status: 400,
      message: "query parameter path: given more than once",
    });
    expect(await files.refusedRaw("GET", "")).toEqual({
      status: 400,
      code: "invalid",
      message: "query parameter path: missing",
      details: { in: "query", field: "path", problem: "missing" },
    });
    expect(await files.refusedRaw("GET", "path=a.md&x=1")).toMatchObject({
      status: 400,
      code: "invalid",
      message: "query parameter x: unknown field",
    });
    expect(readFileSync(join(lab.data, "files/secret.txt"), "utf8")).toBe("secret");
    await refusal(
      files.put(".cairn-save-x", "x"),
      "invalid",
      "path: names that begin with .cairn-save- are reserved",
    );
  });

  test("reports a missing file, a missing directory, and one in place of the other", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    const missing = (message: string) => ({ status: 404, code: "not_found", message });
    expect(await files.refused("GET", "a.md")).toEqual(missing("file a.md: not found"));
    expect(await files.refusedList("sub")).toEqual(missing("directory sub: not found"));
    await files.put("sub/a.md", "x");
    expect(await files.refused("GET", "sub/b.md")).toEqual(missing("file sub/b.md: not found"));
    expect(await files.refused("GET", "no/b.md")).toEqual(missing("file no/b.md: not found"));
    const wrong = (message: string) => ({ status: 400, code: "invalid", message });
    expect(await files.refused("GET", "sub")).toEqual(wrong("sub: a directory, not a file"));
    expect(await files.refused("PUT", "sub", "x")).toEqual(wrong("sub: a directory, not a file"));
    expect(await files.refused("PUT", "sub/a.md/b", "x")).toEqual(
      wrong("sub/a.md/b: a part of the path is not a directory"),
    );
    expect(await files.refusedList("sub/a.md")).toEqual(
      wrong("sub/a.md: a part of the path is not a directory"),
    );
    expect(await files.list("")).toHaveLength(1);
  });

  test.if(process.platform !== "win32")("lists links outside and invalid names as not openable", async () => {
    await using lab = await world({ model: true });
    const files = fileClient(lab, lab.workspaceId);
    await files.put("a.md", "x");
    symlinkSync("/etc", join(files.directory, "etc"));
    writeFileSync(join(files.directory, "what?"), "x");
    mkdirSync(join(files.directory, "trailing."));
    const other = (name: string) => ({ name, path: name, kind: "other", size: null, modified_at: TIME });
    expect((await files.list()).filter((each) => each.kind === "other")).toEqual([
      other("etc"),
      other("trailing."),
      other("what?"),
    ]);
    const out = ["invalid", "etc/passwd: a link in the path leads out of the directory"] as const;
    await refusal(files.get("etc/passwd"), ...out);
    await refusal(files.put("etc/passwd", "x"), ...out);
  });
});

describe("who", () => {
  test("answers strangers exactly as if the workspace did not exist", async () => {
    await using lab = await world({ model: true });
    await fileClient(lab, lab.workspaceId).put("a.md", "x");
    const stranger = await lab.user("stranger");
    const theirs = fileClient(lab, lab.workspaceId, stranger.token);
    const none = fileClient(lab, 999, stranger.token);
    const hidden = (id: number) => ({
      status: 404,
      code: "not_found",
      message: `workspace ${id}: not found`,
    });
    for (const path of ["a.md", "../x", "missing"]) {
      expect(await theirs.refused("GET", path)).toEqual(hidden(lab.workspaceId));
      expect(await none.refused("GET", path)).toEqual(hidden(999));
      expect(await theirs.refused("PUT", path, "y")).toEqual(hidden(lab.workspaceId));
    }
    expect(await theirs.refused("PUT", "a.md", "x".repeat(FILE_BYTES_MAX + 1))).toEqual(
      hidden(lab.workspaceId),
    );
    expect(await theirs.refusedList("")).toEqual(hidden(lab.workspaceId));
    await refusal(fileClient(lab, lab.workspaceId, "cairn_wrong").put("a.md", "y"), "unauthenticated");
    expect(await fileClient(lab, lab.workspaceId).read("a.md")).toMatchObject({
      content: "x",
    });
  });
});

test("asks for access again just before a save takes effect", async () => {
  await using lab = await world({ model: true });
  const ann = await lab.user("ann");
  const team = await lab.share(ann);
  const files = fileClient(lab, lab.workspaceId, ann.token);
  await files.put("a.md", "one");
  const { replace } = Place.prototype;
  const lose = () => lab.admin.delete(`/teams/${team}/members/${ann.id}`);
  using replaced = spyOn(Place.prototype, "replace").mockImplementation(async function (
    this: Place,
    ...given
  ) {
    await lose();
    return replace.apply(this, given);
  });

  expect(await files.refused("PUT", "a.md", "two")).toEqual({
    status: 404,
    code: "not_found",
    message: `workspace ${lab.workspaceId}: not found`,
  });
  expect(replaced).toHaveBeenCalledTimes(1);
  expect(readdirSync(files.directory)).toEqual(["a.md"]);
  expect(readFileSync(join(files.directory, "a.md"), "utf8")).toBe("one");
});
