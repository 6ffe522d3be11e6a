// Goal: over SSH, a colleague sees everything that they may see and can change nothing, and nothing but the terminal interface is offered. With
// OpenSSH's own client.

import { describe, expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { parsePublicKey } from "../../src/context/config/public-key.ts";
import type { PublicKey } from "../../src/context/config/schema.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { deny } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { DOWN, ENTER } from "../kit/terminal/on-screen.ts";
import { refusal } from "../kit/http/refusal.ts";
import { SSH, sshOffice, type SshOffice } from "../kit/context/ssh.ts";
import { within } from "../kit/within.ts";

/** The audit records of SSH, without the rest. */
async function recorded({ server }: SshOffice): Promise<unknown[]> {
  const records = await server.audit("limit=200");
  return records
    .filter(({ actor, action }) => actor.auth === "ssh" || (action === "auth.login" && actor.auth === "none"))
    .map(({ actor, action, target, result }) => [actor.name, actor.auth, action, target, result])
    .toReversed();
}

async function office(options: Parameters<typeof sshOffice>[1] = {}): Promise<SshOffice> {
  const at = await sshOffice(["ben", "root"], options);
  await at.server.admin.write("a.md", "first\n");
  await at.server.admin.write("a.md", "second\n");
  await at.server.admin.write("closed.md", "secret\n");
  await at.server.user("ben", "contributor");
  await at.server.rules("ben", deny("closed.md", "list", "read"));
  return at;
}

describe.skipIf(SSH === undefined)("with OpenSSH's client", () => {
  test("a colleague reads what they may read, and every change is refused and recorded", async () => {
    await using at = await office();
    // The environment of either side does not decide: this client says that it is a plain terminal with an editor.
    const setEnv = "EDITOR=vi VISUAL=vi CAIRN_TUI=terminal SSH_TTY= SSH_CONNECTION=";
    await using ben = await at.connect("ben", { options: ["-o", `SetEnv=${setEnv}`] });
    await ben.terminal.shows("SSH: everything can be read, nothing changed");
    expect(await ben.terminal.shows("Conflicts  ")).toContain("ben (contributor) · read only");
    expect(ben.terminal.text()).toContain("2 Spaces   3 Search   4 Conflicts");
    await ben.press("2", "› team");
    const files = await ben.press(ENTER, "› a.md");
    expect([files.includes("closed.md"), files.includes("e edit")]).toEqual([false, false]);
    await ben.press("e", "nothing can be changed over SSH");
    await ben.press("h", "› v2");
    await ben.press("R", "nothing can be changed over SSH");
    await ben.press(`${DOWN}${ENTER}`, "first");
    await ben.press("q", "exit=0");
    expect(await at.server.admin.read("a.md")).toBe("second\n");
    await eventually(
      () => recorded(at),
      [
        ["ben", "ssh", "auth.login", "ben", "ok"],
        ["ben", "ssh", "file.write", "a.md", "denied"],
        ["ben", "ssh", "file.write", "a.md", "denied"],
        ["ben", "ssh", "auth.logout", "ben", "ok"],
      ],
    );
  });

  test("an admin sees users and the audit record, and cannot disable anyone", async () => {
    await using at = await office();
    await using root = await at.connect("root", { columns: 120, rows: 40 });
    await root.terminal.shows("Conflicts  ");
    await root.press("4", "› ben");
    await root.press("x", "nothing can be changed over SSH");
    await root.press("5", "user.disable");
    await root.press("v", "verified");
    root.resize(100, 30);
    await root.terminal.shows("verified");
    await root.press("?", "Everywhere");
    expect((await at.server.admin.get("/users/ben")).disabled).toBe(false);
  });

  test.each([
    ["a command", ["127.0.0.1", "cat /etc/passwd"], "exec cat /etc/passwd"],
    ["sftp", ["-s", "127.0.0.1", "sftp"], "subsystem sftp"],
    ["standard input to another host", ["-W", "127.0.0.1:22", "127.0.0.1"], "direct-tcpip 127.0.0.1:22"],
    [
      "a port of the server",
      ["-N", "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:22", "127.0.0.1"],
      "tcpip-forward",
    ],
  ])("refuses %s", async (_, args, what) => {
    await using at = await office();
    const { exitCode, stdout } = await at.run("ben", ...args);
    expect([exitCode === 0, stdout]).toEqual([false, ""]);
    await eventually(
      () => recorded(at),
      [
        ["ben", "ssh", "auth.login", "ben", "ok"],
        ["ben", "ssh", "ssh.request", what, "denied"],
        ["ben", "ssh", "auth.logout", "ben", "ok"],
      ],
    );
  });

  test("gives no shell without a terminal", async () => {
    await using at = await office();
    const { exitCode, stderr } = await at.run("ben", "-T", "127.0.0.1");
    expect([exitCode, stderr.includes("this needs a terminal; connect with ssh -t")]).toEqual([1, true]);
  });

  test("refuses an unknown key, another user's key, a password and an unknown user, and records who tried", async () => {
    await using at = await office();
    const bensKey = ["-o", `IdentityFile=${at.keys["ben"]!.path}`];
    const password = ["-o", "PreferredAuthentications=password,keyboard-interactive"];
    for (const [user, ...args] of [["eve"], ["eve", ...bensKey], ["ben", ...password], ["gone"]] as const) {
      const { exitCode, stderr } = await at.run(user, ...args, "127.0.0.1");
      expect([exitCode, stderr.includes("Permission denied (publickey)")]).toEqual([255, true]);
    }
    const { fingerprint } = parsePublicKey(at.keys["ben"]!.public) as PublicKey;
    const tries = (await at.server.audit("action=auth.login")).map(({ actor, error }) => [actor.name, error]);
    expect(tries.filter(([name]) => name === "eve")).toHaveLength(2);
    expect(JSON.stringify(tries)).toContain(`key ${fingerprint} of another user`);
    expect(JSON.stringify(await recorded(at))).not.toContain('"ok"');
  });

  test("a user who is disabled loses the session that is open, and gets no other", async () => {
    await using at = await office();
    await using ben = await at.connect("ben");
    await ben.terminal.shows("Conflicts  ");
    await at.server.admin.post("/users/ben/disable");
    await ben.terminal.shows("the account was disabled or deleted");
    await ben.terminal.shows("exit=");
    expect(ben.terminal.isAlternate).toBe(false);
    expect((await at.run("ben", "-T", "127.0.0.1")).exitCode).toBe(255);
    await at.server.admin.post("/users/ben/enable");
    await using again = await at.connect("ben");
    await again.terminal.shows("ben (contributor)");
  });

  test("a rule that is added while the session is open counts from the next key", async () => {
    await using at = await office();
    await using ben = await at.connect("ben");
    await ben.terminal.shows("Conflicts  ");
    await ben.press("2", "› team");
    await ben.press(ENTER, "› a.md");
    await at.server.rules("ben", deny("a.md", "read"));
    await ben.terminal.shows("your rights changed");
    await ben.press(`r${ENTER}`, "Cannot show this page");
  });

  test("rights that are taken away take what is open off the screen, before a key is pressed", async () => {
    await using at = await office();
    await at.server.admin.patch("/users/ben", { role: "admin" });
    await using ben = await at.connect("ben");
    await ben.terminal.shows("5 Audit");
    await ben.press("2", "› team");
    await ben.press(ENTER, "› a.md");
    await ben.press(ENTER, "second");
    await at.server.rules("ben", deny("a.md", "read"));
    expect(await ben.terminal.shows("Cannot show this page")).not.toContain("second");
    await ben.press("5", "acl.change");
    await at.server.admin.patch("/users/ben", { role: "viewer" });
    const after = await ben.terminal.shows("ben (viewer) · read only");
    expect([after.includes("Audit"), after.includes("acl.change")]).toEqual([false, false]);
    await at.server.user("eve", "viewer");
    await ben.press("2", "Cannot show this page");
  });

  test.each(["rsa", "ecdsa", "ed25519"])("takes a key of ssh-keygen: %s", async (type) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "id");
    const made = Bun.spawnSync(["ssh-keygen", "-q", "-t", type, "-N", "", "-C", "ben's key", "-f", path]);
    expect(made.exitCode).toBe(0);
    const key = { path, public: await Bun.file(`${path}.pub`).text() };
    await using at = await sshOffice([], { ssh: { keys: [{ user: "Ben", key: key.public }] } });
    await at.server.user("ben", "viewer");
    await using ben = await at.connect("ben", { key });
    await ben.terminal.shows("ben (viewer) · read only");
  });

  test("recognises the server again by its key, which only its own user can read", async () => {
    await using at = await office();
    const path = join(at.server.directory, "ssh_host_ed25519_key");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const fingerprint = () =>
      at.server.log.findLast(({ message }) => message === "terminal interface over SSH")!["fingerprint"];
    const before = fingerprint();
    await using ben = await at.connect("ben");
    await ben.terminal.shows("Conflicts  ");
    await at.server.restart();
    await ben.terminal.shows("the server is stopping");
    expect(fingerprint()).toBe(before);
  });

  test("limits the sessions of one user", async () => {
    await using at = await office({ sshLimits: { sessionsPerUserMax: 1 } });
    await using first = await at.connect("ben");
    await first.terminal.shows("Conflicts  ");
    await using second = await at.connect("ben");
    await second.terminal.shows("you have the 1 sessions that one user may have; close one first");
    await first.press("q", "exit=0");
    await using third = await at.connect("ben");
    await third.terminal.shows("Conflicts  ");
  });

  test("ends a session in which no key is pressed", async () => {
    await using at = await office({ sshLimits: { idleMs: 1_500 } });
    await using ben = await at.connect("ben");
    await ben.terminal.shows("no key was pressed for a while");
    await ben.terminal.shows("exit=");
  });

  test("drops connections that do not sign in, and those above the rate", async () => {
    await using at = await office({
      config: { rate_limit: { enabled: true, auth_per_minute: 3 } },
      sshLimits: { signInMs: 300 },
    });
    await using _ = await silent(at.port);
    for (let count = 0; count < 2; count++) await at.run("eve", "127.0.0.1");
    const { stderr } = await at.run("ben", "-T", "127.0.0.1");
    expect(stderr).toMatch(/closed|reset/i);
    await eventually(
      async () => JSON.stringify(await at.server.audit("action=auth.login")).includes("too many attempts"),
      true,
    );
  });
});

/** A connection that says nothing, until the server closes it. */
async function silent(port: number): Promise<AsyncDisposable> {
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: { data() {}, close: () => closed.resolve(), error: () => closed.resolve() },
  });
  return {
    async [Symbol.asyncDispose]() {
      await within("the connection closes", closed.promise);
      socket.end();
    },
  };
}

test("refuses a host key that others can read", async () => {
  await using at = await sshOffice([]);
  const path = join(at.server.directory, "ssh_host_ed25519_key");
  const started = at.server.restart(() => chmodSync(path, 0o644));
  await refusal(started, "refused", /others can read .*; run chmod 600 /);
});
