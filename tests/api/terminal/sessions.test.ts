// Goal: a terminal is a shell in a throwaway container with bounded buffers, which ends for every possible reason and leaves nothing.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AuditRecord } from "../../../src/service/audit/schema.ts";
import { eventually, until } from "../../kit/eventually.ts";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";
import { world } from "../../kit/service/world.ts";
import {
  connectTerminal,
  handOver,
  ISOLATED,
  terminalOffice,
  type TerminalOffice,
} from "../../kit/service/terminal.ts";
import { refusal } from "../../kit/http/refusal.ts";

const TIMEOUT_MS = 20_000;
let docker: TestDocker | undefined;
beforeAll(async () => {
  docker = await startDocker();
}, DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

/** Skipped without docker, which `startDocker` has reported. */
function dockerTest(name: string, run: (docker: TestDocker) => Promise<void>): void {
  test(name, async () => (docker ? run(docker) : undefined), TIMEOUT_MS);
}

const records = (at: TerminalOffice, count: number): Promise<AuditRecord[]> =>
  until(async () => {
    const all = (await at.admin.get("/audit")).filter(({ action }) => action.startsWith("terminal."));
    return all.length >= count ? all.toReversed() : undefined;
  });

/** Waits until the container of an ended session is gone. */
const expectGone = (on: TestDocker, name: string): Promise<void> =>
  eventually(() => on.docker("ps", "--all", "--quiet", "--filter", `name=${name}`), "");

async function nameOf(at: TerminalOffice): Promise<string> {
  return String((await records(at, 1)).at(-1)!.detail["session"]);
}

describe("terminal", () => {
  dockerTest(
    "gives a shell with read-only workspace files and no network or capabilities, and records it",
    async (on) => {
      await using at = await terminalOffice(on);
      const mia = await at.user("mia", "admin");
      const workspace = await at.workspace("lab", mia);
      await at.admin.raw("PUT", `/workspaces/${workspace.id}/file?path=notes/a.txt`, {
        body: "hello file",
        headers: { "Content-Type": "text/plain" },
      });
      await handOver(at, workspace.id);
      const terminal = await connectTerminal(at.url, `/workspaces/${workspace.id}/terminal`, {
        Authorization: `Bearer ${mia.token}`,
      });
      terminal.resize(100, 40);
      // The docker client sets the size shortly after the shell starts.
      terminal.type(`until [ "$(stty size)" = "40 100" ]; do sleep 0.05; done; echo sized\n`);
      await terminal.says(/\rsized\r/);
      terminal.resize(120, 30);
      terminal.type(`until [ "$(stty size)" = "30 120" ]; do sleep 0.05; done; echo resized\n`);
      await terminal.says(/\rresized\r/);
      terminal.type(
        "echo uid-$(id -u)-; pwd; cat notes/a.txt; echo; tty; stty size; ls /sys/class/net; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status\n",
      );
      await terminal.says(/NoNewPrivs:\s+1\r/);
      expect(terminal.text()).toMatch(/\ruid-[1-9][0-9]*-\r|\nuid-[1-9][0-9]*-\r/);
      expect(terminal.text()).toMatch(
        /\/workspace\r\nhello file\r\n\/dev\/pts\/0\r\n30 120\r\nlo\r\nCapEff:\t0{16}\r\nCapBnd:\t0{16}\r\nNoNewPrivs:\t1\r/,
      );
      expect(await at.admin.get("/terminal/status")).toMatchObject({ sessions: 1 });
      terminal.type(
        "echo x > /workspace/x; echo x > /etc/x; echo y > /tmp/y && echo kept $(cat /tmp/y); exit\n",
      );
      expect(await terminal.closed).toEqual({ code: 1000, reason: "the shell ended" });
      expect(terminal.text().match(/Read-only file system/g)).toHaveLength(2);
      expect(terminal.text()).toContain("kept y");
      const [start, end] = await records(at, 2);
      expect([start!.action, start!.actor, start!.auth, start!.target]).toEqual([
        "terminal.start",
        "mia",
        "token",
        `workspace:${workspace.id}`,
      ]);
      expect([end!.action, end!.actor, end!.auth, end!.detail]).toEqual([
        "terminal.end",
        "mia",
        "token",
        {
          session: start!.detail["session"]!,
          seconds: expect.any(Number) as number,
          reason: "the shell ended",
        },
      ]);
      expect(end!.address).toBe("127.0.0.1");
      await expectGone(on, String(start!.detail["session"]));
    },
  );

  dockerTest("runs an admin's terminal without files, as nobody", async (on) => {
    await using at = await terminalOffice(on);
    const terminal = await connectTerminal(at.url, "/terminal");
    terminal.type("id -u; pwd; ls /workspace; exit\n");
    await terminal.closed;
    expect(terminal.text()).toMatch(/65534\r\n\/tmp\r\nls: cannot access '\/workspace'/);
  });

  dockerTest("ends the shell, its processes and the container when the viewer leaves", async (on) => {
    await using at = await terminalOffice(on);
    const terminal = await connectTerminal(at.url, "/terminal");
    terminal.type("sleep 1000 & echo started\n");
    await terminal.says(/\rstarted\r|\nstarted\r/);
    const name = await nameOf(at);
    terminal.socket.close();
    expect((await records(at, 2))[1]!.detail["reason"]).toBe("the connection was closed");
    await expectGone(on, name);
  });

  dockerTest("leaves nothing behind if the viewer leaves while the container is created", async (on) => {
    await using at = await terminalOffice(on);
    const terminal = await connectTerminal(at.url, "/terminal");
    terminal.socket.close();
    await records(at, 2);
    await expectGone(on, await nameOf(at));
  });

  dockerTest("ends a session after 30 idle minutes", async (on) => {
    const clock = manualClock();
    await using at = await terminalOffice(on, { clock });
    const terminal = await connectTerminal(at.url, "/terminal");
    terminal.type("echo ready\n");
    await terminal.says(/\rready\r/);
    clock.advance(29 * MINUTE_MS);
    terminal.type("echo still\n");
    // Wait for the prompt, because later output would count as activity.
    await terminal.says(/\rstill\r\n.*\$ $/s);
    clock.advance(30 * MINUTE_MS);
    expect(await terminal.closed).toEqual({ code: 1000, reason: "nothing happened for 30 minutes" });
    expect((await records(at, 2))[1]!.detail).toMatchObject({ seconds: 59 * 60 });
  });

  dockerTest("ends a session at once when rights are revoked", async (on) => {
    await using at = await terminalOffice(on);
    const ada = await at.user("ada", "admin");
    const workspace = await at.workspace("lab");
    await handOver(at, workspace.id);
    const path = `/workspaces/${workspace.id}/terminal`;
    const headers = { Authorization: `Bearer ${ada.token}` };
    const inWorkspace = await connectTerminal(at.url, path, headers);
    const own = await connectTerminal(at.url, "/terminal", headers);
    const kept = await connectTerminal(at.url, path);
    await at.admin.patch(`/users/${ada.id}`, { role: "member" });
    for (const { closed } of [own, inWorkspace])
      expect(await closed).toEqual({ code: 1008, reason: "you may no longer use this terminal" });
    expect(kept.socket.readyState).toBe(WebSocket.OPEN);
    await at.admin.delete(`/workspaces/${workspace.id}`);
    expect(await kept.closed).toEqual({ code: 1008, reason: "you may no longer use this terminal" });
  });

  dockerTest("ends a session on stop, and waits for its container to be removed", async (on) => {
    await using at = await terminalOffice(on);
    const terminal = await connectTerminal(at.url, "/terminal");
    terminal.type("echo ready\n");
    await terminal.says(/\rready\r/);
    const name = await nameOf(at);
    await at.program.service.stop("test");
    expect(await terminal.closed).toEqual({ code: 1001, reason: "the service is stopping" });
    expect(await on.docker("ps", "--all", "--quiet", "--filter", `name=${name}`)).toBe("");
  });

  dockerTest("removes leftovers of a crash at the next start, before the first shell", async (on) => {
    await using at = await terminalOffice(on);
    const first = await connectTerminal(at.url, "/terminal");
    first.type("exit\n");
    await first.closed;
    const [start] = await records(at, 1);
    await expectGone(on, String(start!.detail["session"]));
    const label = await labelOf(on, at);
    await on.docker("create", "--name", `left-${process.pid}`, "--label", label, on.images.bash, "true");
    await at.program.service.stop("test");
    await using again = await world({ data: at.data, sandbox: ISOLATED, environment: on.environment });
    const second = await connectTerminal(again.url, "/terminal");
    second.type("exit\n");
    await second.closed;
    expect(await on.docker("ps", "--all", "--quiet", "--filter", `name=left-${process.pid}`)).toBe("");
  });

  dockerTest("ends a session for an invalid text frame and for too much input", async (on) => {
    await using at = await terminalOffice(on);
    const texts = [
      "{",
      '{"type":"resize","cols":0,"rows":1}',
      '{"type":"resize","cols":1,"rows":1,"more":1}',
      '{"type":"exec"}',
    ];
    for (const text of texts) {
      const terminal = await connectTerminal(at.url, "/terminal");
      terminal.socket.send(text);
      expect(await terminal.closed).toEqual({
        code: 1008,
        reason: 'a text frame must be {"type":"resize","cols":…,"rows":…}',
      });
    }
    const flooded = await connectTerminal(at.url, "/terminal");
    flooded.type("stty raw -echo; echo quiet; sleep 1000\n");
    await flooded.says(/[\r\n]quiet/);
    for (let sent = 0; sent < 64; sent++) flooded.socket.send(new Uint8Array(32 * 1024));
    expect(await flooded.closed).toEqual({
      code: 1008,
      reason: "input arrived faster than the shell reads it",
    });
  });

  dockerTest("allows at most eight sessions", async (on) => {
    await using at = await terminalOffice(on);
    const open = await Promise.all(Array.from({ length: 8 }, () => connectTerminal(at.url, "/terminal")));
    await refusal(at.admin.get("/terminal"), "refused", "8 terminals are already open; end one first");
    for (const terminal of open) terminal.socket.close();
    await Promise.all(open.map((terminal) => terminal.closed));
  });
});

async function labelOf(on: TestDocker, at: TerminalOffice): Promise<string> {
  const terminal = await connectTerminal(at.url, "/terminal");
  terminal.type("echo ready\n");
  await terminal.says(/\rready\r/);
  const label = await on.docker(
    "inspect",
    "--format",
    '{{index .Config.Labels "cairn.terminal"}}',
    String((await records(at, 3)).at(-1)!.detail["session"]),
  );
  terminal.socket.close();
  return `cairn.terminal=${label}`;
}
