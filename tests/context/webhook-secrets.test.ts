// Goal: webhook secrets are stored only encrypted, even those of an earlier build, and no backup contains the key; without it, the hook reports it.

import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { createHmac } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../../src/context/main.ts";
import { restoreServer } from "../../src/context/restore-server.ts";
import { contextClient, contextServer, type ContextClient } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { hookReceiver, type Received } from "../kit/context/hook-receiver.ts";

const quiet = { format: "json" as const, write: () => {} };

const isSigned = ({ body, headers }: Received, secret: string) =>
  headers.get("x-service-signature") === `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

const filesBelow = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Returns the files that contain one of the texts. */
const holding = (directory: string, texts: readonly string[]) =>
  filesBelow(directory)
    .filter((path) => texts.some((text) => readFileSync(path).includes(text)))
    .map((path) => path.slice(directory.length + 1));

const addHook = (admin: ContextClient, url: string) => admin.post("/webhooks", { url, events: ["file.*"] });
const problemOf = async (admin: ContextClient) => (await admin.get("/webhooks"))[0]!.problem;

test("no file contains a secret; the key is created with the first one, accessible only to its owner", async () => {
  await using hooks = hookReceiver();
  await using server = await contextServer({ outbound: hooks.outbound });
  const key = join(server.directory, "secrets.key");
  expect(existsSync(key)).toBe(false);
  const hook = await addHook(server.admin, hooks.url());
  expect(statSync(key).mode & 0o777).toBe(0o600);
  await server.admin.write("a.md", "x");
  await eventually(() => hooks.got.length, 1);
  const rotated = await server.admin.post(`/webhooks/${hook.id}/secret`);
  expect(rotated.secret).not.toBe(hook.secret);
  const secrets = [hook.secret, rotated.secret];
  expect(holding(server.directory, secrets)).toEqual([]);
  await server.restart();
  expect(holding(server.directory, secrets)).toEqual([]);
  await server.admin.write("b.md", "x");
  await eventually(() => hooks.got.length, 2);
  expect(hooks.got.map((one) => secrets.map((secret) => isSigned(one, secret)))).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("the key may be elsewhere", async () => {
  await using folder = await temporaryFolder();
  const secrets_key = join(folder.path, "keys", "cairn.key");
  await using server = await contextServer({ config: { secrets_key } });
  await addHook(server.admin, "http://93.184.215.14/");
  expect([existsSync(secrets_key), existsSync(join(server.directory, "secrets.key"))]).toEqual([true, false]);
});

test("a backup contains neither secret nor key; a restored hook reports that it cannot sign until it gets the key or a new secret", async () => {
  await using hooks = hookReceiver();
  await using folder = await temporaryFolder();
  await using server = await contextServer({ outbound: hooks.outbound });
  const hook = await addHook(server.admin, hooks.url());
  const door = JSON.parse(readFileSync(join(server.directory, "run", "server.json"), "utf8"));
  const operator = server.as(door.token);
  const file = join(folder.path, "backup.tar.zst");
  const { id } = await operator.post("/backups", { path: file });
  await eventually(async () => (await operator.get(`/backups/${id}`)).state, "done");
  const archive = Buffer.from(Bun.zstdDecompressSync(readFileSync(file)));
  const key = readFileSync(join(server.directory, "secrets.key"), "utf8").trim();
  expect([archive.includes(hook.secret), archive.includes(key)]).toEqual([false, false]);

  const directory = join(folder.path, "restored");
  const asked = { file, directory, audit: "whole" as const };
  const restoring = { log: quiet, signal: new AbortController().signal, onProgress: () => {} };
  const made = await restoreServer(asked, restoring);
  expect(made.sealed).toEqual({ webhooks: 1, key_file: join(directory, "secrets.key") });
  const options = { directory, log: quiet, port: 0, outbound: hooks.outbound };
  let running = await startServer(options);
  const admin = () => contextClient(running.url, server.bootstrap);
  const problem = `cannot decrypt its secret with ${made.sealed.key_file}; restore that key file, or replace the secret (cairn webhook rotate-secret ${hook.id})`;
  expect(await problemOf(admin())).toBe(problem);
  await admin().write("a.md", "x");
  const latest = async () => {
    const [one] = await admin().get(`/webhooks/${hook.id}/deliveries`);
    return one && [one.state, one.tries, one.error];
  };
  await eventually(latest, ["failed", 4, problem]);
  expect(hooks.got).toEqual([]);

  const rotated = await admin().post(`/webhooks/${hook.id}/secret`);
  expect(rotated.problem).toBeNull();
  await admin().write("b.md", "x");
  await eventually(() => hooks.got.map((one) => isSigned(one, rotated.secret)), [true]);
  await running.stop("the test restores again");

  rmSync(directory, { recursive: true });
  await restoreServer(asked, restoring);
  copyFileSync(join(server.directory, "secrets.key"), made.sealed.key_file);
  running = await startServer(options);
  expect(await problemOf(admin())).toBeNull();
  await admin().write("c.md", "x");
  await eventually(() => hooks.got.slice(1).map((one) => isSigned(one, hook.secret)), [true]);
  await running.stop("the test is over");
});

test("secrets that an earlier build stored in plain text are encrypted at startup and gone from every file", async () => {
  await using hooks = hookReceiver();
  await using server = await contextServer({ outbound: hooks.outbound });
  const hook = await addHook(server.admin, hooks.url());
  const secret = "an-old-secret-in-the-clear-0123456789";
  await server.restart((directory) => {
    using db = new Database(join(directory, "server.db"));
    db.run("UPDATE webhooks SET secret = ? WHERE id = ?", [secret, hook.id]);
    db.run("DROP INDEX webhook_deliveries_waiting");
    for (const column of ["dropped", "spaces"]) db.run(`ALTER TABLE webhooks DROP COLUMN ${column}`);
    for (const table of ["console_sessions", "stale_documents"]) db.run(`DROP TABLE ${table}`);
    db.run("ALTER TABLE audit_anchor DROP COLUMN closed");
    db.run("DROP TABLE audit_pending");
    db.run("DROP TABLE space_deeds");
    db.run("ALTER TABLE event_sources DROP COLUMN first");
    db.run("DELETE FROM migrations WHERE name >= '005'");
    expect(holding(directory, [secret])).toContain("server.db-wal");
  });
  expect(holding(server.directory, [secret])).toEqual([]);
  expect(readdirSync(server.directory).some((name) => name.includes("before-upgrade"))).toBe(true);
  expect(server.log.map(({ message }) => message)).toContain(
    "webhook secrets are now encrypted; delete earlier copies of the database, which hold them in the clear",
  );
  await server.admin.write("a.md", "x");
  await eventually(() => hooks.got.map((one) => isSigned(one, secret)), [true]);
});
