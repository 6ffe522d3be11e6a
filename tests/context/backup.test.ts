// Goal: a backup taken under writes shows a single moment, and restoring it yields the server of that moment with every file, version, user, token,
// rule and webhook, except for new epochs.

import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { create, restore, type Made } from "../kit/context/backup-commands.ts";
import { membersOf } from "../kit/backup-members.ts";
import { peopleOf, spacesOf } from "../kit/context/backup-file.ts";
import { data, printed } from "../kit/cli/cairn.ts";
import { refusalOf } from "../kit/http/refusal.ts";
import { deny, filePath, type ContextClient } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import {
  auditRecords,
  runContext,
  serveContext,
  type RunningContext,
} from "../kit/context/running-context.ts";

const WRITERS = 6;

/** Fills a server with a sample of everything. */
async function furnish({ admin, cairn }: RunningContext): Promise<void> {
  await admin.post("/spaces", { name: "r-and-d", template: "team" });
  await admin.write("Überblick/日本語.md", "eins");
  await admin.write("Überblick/日本語.md", "zwei");
  await admin.write("gone.md", "one");
  await admin.write("gone.md", "two");
  await admin.raw("DELETE", filePath("gone.md"));
  await admin.write("destroyed.md", "secret once");
  await admin.write("destroyed.md", "not any more");
  await admin.raw("DELETE", `${filePath("destroyed.md", "versions")}?version=1`);
  await admin.write(
    "large.bin",
    new Uint8Array(3_000_000).map((_, index) => (index * 2_654_435_761) >>> 13),
  );
  await admin.post("/spaces/team/snapshots", { name: "before" });
  await admin.put("/spaces/team/sync", { "identity/": "always", "drafts/": "never" });
  await admin.put("/spaces/team/quotas", { max_files: 5_000 });
  await admin.post("/users", { name: "Ann", role: "contributor", spaces: ["team"] });
  await admin.put("/users/Ann/acl", { rules: [deny("secret/**", "read")] });
  await admin.post("/webhooks", { url: "http://127.0.0.1:9/hook", events: ["space.delete"] });
  await cairn("user", "add", "Bob", "--role", "viewer");
}

const peopleAt = async (admin: ContextClient) =>
  JSON.stringify(await Promise.all(["/users", "/users/Ann/acl", "/webhooks"].map((path) => admin.get(path))));

describe("create, verify, restore", () => {
  test("capture one complete moment under writes, which restores to the same server", async () => {
    await using folder = await temporaryFolder();
    await using server = await runContext({ config: { webhooks: { allow_private_targets: true } } });
    await furnish(server);
    const { admin } = server;
    const { token } = await admin.post("/users/Ann/tokens", { label: "kept" });
    const people = await peopleAt(admin);
    const stop = new AbortController();
    const written = Array.from({ length: WRITERS }, () => 0);
    const writers = written.map(async (_, writer) => {
      for (let i = 1; !stop.signal.aborted; i++) {
        await admin.write(`w${writer}/same.md`, `${writer} ${i}`);
        written[writer] = i;
      }
    });
    await eventually(() => written.every((count) => count > 5), true);
    const before = [...written];
    const made = await create(server, folder.path);
    const after = [...written];
    stop.abort();
    await Promise.all(writers);
    expect(statSync(made.file).mode & 0o077).toBe(0);
    expect(made.size).toBe(statSync(made.file).size);
    expect(readdirSync(folder.path)).toEqual([made.file.slice(folder.path.length + 1)]);
    // It contains what was acknowledged before, and nothing later.
    const verified = await data<Made>("backup", "verify", made.file);
    expect(verified).toMatchObject({ ok: true, sha256: made.sha256, spaces: made.spaces, audit: made.audit });
    const then = made.spaces.find(({ name }) => name === "team")!;
    const atThen = await admin.get(`/spaces/team/files?at=${then.head}`);
    await server.end("SIGTERM");

    const directory = join(folder.path, "restored");
    const restored = await restore(made.file, directory);
    expect(peopleOf(directory)).toEqual(peopleOf(server.directory));
    // A backup does not contain the key of the secrets; an operator keeps that file elsewhere and puts it back.
    expect(existsSync(join(directory, "secrets.key"))).toBe(false);
    copyFileSync(join(server.directory, "secrets.key"), join(directory, "secrets.key"));
    await using again = await serveContext(directory, server.bootstrap);
    expect(await peopleAt(again.admin)).toBe(people);
    expect((await again.as(token).raw("GET", filePath("gone.md"))).status).toBe(404);
    expect((await again.as(token).raw("GET", filePath("secret/a.md"))).status).toBe(403);
    const files = await again.admin.get("/spaces/team/files");
    expect(files).toEqual(atThen);
    for (const [writer, from] of before.entries()) {
      const path = `w${writer}/same.md`;
      const { version } = files.find((file) => file.path === path)!;
      expect(version).toBeGreaterThanOrEqual(from);
      expect(version).toBeLessThanOrEqual(after[writer]! + 1);
      expect(await again.admin.read(path)).toBe(`${writer} ${version}`);
      expect(readFileSync(join(directory, "spaces/team", path), "utf8")).toBe(`${writer} ${version}`);
    }
    expect(existsSync(join(directory, "auth"))).toBe(false);

    // A new history: a client of the old one gets an error.
    const head = restored.spaces.find(({ name }) => name === "team")!.head;
    expect(head.split(".")[1]).toBe(then.head.split(".")[1]!);
    const { status, code } = await refusalOf(
      again.admin.raw("GET", `/spaces/team/changes?since=${then.head}`),
    );
    expect([status, code]).toEqual([409, "epoch_changed"]);
    expect(await again.admin.get(`/spaces/team/changes?since=${head}`)).toMatchObject({ head });
    // The audit record continues and contains the restore.
    const records = auditRecords(directory);
    expect(records[made.audit.entries - 1]!.hash).toBe(made.audit.head);
    const next = records[made.audit.entries]!;
    expect([next.action, next.content_hash, next.actor.auth, next.result]).toEqual([
      "backup.restore",
      made.sha256,
      "local",
      "ok",
    ]);
    expect(await again.admin.get("/audit/verify")).toMatchObject({ ok: true, anchored: true });
    // The restored server accepts writes.
    expect((await again.admin.write("w0/same.md", "on")).version).toBe(
      files.find(({ path }) => path === "w0/same.md")!.version! + 1,
    );
  });

  test("at rest, every file, version, content, snapshot and rule is identical, even after a second round trip", async () => {
    await using folder = await temporaryFolder();
    await using server = await runContext({ config: { webhooks: { allow_private_targets: true } } });
    await furnish(server);
    const spaces = await spacesOf(server.admin);
    await server.end("SIGTERM");
    const first = await create(server, join(folder.path, "first.tar.zst"));
    await restore(first.file, join(folder.path, "one"));
    const out = ["--out", join(folder.path, "second.tar.zst"), "--server-dir", join(folder.path, "one")];
    const second = await data<Made>("backup", "create", ...out);
    await restore(second.file, join(folder.path, "two"));
    await using again = await serveContext(join(folder.path, "two"), server.bootstrap);
    expect(await spacesOf(again.admin)).toEqual(spaces);
    const actions = auditRecords(join(folder.path, "two")).map(({ action }) => action);
    // The audit record of a backup follows its completion, so the backup does not contain it.
    expect(actions.slice(-2)).toEqual(["backup.restore", "backup.restore"]);
  });

  test("a truncated database: the server reports it, and the backup restores it", async () => {
    await using folder = await temporaryFolder();
    await using server = await runContext();
    await server.admin.write("a.md", "kept");
    const made = await create(server, folder.path);
    await server.end("SIGTERM");
    const database = join(server.directory, "spaces/team/.cairn/space.db");
    writeFileSync(database, readFileSync(database).subarray(0, 5_000));
    const advice = expect.stringMatching(/restore a backup or move it away/);
    expect(await server.refused("file", "get", "a.md")).toEqual([1, advice]);
    const why = expect.stringMatching(/^Error: team: .*restore a backup/);
    expect(await server.refused("backup", "create", "--out", join(folder.path, "x"))).toEqual([1, why]);
    expect(readdirSync(folder.path)).toHaveLength(1);
    const directory = join(folder.path, "restored");
    await restore(made.file, directory);
    expect(await printed("file", "get", "a.md", "--server-dir", directory)).toBe("kept");
  });

  test("a server without spaces, and one with manual edits, which are counted and left out", async () => {
    await using folder = await temporaryFolder();
    await using server = await runContext();
    await server.admin.write("a.md", "recorded");
    writeFileSync(join(server.directory, "spaces/team/a.md"), "by hand");
    writeFileSync(join(server.directory, "spaces/team/new.md"), "by hand");
    const one = await create(server, join(folder.path, "one.tar.zst"));
    expect(one.spaces.map(({ left_out }) => left_out)).toEqual([{ modified: 1, untracked: 1 }]);
    expect(await printed("backup", "verify", one.file)).toContain(
      "not included: 2 files of team edited or added by hand (1 modified, 1 untracked)",
    );
    await restore(one.file, join(folder.path, "one"));
    expect(readFileSync(join(folder.path, "one/spaces/team/a.md"), "utf8")).toBe("recorded");
    expect(existsSync(join(folder.path, "one/spaces/team/new.md"))).toBe(false);
    await server.cairn("space", "delete", "team", "--yes");
    const none = await create(server, join(folder.path, "none.tar.zst"));
    expect(none.spaces).toEqual([]);
    // Into an existing directory, which is kept.
    mkdirSync(join(folder.path, "empty"));
    const { ino } = statSync(join(folder.path, "empty"));
    await restore(none.file, join(folder.path, "empty"));
    expect(statSync(join(folder.path, "empty")).ino).toBe(ino);
    await using again = await serveContext(join(folder.path, "empty"), server.bootstrap);
    expect(await again.admin.get<unknown>("/spaces")).toEqual([]);
  });
});

test("any tar with zstd reads it, and it contains nothing that should stay out", async () => {
  await using folder = await temporaryFolder();
  await using server = await runContext();
  const { file } = await create(server, folder.path);
  const names = (await membersOf(file)).map(({ name }) => name);
  expect(names).toEqual([
    "server.yaml",
    "server.db",
    "audit/audit.jsonl",
    "spaces/team/.cairn/space.yaml",
    "spaces/team/.cairn/space.db",
    "manifest.json",
  ]);
  if (!Bun.which("tar") || !Bun.which("zstd") || process.platform !== "linux") return;
  const listed = Bun.spawnSync(["tar", "--zstd", "-tf", file]);
  expect(listed.stdout.toString().trimEnd().split("\n")).toEqual(names);
});
