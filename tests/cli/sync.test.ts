// Goal: two people with the compiled program share a space: a sync, a conflict and its resolution, daemons, and the service definition's own
// command line.

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { openReplicaState } from "../../src/context/replica/state.ts";
import { cairnAt, failure, type Cairn } from "../kit/cli/cairn.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { frontOf } from "../kit/http/front.ts";
import { replica, treeOf, type Replica } from "../kit/context/replica.ts";
import { within } from "../kit/within.ts";

interface Laptop extends Replica, Cairn {
  readonly tokenFile: string;
}

async function laptop(
  server: ContextServer,
  folder: Folder,
  name: string,
  url: () => string = () => server.url,
): Promise<Laptop> {
  const { token } = await server.user(name, "contributor");
  const tokenFile = await folder.write(`${name}.token`, token);
  const directory = join(folder.path, `${name}'s "space"`);
  const copy = replica({ directory, url, token });
  await copy.join();
  const environment = {
    HOME: join(folder.path, `home-${name}`),
    SERVICE_TOKEN: token,
    SERVICE_TOKEN_SERVER: url(),
    SERVICE_DIR: directory,
  };
  return { ...copy, ...cairnAt([], { environment }), tokenFile };
}

const decisions = (line: string) => `# Decisions\n\n${line}\n`;

test("sync exchanges edits, and a conflict is listed until it is resolved", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await server.admin.write("decisions.md", decisions("none"));
  const ann = await laptop(server, folder, "ann");
  const bob = await laptop(server, folder, "bob");
  const where = `team of ${server.url}`;
  expect(await ann.printed("sync")).toBe(`up to date with ${where}\n`);
  ann.write("decisions.md", decisions("tea"));
  bob.write("decisions.md", decisions("coffee"));
  expect(await ann.printed("push", "--dry-run")).toBe(
    `pushed  decisions.md\n\nnothing was changed; a push to ${where} would do this\n`,
  );
  const waits = "waiting  decisions.md\n\n";
  expect(await ann.printed("pull", "--dry-run")).toBe(
    `${waits}nothing was changed; a pull from ${where} would change nothing\n`,
  );
  expect(await ann.printed("pull")).toBe(
    `${waits}nothing was pulled from ${where}; cairn sync exchanges the waiting changes\n`,
  );
  expect(await ann.printed("sync")).toBe(`pushed  decisions.md\n\nsynced with ${where}\n`);
  expect(await bob.data("sync", "--dry-run")).toMatchObject({
    merged: [],
    conflicts: [{ path: "decisions.md" }],
  });
  bob.write("decisions.md", "# Decisions\n\nnone\n".replace("#", "##"));
  expect(await bob.data("sync", "--dry-run")).toMatchObject({ merged: ["decisions.md"], conflicts: [] });
  bob.write("decisions.md", decisions("coffee"));
  const { conflicts } = await bob.data<{ conflicts: { path: string; copy: string }[] }>("sync");
  const { copy } = conflicts[0]!;
  expect(copy).toMatch(/^decisions\.conflict-bob-\d{8}T\d{6}Z\.md$/);
  expect(await bob.data("conflict", "list")).toEqual([
    { path: "decisions.md", copy, user: "bob", opened_at: expect.any(String) },
  ]);
  expect(await bob.printed("conflict", "show", "decisions.md")).toContain("-tea\n+coffee\n");
  expect(await bob.refused("conflict", "resolve", "decisions.md")).toEqual(
    failure("use exactly one of --ours, --theirs and --merged <file>"),
  );
  const merged = await folder.write("merged.md", decisions("tea and coffee"));
  expect(await bob.printed("conflict", "resolve", copy, "--merged", merged)).toBe(
    `resolved decisions.md: kept merged, deleted ${copy}\n`,
  );
  expect(await bob.refused("conflict", "show", "decisions.md")).toEqual(
    failure("decisions.md: no open conflict; cairn conflict list shows all"),
  );
  await bob.printed("sync");
  await ann.printed("pull");
  expect(treeOf(ann.directory)).toEqual({ "decisions.md": decisions("tea and coffee") });
  expect(await ann.printed("conflict", "list")).toBe("no open conflicts\n");
});

test("a conflict of a file that is deleted since keeps the text that is left", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await server.admin.write("decisions.md", decisions("none"));
  const ann = await laptop(server, folder, "ann");
  const bob = await laptop(server, folder, "bob");
  ann.write("decisions.md", decisions("tea"));
  bob.write("decisions.md", decisions("coffee"));
  await ann.printed("sync");
  const { conflicts } = await bob.data<{ conflicts: { copy: string }[] }>("sync");
  const { copy } = conflicts[0]!;
  await bob.printed("file", "delete", "decisions.md");
  expect(await bob.printed("conflict", "show", "decisions.md")).toStartWith(
    `decisions.md was deleted; ${copy} is still there\n`,
  );
  expect(await bob.refused("conflict", "resolve", "decisions.md", "--theirs")).toEqual(
    failure(
      `decisions.md was deleted, so there is no other version to keep; keep ours, which brings it back, or delete ${copy}`,
    ),
  );
  expect(treeOf(bob.directory)).toEqual({ [copy]: decisions("coffee") });
  await bob.printed("conflict", "resolve", "decisions.md", "--ours");
  expect(treeOf(bob.directory)).toEqual({ "decisions.md": decisions("coffee") });
});

test.skipIf(process.platform !== "linux")(
  "a file whose name another spelling has conflicts with that file, under either name",
  async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer();
    const bob = await laptop(server, folder, "bob");
    await server.admin.write("Notes.md", "upper\n");
    bob.write("notes.md", "lower\n");
    const { conflicts } = await bob.data<{ conflicts: { path: string; copy: string }[] }>("sync");
    const { path, copy } = conflicts[0]!;
    expect(path).toBe("notes.md");
    expect(await bob.data("conflict", "list")).toMatchObject([{ path: "Notes.md", copy }]);
    for (const named of ["notes.md", "Notes.md"])
      expect(await bob.printed("conflict", "show", named)).toContain("-upper\n+lower\n");
    await bob.printed("conflict", "resolve", path, "--ours");
    expect(bob.tree()).toMatchObject({ "Notes.md": "lower\n" });
    expect(await bob.printed("conflict", "list")).toBe("no open conflicts\n");
  },
);

test("a conflict of a file whose name leaves no room is resolved in that file", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const long = `${"m".repeat(230)}.md`;
  await server.admin.write(long, "one\n");
  const [ann, bob] = [await laptop(server, folder, "ann"), await laptop(server, folder, "bob")];
  ann.write(long, "tea\n");
  bob.write(long, "coffee\n");
  await ann.printed("sync");
  await using events = await server.admin.events("/events");
  await bob.printed("sync");
  expect(await events.until(({ type }) => type === "conflict.open")).toMatchObject({
    data: { data: { file: long } },
  });
  expect(await bob.data("conflict", "list")).toMatchObject([{ path: long, user: "bob" }]);
  await bob.printed("conflict", "resolve", long, "--ours");
  expect(treeOf(bob.directory)).toEqual({ [long]: "coffee\n" });
});

test("status names a change that the server refused, until a sync succeeds", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const ann = await laptop(server, folder, "ann");
  await server.admin.patch("/users/ann", { role: "viewer" });
  ann.write("a.md", "one\n");
  const reason = "ann (viewer) may not change team";
  expect((await ann.cairn("sync")).stdout).toContain(`refused there  a.md: ${reason}\n`);
  expect(await ann.printed("status")).toEndWith(
    `\n\n  held       a.md: ${reason}\n\ntry a held change again: cairn sync\n`,
  );
  expect(await ann.data("status")).toMatchObject({ held: [{ path: "a.md", direction: "up", reason }] });
  const daemon = await ann.cairn("daemon", "status");
  expect(daemon.stdout).toMatch(/^held +1$/m);
  expect(daemon.stderr).toContain("1 change was refused and waits; see cairn status");
  await server.admin.patch("/users/ann", { role: "contributor" });
  await ann.printed("sync");
  expect(await ann.printed("status")).toEndWith("\n\neverything on disk is recorded\n");
});

test("status shows a folder whose first sync did not finish", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const at = cairnAt([], { environment: { HOME: folder.path, SERVICE_DIR: directory } });
  await at.cairn("init", "solo", "--non-interactive", "--dir", directory, "--template", "blank");
  (await openReplicaState(directory, { create: true }))[Symbol.dispose]();
  expect(await at.data("status")).toMatchObject({ sync: null, held: [] });
});

test("a rule of a folder that syncs is set on its server", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ files: { "notes/a.md": "one" } });
  const ann = await laptop(server, folder, "ann");
  const set = ["space", "sync", "set", "notes", "never"];
  expect(await ann.refused(...set)).toEqual([
    2,
    `server: ${server.url}\nError: requires the role space-lead or admin in team\n`,
  ]);
  await server.admin.patch("/users/ann", { role: "space-lead" });
  const done = await ann.cairn(...set);
  expect([done.exitCode, done.stderr]).toEqual([0, `server: ${server.url}\n`]);
  expect(done.stdout).toStartWith("notes/: always → never\n");
  expect(await server.admin.get("/spaces/team/sync")).toMatchObject({ "notes/": "never" });
  expect(await ann.data<object>("file", "list")).toMatchObject([{ path: "notes/a.md", mode: "never" }]);
  expect((await ann.refused("space", "sync", "set", "other", "notes", "never"))[1]).toEndWith(
    " syncs with team, not with other\n",
  );
});

test("a change that the server refuses is named, stays here, and is tried again", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const ann = await laptop(server, folder, "ann");
  const secret = `token: ghp_${"a1B2".repeat(9)}\n`;
  ann.write("secret.md", secret);
  ann.write("fine.md", "fine\n");
  const { exitCode, stdout, stderr } = await ann.cairn("sync");
  expect([exitCode, stderr]).toEqual([1, "Error: 1 change could not be synced; see above\n"]);
  expect(stdout).toMatch(/^pushed {9}fine\.md\nrefused there {2}secret\.md: line 1 looks like a secret/);
  ann.write("secret.md", "no secret\n");
  expect(await ann.printed("sync")).toContain("pushed  secret.md\n");
});

test("a server that allows no more requests is waited for, or the command says when to try again", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  await using front = frontOf(() => server.url);
  const ann = await laptop(server, folder, "ann", () => front.url);
  const refused = (seconds: number) =>
    new Response("slow down", { status: 429, headers: { "Retry-After": String(seconds) } });
  const answers = [refused(1)];
  front.answer = () => answers.pop();
  ann.write("a.md", "one\n");
  const { exitCode, stdout, stderr } = await ann.cairn("sync");
  expect([exitCode, stderr]).toEqual([0, "the server allows no more requests; continuing in 1 s\n"]);
  expect(stdout).toStartWith("pushed  a.md\n");
  const list = ["file", "list", "--server", front.url, "--space", "team"];
  answers.push(refused(1));
  const waited = await ann.cairn(...list);
  expect([waited.exitCode, waited.stderr]).toEqual([
    0,
    "the server allows no more requests; continuing in 1 s\n",
  ]);
  front.answer = () => refused(31);
  expect(await ann.refused(...list)).toEqual(
    failure(`${front.url} allows no more requests; try again in 31 s`, 2),
  );
  expect(await ann.refused("sync")).toEqual(
    failure(`${front.url} allows no more requests; try again in 31 s`, 2),
  );
});

test("daemons exchange files; the unit's own command line is a daemon", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const ann = await laptop(server, folder, "ann");
  const bob = await laptop(server, folder, "bob");
  expect(await ann.refused("daemon", "logs")).toEqual([
    1,
    expect.stringMatching(/no log; the daemon has not run here/),
  ]);
  const [code, , said] = await ann
    .cairn("daemon", "status")
    .then((one) => [one.exitCode, one.stdout, one.stderr]);
  expect([code, said]).toEqual(failure("the daemon is not running; start it with cairn daemon start"));
  const stopped = await ann.cairn("daemon", "status", "--json");
  expect(JSON.parse(stopped.stdout)).toMatchObject({
    running: false,
    pid: null,
    connected: false,
    problem: null,
  });
  await ann.printed("daemon", "start");
  const { text } = await bob.data<{ text: string }>("daemon", "unit", "--token-file", bob.tokenFile);
  // As a shell splits it: nothing else than quotes and backslashes is special in these words.
  const line = /^ExecStart=(.*)$/m.exec(text)![1]!;
  const unit = Bun.spawn(["sh", "-c", `exec ${line}`], {
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const connected = async (one: Laptop) => {
      const { stdout } = await one.cairn("daemon", "status", "--json");
      return (JSON.parse(stdout) as { connected?: boolean }).connected;
    };
    await eventually(() => Promise.all([ann, bob].map(connected)), [true, true]);
    ann.write("a.md", "from ann\n");
    await eventually(() => treeOf(bob.directory)["a.md"], "from ann\n");
    bob.write("b.md", "from bob\n");
    await eventually(() => treeOf(ann.directory)["b.md"], "from bob\n");
    const log = async () => / INFO {2}synced pulled=1 /.test(await ann.printed("daemon", "logs"));
    await eventually(log, true);
    expect(await ann.data<object>("daemon", "logs", "--lines", "1")).toEqual({
      path: expect.stringMatching(/daemon\.log$/),
      lines: [expect.stringContaining(" INFO ")],
    });
    expect((await ann.refused("daemon", "start"))[1]).toMatch(
      /^Error: the daemon is already running \(process \d+\)/,
    );
  } finally {
    unit.kill("SIGTERM");
    await ann.printed("daemon", "stop");
  }
  expect(await within("the daemon ends", unit.exited)).toBe(0);
});

test("install writes the unit, and uninstall removes it", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const ann = await laptop(server, folder, "ann");
  const installed = await ann.cairn("daemon", "install", "--json");
  const { path, started } = JSON.parse(installed.stdout) as { path: string; started: boolean };
  // Not every system that runs this test can start a unit.
  expect(installed).toMatchObject({
    exitCode: started ? 0 : 1,
    stderr: started ? "" : expect.stringContaining("the system did not start the daemon ("),
  });
  expect(path).toStartWith(join(folder.path, "home-ann"));
  expect(readFileSync(path, "utf8").trimEnd()).toBe((await ann.printed("daemon", "unit")).trimEnd());
  expect(await ann.printed("daemon", "uninstall")).toBe(`removed ${path}\n`);
  expect(existsSync(path)).toBe(false);
  expect((await ann.refused("daemon", "uninstall"))[1]).toMatch(/not found; the daemon is not installed\n$/);
  await ann.cairn("daemon", "stop");
});

test("a sync of a space that was deleted says that it is gone, and keeps the files", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ files: { "a.md": "here\n" } });
  const ann = await laptop(server, folder, "ann");
  await server.admin.raw("DELETE", "/spaces/team?confirm=team");
  const [exitCode, message] = await ann.refused("sync");
  expect([exitCode, message]).toEqual([
    1,
    expect.stringContaining(
      `${server.url} has no space team that ann may see: it was deleted, or the access ended;`,
    ),
  ]);
});

test("a folder that syncs with no server is told how to join one", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(join(folder.path, "a.md"), "");
  const { refused } = cairnAt(["--dir", folder.path]);
  const message = `${folder.path} does not sync with a server; join one with cairn init client --dir ${folder.path}`;
  for (const command of [
    ["sync"],
    ["pull"],
    ["push"],
    ["daemon", "start"],
    ["daemon", "status"],
    ["daemon", "install"],
  ])
    expect(await refused(...command)).toEqual(failure(message));
});

test("changes of files that a person may no longer see are named and stay here, and the others are sent", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const secret = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `secret/${name}.md`);
  for (const path of secret) await server.admin.write(path, "before\n");
  const ann = await laptop(server, folder, "ann");
  await server.admin.put("/users/ann/acl", {
    rules: [
      {
        effect: "deny",
        path: "team/secret/**",
        capabilities: ["list", "read", "create", "update", "delete"],
      },
    ],
  });
  for (const path of [...secret, "secret/new.md", "open.md"]) ann.write(path, "mine\n");
  const refused = [...secret, "secret/new.md"]
    .map(
      (path) =>
        `refused there  ${path}: the server has no such file for you; ask an admin whether you may change it\n`,
    )
    .join("");
  const synced = await ann.cairn("sync");
  expect([synced.exitCode, synced.stdout]).toEqual([
    1,
    `pushed         open.md\n${refused}\nsynced with team of ${server.url}\n`,
  ]);
  expect(await ann.printed("status")).toContain("secret/new.md");
  await server.admin.put("/users/ann/acl", { rules: [] });
  expect(await ann.data("sync")).toMatchObject({ pushed: [...secret, "secret/new.md"], held: [] });
});

test("a directory whose name is a file on the server is said to have moved, and hints at no conflict", async () => {
  await using folder = await temporaryFolder();
  await using server = await contextServer();
  const bob = await laptop(server, folder, "bob");
  await server.admin.write("plan", "a file");
  bob.write("plan/draft.md", "a draft");
  const said = await bob.printed("sync");
  const copy = /plan\.conflict-bob-\d{8}T\d{6}Z\/draft\.md/.exec(said)?.[0] ?? "no copy";
  expect(said.split("\n")).toContain(
    `conflict  plan/draft.md: the server has a file in place of its directory; the local file is now ${copy}`,
  );
  expect(bob.tree()).toMatchObject({ plan: "a file", [copy]: "a draft" });
  expect(await bob.printed("conflict", "list")).toBe("no open conflicts\n");
});

test.skipIf(process.platform === "win32")(
  "a file that is pulled or reverted keeps its permissions",
  async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer();
    await server.admin.write("run.sh", "echo one\n");
    const ann = await laptop(server, folder, "ann");
    const script = join(ann.directory, "run.sh");
    const mode = () => statSync(script).mode & 0o7777;
    expect(mode()).toBe(0o600);
    chmodSync(script, 0o4755);
    await server.admin.write("run.sh", "echo two\n");
    await ann.printed("sync");
    expect([ann.read("run.sh"), mode()]).toEqual(["echo two\n", 0o755]);
    chmodSync(script, 0o440);
    await ann.printed("file", "revert", "run.sh", "--to", "v1");
    expect([ann.read("run.sh"), mode()]).toEqual(["echo one\n", 0o440]);
  },
);
