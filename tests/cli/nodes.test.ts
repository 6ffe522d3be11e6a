// Goal: on a machine with one of several nodes, the commands say how this node is, also while it follows another one, and a node in the background
// has the credentials of its shell.

import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Examination } from "../../src/context/doctor/doctor.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt, failure, stoppedContext } from "../kit/cli/cairn.ts";
import { configure } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { LogReader } from "../kit/log-reader.ts";
import { ScriptedStorage } from "../kit/object-storage.ts";

test("commands reach a node on standby that speaks TLS", async () => {
  await using storage = await ScriptedStorage.start();
  await using folder = await temporaryFolder();
  const { bucket, region, endpoint, credentials } = storage;
  const replication = { node: "two", bucket, region, endpoint };
  const config = { listen: { port: 0 }, tls: { enabled: true }, replication };
  await folder.write("server.yaml", Bun.YAML.stringify(config));
  const node = cairnAt(["--server-dir", folder.path], {
    environment: {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
  await node.printed("server", "tls", "gen", "--host", "localhost");
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await node.cairn("server", "stop")));
  const { url } = await node.data<{ url: string }>("server", "start", "--detach");
  expect(url).toStartWith("https://");
  expect(await node.data<object>("server", "status")).toMatchObject({ url, health: "standby" });
});

test("a node in the background leads, another follows it, and status, health and doctor say so", async () => {
  await using storage = await ScriptedStorage.start();
  await using first = await stoppedContext("blank");
  const { bucket, region, endpoint, credentials } = storage;
  const second = join(first.folder.path, "second");
  mkdirSync(second, { mode: 0o700 });
  cpSync(first.inside("server.yaml"), join(second, "server.yaml"));
  const environment = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const at = (directory: string, node: string) => {
    configure(directory, { listen: { port: 0 }, replication: { node, bucket, region, endpoint } });
    return cairnAt(["--server-dir", directory], { environment });
  };
  const [one, two] = [at(first.directory, "one"), at(second, "two")];
  const stop = async (node: typeof one) => void (await node.cairn("server", "stop"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => stop(one));
  expect(await first.said("server", "start", "--detach")).toEqual(
    failure(
      `the server did not start; see its log, ${first.inside("logs", "server.log")}, which ends with: Error: replication: the object storage needs credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the program starts`,
    ),
  );
  await one.printed("server", "start", "--detach");
  const statusOf = async (node: typeof one) =>
    (await node.data<{ health: string }>("server", "status")).health;
  await eventually(() => statusOf(one), "ok");
  stack.defer(() => stop(two));
  const found = async (node: typeof one, check: string) => {
    const { stdout } = await node.cairn("doctor", "--json");
    const { state, found: text } = (JSON.parse(stdout) as Examination).checks.find(
      (finding) => finding.check === check,
    )!;
    return [state, text];
  };
  // It has no data to restore.
  expect(await found(two, "database")).toEqual(["skipped", "this node has copied nothing yet"]);
  await eventually(async () => (await found(one, "replication"))[0], "ok");
  expect((await found(one, "replication"))[1]).toMatch(/^this node \("one"\) led last at entry \d+$/);
  cpSync(first.inside("secrets.key"), join(second, "secrets.key"));
  const { url } = await two.data<{ url: string }>("server", "start", "--detach");
  await eventually(() => statusOf(two), "standby");
  const nodeOf = async (node: typeof one) =>
    (await node.data<{ node: { leader: string | null; entry: number | null } }>("server", "status")).node;
  // It follows a snapshot.
  await until(async () => (await nodeOf(two)).entry !== null);
  expect(await nodeOf(two)).toEqual({
    name: "two",
    role: "standby",
    leader: "one",
    entry: expect.any(Number),
    leader_entry: expect.any(Number),
    silent_seconds: expect.any(Number),
    problem: null,
  } as never);
  expect(await nodeOf(one)).toEqual({ name: "one", role: "leader", leader: "one" } as never);
  const shown = await two.printed("server", "status");
  expect(shown).toMatch(/\nnode +two\nrole +standby\nleader +one\nbehind +\d entr(y|ies)\n$/);
  expect(await two.printed("server", "health")).toBe(`${url}: standby\n`);
  expect(await cairnAt([]).said("server", "health", "--server", url)).toEqual(failure(`${url}: standby`, 2));
  const { ok, checks } = await two.data<Examination>("doctor");
  expect([ok, checks.find(({ check }) => check === "health")]).toMatchObject([
    true,
    { state: "ok", found: "this node is on standby" },
  ]);
});

test("status leaves out the role of a node that changes it at this moment", async () => {
  await using folder = await temporaryFolder();
  let asked = 0;
  using node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname.endsWith("/whoami")
        ? Response.json({}, { status: (asked += 1) === 1 ? 200 : 401 })
        : Response.json({ status: "standby", version: "1.0.0", problems: [] }, { status: 503 }),
  });
  const { pid } = process;
  const url = node.url.origin;
  const door = { pid, url, token: "one", node: { name: "two", role: "standby" } };
  await folder.write("server.yaml", "");
  await folder.write("run/server.json", JSON.stringify(door));
  expect(await cairnAt(["--server-dir", folder.path]).data<object>("server", "status")).toEqual({
    directory: folder.path,
    running: true,
    pid,
    url,
    health: "standby",
  });
  expect(asked).toBe(2);
});

test("commands say that a server is starting, wait for it, and stop it", async () => {
  await using storage = await ScriptedStorage.start();
  await using server = await stoppedContext("blank");
  const { bucket, region, endpoint, credentials } = storage;
  configure(server.directory, {
    listen: { port: 0 },
    replication: { node: "one", bucket, region, endpoint },
  });
  const environment = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const at = cairnAt(["--server-dir", server.directory], { environment });
  const release = storage.hold({ on: ({ method }) => method === "DELETE" });
  const start = at.cairn("server", "start");
  const file = server.inside("run", "server.json");
  await until(() => existsSync(file));
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
  const says = `the server is starting (process ${pid}); try again shortly`;
  // Together, because the node waits for the storage for five seconds only.
  const [status, health, again, doctor] = await Promise.all([
    at.data<object>("server", "status"),
    at.refused("server", "health"),
    at.refused("server", "start"),
    at.cairn("doctor", "--json"),
  ]);
  expect(status).toEqual({ directory: server.directory, running: true, pid, url: null, health: "starting" });
  expect([health, again]).toEqual([failure(says, 2), failure(says)]);
  const { checks } = JSON.parse(doctor.stdout) as Examination;
  expect(checks.find(({ check }) => check === "run file")?.found).toBe(`process ${pid} is starting`);
  const commands = [
    ["file", "list"],
    ["audit", "verify"],
  ];
  const waiting = commands.map((words) => {
    const child = Bun.spawn([binaryPath("cairn"), ...words, "--server-dir", server.directory], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    return new LogReader(child.stderr);
  });
  for (const log of waiting)
    expect(await until(() => log.text)).toBe(
      `the server in ${server.directory} is starting; waiting for it\n`,
    );
  const stop = at.cairn("server", "stop");
  await until(() => existsSync(server.inside("run", `stop-${pid}`)));
  release();
  expect(await stop).toMatchObject({ exitCode: 0, stdout: "stopped the server\n" });
  expect((await start).exitCode).toBe(0);
  await Promise.all(waiting.map(({ ended }) => ended));
});
