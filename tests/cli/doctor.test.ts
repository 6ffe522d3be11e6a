// Goal: `cairn doctor` finds each thing that can be wrong with a server and its data, names the fix, fails only for what is broken, and
// changes nothing, whether the server runs, is stopped, was killed or is damaged.

import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { examine, type Examination } from "../../src/context/doctor/doctor.ts";
import type { Finding } from "../../src/context/doctor/finding.ts";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import { cairn, refused, stoppedContext } from "../kit/cli/cairn.ts";
import { configure } from "../kit/context/context-server.ts";
import { pictureOf, temporaryFolder } from "../kit/folder.ts";
import { runContext } from "../kit/context/running-context.ts";

const unix = test.skipIf(process.platform === "win32");

/** A server that was closed in good order, without its first token. */
async function stoppedServer() {
  const server = await stoppedContext();
  const { directory, folder, inside } = server;
  rmSync(inside("auth", "bootstrap_admin.token"));
  const examined = (clock: Clock = systemClock) => examine(directory, folder.path, clock);
  return {
    ...server,
    examine: examined,
    in: (...names: string[]) => inside("spaces", "main", ...names),
    finding: async (title: string, clock?: Clock) => finding(await examined(clock), title),
  };
}

const titleOf = ({ check, space }: Finding) => (space === null ? check : `${check} of ${space}`);
/** Returns the checks that are not in order. */
const findings = ({ checks }: Examination) =>
  checks.filter(({ state }) => state !== "ok").map((one) => [one.state, titleOf(one)]);
const finding = ({ checks }: Examination, title: string) => checks.find((one) => titleOf(one) === title)!;

test("a server in good order passes every check, and nothing is changed by looking", async () => {
  await using server = await stoppedServer();
  const before = pictureOf(server.directory);
  const found = await server.examine();
  expect(findings(found)).toEqual([]);
  expect([found.ok, found.running, found.checks.map(titleOf)]).toEqual([
    true,
    false,
    [
      "permissions",
      "disk",
      "clock",
      "configuration",
      "port",
      "run file",
      "bootstrap token",
      "spaces",
      "database",
      "audit record",
      "database of main",
      "working tree of main",
      "text index of main",
    ],
  ]);
  // As sizes are written everywhere: `22.5 GiB`.
  expect(finding(found, "disk").found).toMatch(/^\d{1,4}(\.\d)? [KMGT]iB free \(\d+ %\)$/);
  expect(pictureOf(server.directory)).toEqual(before);
});

describe("reports", () => {
  unix("what others may use", async () => {
    await using server = await stoppedServer();
    const [database, hostKey] = [server.inside("server.db"), server.inside("ssh_host_ed25519_key")];
    writeFileSync(hostKey, "a key");
    for (const path of [database, hostKey]) chmodSync(path, 0o644);
    chmodSync(server.directory, 0o755);
    const found = await server.finding("permissions");
    expect(found).toEqual({
      check: "permissions",
      space: null,
      state: "fail",
      found: `accessible to other users: ${server.directory} is 0755, ${database} is 0644, ${hostKey} is 0644`,
      fix: `chmod 700 ${server.directory} && chmod 600 ${database} ${hostKey}`,
    });
    expect(Bun.spawnSync(["sh", "-c", found.fix!]).exitCode).toBe(0);
    expect(findings(await server.examine())).toEqual([]);
    // Looking did not repair it: reading the configuration as the server does would.
    chmodSync(server.inside("server.yaml"), 0o640);
    expect((await server.finding("permissions")).state).toBe("fail");
    expect(statSync(server.inside("server.yaml")).mode & 0o777).toBe(0o640);
  });

  test("a clock behind the last record, and one that lost its battery", async () => {
    await using server = await stoppedServer();
    const at = (now: number): Clock => ({ now: () => now, elapsed: systemClock.elapsed });
    const early = await server.examine(at(Date.now() - 3 * 60 * 60_000));
    expect(finding(early, "clock")).toMatchObject({
      state: "warn",
      found: expect.stringMatching(/, 3 h before the last (audit record|change in main) \(/),
    });
    expect(early.ok).toBe(true);
    expect(await server.finding("clock", at(0))).toMatchObject({
      state: "fail",
      found: "it shows 1970-01-01T00:00:00.000Z",
      fix: expect.stringContaining("set the clock"),
    });
    expect((await server.finding("clock", at(Date.now() - 30_000))).state).toBe("ok");
  });

  test("an unknown key, and a missing configuration", async () => {
    await using server = await stoppedServer();
    configure(server.directory, { listen: { prot: 1 } });
    const found = await server.examine();
    expect(findings(found)).toEqual([
      ["fail", "configuration"],
      ["skipped", "port"],
    ]);
    expect(finding(found, "configuration").found).toContain("listen.prot: unknown key");
    rmSync(server.inside("server.yaml"));
    expect(await server.finding("configuration")).toMatchObject({
      state: "fail",
      fix: expect.stringContaining("write an empty one"),
    });
  });

  test("a port in use, and an address of another machine", async () => {
    await using server = await stoppedServer();
    const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    configure(server.directory, { listen: { port: other.port } });
    const held = await server.examine();
    other.stop(true);
    expect([held.ok, finding(held, "port")]).toMatchObject([
      false,
      { state: "fail", found: `127.0.0.1:${other.port} is in use by another program` },
    ]);
    expect(await server.finding("port")).toMatchObject({
      state: "ok",
      found: `127.0.0.1:${other.port} is free`,
    });
    configure(server.directory, { listen: { address: "192.0.2.1", port: other.port } });
    expect(await server.finding("port")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("not an address of this machine"),
    });
  });

  test("a directory for backups that is missing, and a schedule that is late", async () => {
    await using server = await stoppedServer();
    const backups = server.inside("..", "backups of it");
    configure(server.directory, { backup: { directory: backups, every_hours: 24 } });
    expect(await server.finding("backups")).toMatchObject({
      state: "fail",
      found: `${backups}: no such directory; create it first`,
      fix: `create '${backups}' for the user of the server, or change backup.directory`,
    });
    mkdirSync(backups);
    expect(await server.finding("backups")).toMatchObject({
      state: "warn",
      found: "no scheduled backup has been made yet",
    });
    writeFileSync(join(backups, "cairn-backup-20261120T020000Z-scheduled.tar.zst"), "");
    const at = (time: string): Clock => ({ ...systemClock, now: () => Date.parse(time) });
    expect(await server.finding("backups", at("2026-11-21T12:00:00Z"))).toMatchObject({ state: "ok" });
    expect(await server.finding("backups", at("2026-11-22T02:00:01Z"))).toMatchObject({
      state: "warn",
      found: "the newest scheduled backup is of 2026-11-20T02:00:00.000Z; one is due every 24 h",
    });
  });

  test("a damaged database, the checks that need it, and all other checks", async () => {
    await using server = await stoppedServer();
    writeFileSync(server.inside("server.db"), "this is no database at all".repeat(1_000));
    const space = server.in(".cairn", "space.db");
    const { size } = statSync(space);
    const bytes = readFileSync(space);
    // The pages in the middle; the first one still says what it is.
    bytes.fill(0xaa, 8_192, size - 4_096);
    writeFileSync(space, bytes);
    const found = await server.examine();
    expect(findings(found).slice(0, 3)).toEqual([
      ["fail", "database"],
      ["skipped", "audit record"],
      ["fail", "database of main"],
    ]);
    expect(finding(found, "database")).toMatchObject({
      found: expect.stringContaining("is not a usable database"),
      fix: "restore a backup (cairn backup restore), or move it away",
    });
    expect(finding(found, "audit record").found).toStartWith("could not be checked: ");
    expect(finding(found, "disk").state).not.toBe("skipped");
  });

  test("a lost database of the server, which nobody can move away", async () => {
    await using server = await stoppedServer();
    const path = server.inside("server.db");
    rmSync(path);
    expect(await server.finding("database")).toMatchObject({
      state: "fail",
      found: `${path}: not found`,
      fix: "restore a backup (cairn backup restore); or, to start without users, tokens and rules, move the audit record away",
    });
  });

  test("a lost database of a space, and creates no other", async () => {
    await using server = await stoppedServer();
    const database = server.in(".cairn", "space.db");
    rmSync(database);
    const before = pictureOf(server.directory);
    const found = await server.examine();
    expect([found.ok, findings(found)]).toEqual([
      false,
      [
        ["fail", "database of main"],
        ["skipped", "working tree of main"],
      ],
    ]);
    expect(finding(found, "database of main")).toMatchObject({
      found: `${database} is missing, but ${server.in(".cairn", "space.yaml")} shows that it held the versions of the space`,
      fix: expect.stringMatching(/^restore it from a backup; or, to start over /),
    });
    expect(pictureOf(server.directory)).toEqual(before);
  });

  test("a record that was edited, and one whose end was cut off", async () => {
    await using server = await stoppedServer();
    const path = server.inside("audit", "audit.jsonl");
    const text = readFileSync(path, "utf8");
    const first = text.split("\n").findIndex((record) => record.includes('"ada"'));
    writeFileSync(path, text.replace('"ada"', '"eve"'));
    expect(await server.finding("audit record")).toMatchObject({
      state: "fail",
      found: `line ${first + 1}: the line was edited`,
    });
    writeFileSync(path, text);
    truncateSync(path, text.indexOf("\n") + 1);
    expect(await server.finding("audit record")).toMatchObject({
      state: "fail",
      found: expect.stringContaining("the file ends after 1 record, but"),
    });
  });

  test("files that were edited, added and removed by hand, until they are adopted", async () => {
    await using server = await stoppedServer();
    appendFileSync(server.in("decisions.md"), "by hand");
    writeFileSync(server.in("new.md"), "new");
    rmSync(server.in("identity", "me.md"));
    writeFileSync(server.in("a:b.md"), "new");
    const found = await server.examine();
    expect([found.ok, finding(found, "working tree of main")]).toMatchObject([
      true,
      {
        state: "warn",
        found: "1 modified, 1 untracked, 1 missing, 1 refused, 0 waiting for repair",
        fix: `record them: cairn space adopt main --server-dir ${server.directory}`,
      },
    ]);
    const adopted = await server.cairn("space", "adopt", "main");
    expect(adopted).toMatchObject({
      exitCode: 1,
      stdout: "adopted decisions.md\nadopted new.md\nrefused a:b.md: must not contain :\n",
      stderr: "Error: 1 file was not adopted; see above\n",
    });
    const listed = await server.printed("file", "list");
    expect(listed).toMatch(/^PATH +VERSION +SIZE +STATE +SYNC +UPDATED +AUTHOR\n/);
    expect(listed).toMatch(/^a:b\.md +— +3 B +refused: must not contain : +always +/m);
    expect(listed).toMatch(/^identity\/me\.md +v1 +\d+ B +missing +init-only +/m);
    const left = await server.finding("working tree of main");
    expect(left.found).toBe("0 modified, 0 untracked, 1 missing, 1 refused, 0 waiting for repair");
    expect(left.fix).toEndWith(
      "shows as missing (cairn file revert <path> --to <version>), or delete it (cairn file delete <path>)",
    );
    await server.printed("file", "revert", "identity/me.md", "--to", "v1");
    expect(readFileSync(server.in("identity", "me.md"), "utf8")).not.toBe("");
    // The folder of another program is no fault.
    rmSync(server.in("a:b.md"));
    mkdirSync(server.in(".git"));
    expect((await server.finding("working tree of main")).state).toBe("ok");
  });

  test("a lost space file, and checks the space all the same", async () => {
    await using server = await stoppedServer();
    const file = server.in(".cairn", "space.yaml");
    for (const lose of [() => writeFileSync(file, "\0".repeat(100)), () => rmSync(file)]) {
      lose();
      const found = await server.examine();
      expect([found.ok, findings(found)]).toEqual([true, [["warn", "spaces"]]]);
      expect(finding(found, "spaces").found).toBe(".cairn/space.yaml of main is missing or cannot be read");
    }
  });

  test("a leftover first token, a folder without a space, and a stale run file", async () => {
    await using server = await stoppedServer();
    const token = server.inside("auth", "bootstrap_admin.token");
    writeFileSync(token, "cairn_x\n", { mode: 0o600 });
    mkdirSync(server.inside("spaces", "half"), { recursive: true });
    mkdirSync(server.inside("run"), { mode: 0o700 });
    // The number of a process that lives, as it may be after a restart of the machine.
    const door = { pid: process.pid, url: "http://127.0.0.1:9", token: "x" };
    writeFileSync(server.inside("run", "server.json"), JSON.stringify(door), { mode: 0o600 });
    const found = await server.examine();
    expect([found.running, found.ok, findings(found)]).toEqual([
      false,
      true,
      [
        ["warn", "run file"],
        ["warn", "bootstrap token"],
        ["warn", "spaces"],
      ],
    ]);
    expect(finding(found, "bootstrap token").fix).toEndWith(`then rm ${token}`);
    utimesSync(token, new Date(0), new Date(0));
    expect(await server.finding("bootstrap token")).toMatchObject({
      found: `${token} still holds the first token, which has expired`,
      fix: `rm ${token}`,
    });
  });
});

describe("the compiled program", () => {
  test("checks a server that runs, one that was killed, and one that was stopped; its exit code says whether anything failed", async () => {
    await using server = await runContext();
    rmSync(join(server.directory, "auth", "bootstrap_admin.token"));
    await server.admin.write("a.md", "one");
    await Bun.write(join(server.directory, "spaces", "team", "b.md"), "by hand");
    const asked = () => server.data<Examination>("doctor");
    const running = await asked();
    expect(findings(running)).toEqual([
      ["skipped", "database"],
      ["skipped", "database of team"],
      ["warn", "working tree of team"],
      ["skipped", "text index of team"],
    ]);
    expect(finding(running, "port").found).toStartWith(`in use by this server, process ${server.pid}, at `);
    await server.end("SIGKILL");
    expect(existsSync(join(server.directory, "server.db-wal"))).toBe(true);
    const before = pictureOf(server.directory);
    const killed = await asked();
    expect(findings(killed)).toEqual([
      ["warn", "run file"],
      ["warn", "working tree of team"],
    ]);
    expect(finding(killed, "working tree of team").found).toContain("1 untracked");
    expect(pictureOf(server.directory)).toEqual(before);
    await server.start();
    await server.end("SIGTERM");
    chmodSync(join(server.directory, "server.db"), 0o666);
    const open = await server.cairn("doctor");
    expect([open.exitCode, open.stderr]).toEqual([1, "Error: 1 check failed: permissions\n"]);
    expect(open.stdout).toContain(`fix: chmod 600 ${join(server.directory, "server.db")}\n`);
    expect(open.stdout).toEndWith("\n1 fail, 1 warning, 11 ok\n");
  });

  test("looks at a directory without a configuration when it is named, and at none that is not there", async () => {
    await using folder = await temporaryFolder();
    const empty = await cairn("doctor", "--server-dir", folder.path, "--json");
    expect(empty.exitCode).toBe(1);
    expect(findings(JSON.parse(empty.stdout) as Examination)).toContainEqual(["fail", "configuration"]);
    const none = join(folder.path, "none");
    expect(await refused("doctor", "--server-dir", none)).toEqual([1, `Error: ${none}: no such directory\n`]);
  });
});
