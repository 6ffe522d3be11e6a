// Goal: the compiled server applies changes from the command line from the next request, loses no acknowledged write when killed, and shuts down
// cleanly on a signal.

import { describe, expect, test } from "bun:test";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Audit } from "../../src/context/audit/audit.ts";
import { verifyAuditFile } from "../../src/context/audit/verify.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { silent } from "../kit/silent.ts";
import { refusal, refusalOf } from "../kit/http/refusal.ts";
import { failure } from "../kit/cli/cairn.ts";
import { eventually } from "../kit/eventually.ts";
import { auditRecords, runContext } from "../kit/context/running-context.ts";
import { compiledWorld } from "../kit/service/world.ts";

describe("the command line next to a running server", () => {
  test("users, roles, tokens and rules apply from the next request and are audited as the local operator", async () => {
    await using server = await runContext();
    const { token } = await server.data<{ token: string }>("user", "add", "Ann", "--role", "viewer");
    const ann = server.as(token);
    const write = async () => (await ann.raw("PUT", "/spaces/team/files/a.md", { body: "x" })).status;
    expect(await write()).toBe(403);
    await server.printed("user", "role", "Ann", "contributor");
    expect(await write()).toBe(201);
    await server.printed("acl", "deny", "Ann", "team/**", "--can", "update,delete");
    expect((await ann.raw("PUT", "/spaces/team/files/a.md", { body: "y" })).status).toBe(403);
    expect((await ann.raw("GET", "/spaces/team/files/a.md")).status).toBe(200);
    await server.printed("user", "disable", "Ann");
    expect((await ann.raw("GET", "/spaces")).status).toBe(401);
    const records = auditRecords(server.directory);
    const local = records.filter(({ actor }) => actor.auth === "local" && actor.address === "127.0.0.1");
    expect(local.map(({ action, target, result }) => `${action} ${target} ${result}`)).toEqual([
      "user.add Ann ok",
      "user.role Ann ok",
      "acl.change Ann ok",
      "user.disable Ann ok",
    ]);
  });

  test("--space may repeat and refuses unknown spaces; rules added concurrently are all kept", async () => {
    await using server = await runContext();
    await server.printed("space", "create", "other", "--template", "blank");
    const add = "user add Ann --role viewer --space team --space".split(" ");
    expect(await server.said(...add, "taem")).toEqual(failure('spaces: unknown space "taem"'));
    await server.data(...add, "other");
    expect((await server.admin.get("/users/Ann")).spaces).toEqual(["team", "other"]);
    const paths = ["a/**", "b/**", "c/**", "d/**"].map((path) => `team/${path}`);
    await Promise.all(paths.map((path) => server.printed("acl", "deny", "Ann", path)));
    const { rules, revision } = await server.admin.get("/users/Ann/acl");
    expect(rules.map(({ path }) => path).toSorted()).toEqual(paths);
    await server.admin.put("/users/Ann/acl", { rules: rules.slice(1), revision });
    const stale = await refusalOf(server.admin.put("/users/Ann/acl", { rules, revision }));
    expect(stale).toMatchObject({ code: "stale", details: { current: expect.any(String) } });
  });

  test("a put has the usual checks: a secret is refused, a stale version gives exit code 3", async () => {
    await using server = await runContext();
    const source = join(server.directory, "note.txt");
    const put = async (text: string, ...flags: string[]) => {
      await Bun.write(source, text);
      return server.said("file", "put", "note.md", "--from", source, ...flags);
    };
    expect(await put("first")).toEqual([0, ""]);
    const secret = expect.stringContaining("line 1 looks like a secret (AWS access key)");
    expect(await put(`key: AKIA${"Q".repeat(16)}`)).toEqual([1, secret]);
    const stale = expect.stringContaining("expected v7, but the current version is v1");
    expect(await put("second", "--if-version", "v7")).toEqual([3, stale]);
    expect(await server.admin.read("note.md")).toBe("first");
  });
});

test("killed while writing, it loses no acknowledged write, and the audit record is intact", async () => {
  await using server = await runContext();
  const acknowledged: string[] = [];
  const { admin } = server;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; ; i++) {
      const path = `w${writer}/f${i}.md`;
      try {
        await admin.write(path, path);
      } catch {
        return;
      }
      acknowledged.push(path);
      if (acknowledged.length === 200) process.kill(server.pid, "SIGKILL");
    }
  });
  await Promise.all(writers);
  await server.end("SIGKILL");
  await server.start();
  for (const path of acknowledged) expect(await server.admin.read(path)).toBe(path);
  await using stream = await server.admin.events("/events?after=0");
  await server.admin.write("end.md", "x");
  await stream.until(({ data }) => data.path === "end.md");
  const told = stream.seen.filter(({ type }) => type === "file.write").map(({ data }) => data.path as string);
  expect(new Set(told).size).toBe(told.length);
  expect(acknowledged.filter((path) => !told.includes(path))).toEqual([]);
  expect(verifyAuditFile(join(server.directory, "audit", "audit.jsonl")).ok).toBe(true);
  const recorded = new Set(auditRecords(server.directory).map((record) => record.target));
  expect(acknowledged.filter((path) => !recorded.has(path))).toEqual([]);
});

test("shuts down cleanly on a signal: ends streams, removes the local door, anchors the audit record", async () => {
  await using server = await runContext();
  await server.admin.write("a.md", "one");
  await using stream = await server.admin.events("/events");
  const ended = stream.all();
  expect(existsSync(join(server.directory, "run", "server.json"))).toBe(true);
  expect(await server.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
  await ended;
  expect(existsSync(join(server.directory, "run", "server.json"))).toBe(false);
  expect(await server.printed("audit", "verify", "--json")).toContain('"anchored": true');
  // The same commands work on the same data without a server.
  expect(await server.printed("file", "get", "a.md")).toBe("one");
});

test.skipIf(process.platform !== "linux")(
  "if the audit file cannot grow, logs it, tears no line and keeps working",
  async () => {
    await using server = await runContext();
    await server.end("SIGTERM");
    const path = join(server.directory, "audit", "audit.jsonl");
    const fileKiBMax = 3072;
    await fill(server.directory, path, fileKiBMax * 1024 - 200);
    await server.start({ fileKiBMax });
    expect((await server.admin.write("a.md", "one")).version).toBe(1);
    expect((await server.admin.write("a.md", "two")).version).toBe(2);
    expect(await server.admin.read("a.md")).toBe("two");
    const failed = () => server.log.filter(({ message }) => message === "cannot write an audit record");
    // The log line comes one turn after the response.
    await eventually(
      () => failed().map(({ level, action }) => [level, action]),
      [
        ["error", "file.write"],
        ["error", "file.write"],
      ],
    );
    const health = async () =>
      (await fetch(`${server.url}/health`).then((one) => one.json() as Promise<{ status: string }>)).status;
    await eventually(health, "degraded");
    // Room again, although nobody changes anything.
    const room = ["prlimit", "--pid", String(server.pid), "--fsize=unlimited"];
    if (Bun.spawnSync(room).success) {
      await eventually(health, "ok");
      const lost = auditRecords(server.directory).filter(({ action }) => action === "audit.lost");
      expect(lost).toMatchObject([
        {
          target: "2",
          result: "error",
          error: expect.stringContaining("the next start writes those of changes (2)"),
        },
      ]);
    }
    expect(await server.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
    expect(verifyAuditFile(path)).toMatchObject({ ok: true, problem: null });
    // With room again, the chain continues.
    await server.start();
    await server.admin.write("a.md", "three");
    expect(await server.admin.get("/audit/verify")).toMatchObject({ ok: true, anchored: true });
  },
);

/** Adds records until the next one would exceed this many bytes. */
async function fill(directory: string, path: string, bytes: number): Promise<void> {
  const db = openDatabase(join(directory, "server.db"));
  const audit = new Audit({ path, db, clock: systemClock, log: silent });
  audit.open();
  const add = (characters: number) =>
    audit.record(null, { action: "file.write", target: "x".repeat(characters) });
  add(1);
  const smallest = JSON.stringify(auditRecords(directory).at(-1)).length + 8;
  while (statSync(path).size < bytes - 2 * (smallest + 1_900)) add(1_900);
  while (statSync(path).size < bytes - smallest) add(1);
  await audit.close();
  db.close();
}

test.skipIf(process.platform === "win32")(
  "files with credentials are accessible only to their owner",
  async () => {
    await using server = await runContext();
    const modes =
      "server.yaml server.db auth/bootstrap_admin.token run/server.json audit/audit.jsonl spaces/team/.cairn/space.db";
    for (const name of modes.split(" "))
      expect([name, statSync(join(server.directory, name)).mode & 0o077]).toEqual([name, 0]);
    await refusal(server.as("cairn_x").raw("GET", "/spaces"), "unauthenticated");
  },
);

test("without its database, a server does not start afresh next to an existing audit record", async () => {
  await using server = await runContext();
  await server.admin.write("a.md", "kept");
  await server.end("SIGTERM");
  for (const name of ["server.db", "server.db-wal", "server.db-shm"])
    rmSync(join(server.directory, name), { force: true });
  const missing = expect.stringContaining(`${server.directory}/server.db is missing`);
  expect(await server.said("server", "start")).toEqual([1, missing]);
  expect(existsSync(join(server.directory, "server.db"))).toBe(false);
  rmSync(join(server.directory, "audit"), { recursive: true });
  await server.start();
  await refusal(server.admin.raw("GET", "/spaces"), "unauthenticated");
  expect((await server.cairn("file", "get", "a.md")).stdout).toBe("kept");
});

test("the compiled programs contain their workers: a diff, a secret in a large text, and token counts", async () => {
  await using server = await runContext();
  const { admin } = server;
  const lines = (mark: string) => Array.from({ length: 5_000 }, (_, index) => `${mark} ${index}`).join("\n");
  await admin.write("a.md", lines("old"));
  await admin.write("a.md", lines("new"));
  expect(await admin.get("/spaces/team/diff/a.md")).toMatchObject({ coarse: true, added: 5_000 });
  const key = `${lines("text")}\nAKIAQWERTYUIOPASDFGH`;
  const refused = await refusalOf(admin.raw("PUT", "/spaces/team/files/b.md", { body: key }));
  expect(refused).toMatchObject({ code: "secret_found", details: { line: 5_001 } });
  const shown = await server.printed("file", "diff", "a.md");
  expect(shown).toStartWith("The versions differ too much to compare line by line;");
  await using service = await compiledWorld({ model: "silent" });
  await service.enter((await service.workspace("w")).id);
  const { tokens } = await service.admin.get(`/agents/${service.orchestratorId}/prompt`);
  expect(tokens).toBeGreaterThan(100);
});
