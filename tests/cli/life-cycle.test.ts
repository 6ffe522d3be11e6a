// Goal: a server starts once on its data, sleeps for nobody, stops in good order with what was begun finished, and at once when told twice;
// what a crash leaves behind misleads no command.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { eventually } from "../kit/eventually.ts";
import type { Outcome } from "../kit/binaries.ts";
import { failure, refused } from "../kit/cli/cairn.ts";
import type { Examination } from "../../src/context/doctor/doctor.ts";
import { runContext, type RunningContext } from "../kit/context/running-context.ts";
import { within } from "../kit/within.ts";

/** Commands that run one after the other while another one starts and looks. */
const LOOKS = 10;
const unix = describe.skipIf(process.platform === "win32");

interface HalfRequest {
  readonly socket: Socket;
  /** All that the server said, once it has closed the connection. */
  readonly said: Promise<string>;
}

/** A write of which only the first half has been sent. */
async function halfWrite(server: RunningContext, path: string): Promise<HalfRequest> {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const said = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  await within("the server accepts", new Promise((resolve) => socket.once("connect", resolve)));
  const head = `PUT /api/v1/spaces/team/files/${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.bootstrap}`;
  socket.write(`${head}\r\nContent-Length: 6\r\nConnection: close\r\n\r\none`);
  // A later request is answered: the server has read the first half by now.
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  return { socket, said };
}

const warnings = (server: RunningContext) =>
  server.log.filter(({ level }) => level === "warn").map(({ message }) => message);
const runFile = (server: RunningContext) => join(server.directory, "run", "server.json");

test("health names an address that cannot be one, and does not call it silent", async () => {
  expect(await refused("server", "health", "--server", "no address")).toEqual(
    failure('--server "no address": expected an address, for example https://context.example.org'),
  );
});

test.each(["0.0.0.0", "127.0.0.1"])(
  "commands reach a server at %s that answers for other names",
  async (address) => {
    const listen = { address, port: 0, allowed_hosts: ["cairn.example"] };
    await using server = await runContext({ config: { listen } });
    expect(await server.data<object>("server", "status")).toMatchObject({ running: true, health: "ok" });
    const { port } = new URL(server.url);
    const asked = await fetch(`http://127.0.0.1:${port}/health`, { headers: { Host: "other.example" } });
    expect(asked.status).toBe(421);
  },
);

unix("signals", () => {
  test("a server that is suspended answers nobody, and status and health say so soon", async () => {
    await using server = await runContext();
    process.kill(server.pid, "SIGSTOP");
    const [status, health, doctor] = await Promise.all([
      server.data<object>("server", "status"),
      server.said("server", "health"),
      server.cairn("doctor", "--json"),
    ]);
    expect(status).toMatchObject({ running: true, pid: server.pid, health: "does not answer" });
    expect(health).toEqual(failure(`${server.url}: does not answer`, 2));
    const { ok, checks } = JSON.parse(doctor.stdout) as Examination;
    const stateOf = (name: string) => checks.find(({ check }) => check === name);
    expect([ok, stateOf("health"), stateOf("audit record")?.found]).toMatchObject([
      false,
      { state: "fail", found: `the server (process ${server.pid}) does not answer` },
      "the running server does not answer",
    ]);
  });

  test("Ctrl+Z is ignored on purpose, and the log says so", async () => {
    await using server = await runContext();
    process.kill(server.pid, "SIGTSTP");
    await eventually(
      () => warnings(server),
      ["Ctrl+Z is ignored: a suspended server cannot respond; stop it with Ctrl+C"],
    );
    expect((await server.admin.write("a.md", "one")).version).toBe(1);
    expect(await server.end("SIGINT")).toEqual({ exitCode: 0, signal: null });
  });

  test("SIGTERM: what was begun is finished and answered, streams end, nobody else comes in", async () => {
    await using server = await runContext();
    await using stream = await server.admin.events("/events");
    const { socket, said } = await halfWrite(server, "late.md");
    process.kill(server.pid, "SIGTERM");
    await stream.all();
    await expect(fetch(`${server.url}/health`)).rejects.toMatchObject({
      code: expect.stringMatching(/refused/i),
    });
    socket.write("two");
    expect(await within("the connection closes", said)).toStartWith("HTTP/1.1 201 ");
    expect(await server.end("SIGCONT")).toEqual({ exitCode: 0, signal: null });
    expect(warnings(server)).toEqual([]);
    expect(server.log.at(-1)!.message).toBe("stopped");
    expect(await server.printed("file", "get", "late.md")).toBe("onetwo");
  });

  test("a client that never finishes holds a stop up no longer than the limit", async () => {
    await using server = await runContext();
    const { socket } = await halfWrite(server, "never.md");
    expect(await server.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
    expect(warnings(server)).toEqual(["background work did not finish before the deadline"]);
    socket.destroy();
  });

  for (const second of ["SIGTERM", "SIGINT"] as const)
    test(`${second} after SIGTERM ends it at once, and the next start finds everything in order`, async () => {
      await using server = await runContext();
      await server.admin.write("a.md", "one");
      const { socket } = await halfWrite(server, "never.md");
      process.kill(server.pid, "SIGTERM");
      await eventually(() => server.log.some(({ message }) => message === "stopping"), true);
      // Without the second signal it would wait for the client, and end with 0.
      expect(await server.end(second)).toEqual({ exitCode: 1, signal: null });
      socket.destroy();
      await server.start();
      expect(await server.admin.read("a.md")).toBe("one");
    });
});

/** Fails for a server that does not run, with the same data. */
async function statusOf(server: RunningContext) {
  const { stdout, exitCode } = await server.cairn("server", "status", "--json");
  return { ...(JSON.parse(stdout) as { running: boolean; pid: number | null }), exitCode };
}

describe("commands", () => {
  test("a second start on the same data is refused, and disturbs nothing", async () => {
    await using server = await runContext();
    const before = readFileSync(runFile(server), "utf8");
    const says = `Error: the server is already running (process ${server.pid}, ${server.url})\n`;
    expect(await server.refused("server", "start")).toEqual([1, says]);
    // Without the run file the lock of the data still says so.
    writeFileSync(runFile(server), "{}");
    const [exitCode, locked] = await server.said("server", "start", "--json");
    expect([exitCode, JSON.parse(locked).error.code]).toEqual([1, "conflict"]);
    expect(locked).toContain("is in use by another process");
    writeFileSync(runFile(server), before);
    expect((await server.cairn("server", "health")).exitCode).toBe(0);
  });
});

unix("commands", () => {
  test("stop: waits for the end, also when it is asked twice; then there is nothing to stop", async () => {
    await using server = await runContext();
    const { socket, said } = await halfWrite(server, "late.md");
    const first = server.cairn("server", "stop", "--json");
    await eventually(() => server.log.some(({ message }) => message === "stopping"), true);
    const running = async () => (await statusOf(server)).running;
    await eventually(running, false);
    const second = server.cairn("server", "stop");
    // Long enough for the second to have looked; both wait for what follows.
    for (let look = 0; look < LOOKS; look++) expect(await running()).toBe(false);
    socket.write("two");
    expect(await within("the connection closes", said)).toStartWith("HTTP/1.1 201 ");
    expect(JSON.parse((await first).stdout)).toEqual({ pid: server.pid, stopped: true });
    expect(await second).toMatchObject({ exitCode: 0, stdout: "stopped the server\n" });
    expect(await server.end("SIGCONT")).toEqual({ exitCode: 0, signal: null });
    const none = `Error: ${server.directory}: the server is not running\n`;
    expect(await server.refused("server", "stop")).toEqual([1, none]);
  });

  test("stop: several at once do not hurry the server", async () => {
    await using server = await runContext();
    const stops = await Promise.all([1, 2, 3].map(() => server.cairn("server", "stop")));
    // One that looks when the server has ended is told so.
    const told = (one: Outcome) => one.exitCode === 0 || one.stderr.endsWith(": the server is not running\n");
    expect(stops.filter((one) => !told(one))).toEqual([]);
    expect(await server.end("SIGCONT")).toEqual({ exitCode: 0, signal: null });
    expect(server.log.at(-1)).toMatchObject({ message: "stopped" });
    expect(readdirSync(join(server.directory, "run"))).toEqual([]);
  });

  test("a run file that a crash left is not believed, also when another process has its number by now", async () => {
    await using server = await runContext();
    await server.admin.write("a.md", "one");
    await server.end("SIGKILL");
    expect(existsSync(runFile(server))).toBe(true);
    const left = JSON.parse(readFileSync(runFile(server), "utf8")) as Record<string, unknown>;
    // Ours lives, and must survive what follows.
    for (const pid of [left.pid, process.pid, 0, -1]) {
      mkdirSync(join(server.directory, "run"), { recursive: true });
      writeFileSync(runFile(server), JSON.stringify({ ...left, pid }));
      expect((await server.said("server", "stop"))[1]).toEndWith(": the server is not running\n");
      expect(await statusOf(server)).toMatchObject({ running: false, pid: null, exitCode: 1 });
      expect((await server.cairn("file", "get", "a.md")).stdout).toBe("one");
    }
    await server.start();
    expect(await server.admin.read("a.md")).toBe("one");
  });

  test("start --detach stays when its shell goes, and stop ends it", async () => {
    await using server = await runContext();
    await server.end("SIGTERM");
    const made = await server.data<{ pid: number; url: string }>("server", "start", "--detach");
    try {
      expect((await fetch(`${made.url}/health`)).status).toBe(200);
      expect(await server.printed("server", "logs")).toContain("listening");
    } finally {
      expect(await statusOf(server)).toMatchObject({ running: true, pid: made.pid, exitCode: 0 });
      const stopped = await server.data<object>("server", "stop");
      expect(stopped).toEqual({ pid: made.pid, stopped: true });
    }
  });
});
