// Goal: a refusal says what is wrong and what to do next, in the words of the command line, not in those of the system or of the API.

import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadServerConfig } from "../../src/context/config/config.ts";
import { examine } from "../../src/context/doctor/doctor.ts";
import { initServer } from "../../src/context/init-server.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { binaryPath, runBinary } from "../kit/binaries.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { runContext } from "../kit/running-context.ts";

const isRoot = process.getuid?.() === 0;
const bound = test.skipIf(process.platform === "win32" || (isRoot && Bun.which("setpriv") === null));
const NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const log = { format: "json" as const, write: () => {} };

async function madeServer(directory: string) {
  await initServer({ directory, space: "main", admin: "ada", port: 0 }, log);
  return directory;
}

/** Runs `cairn` as somebody whom the modes of files bind, which they never do root. */
async function asNobody(args: string[]) {
  const command = [binaryPath("cairn"), ...args];
  const child = Bun.spawn(isRoot ? [...NOBODY, ...command] : command, {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  return [exitCode, said];
}

test.skipIf(!isRoot || Bun.which("setpriv") === null)(
  "a server of another user that anybody may read is left to that user",
  async () => {
    await using folder = await temporaryFolder();
    const directory = await madeServer(join(folder.path, "server"));
    for (const place of [folder.path, directory]) chmodSync(place, 0o755);
    const path = join(directory, "server.yaml");
    chmodSync(path, 0o644);
    expect(await asNobody(["file", "list", "--server-dir", directory])).toEqual([
      1,
      `Error: ${path} belongs to another user; run the command as that user\n`,
    ]);
  },
);

bound("a data directory that can't be written says so", async () => {
  await using folder = await temporaryFolder();
  const directory = await madeServer(join(folder.path, "server"));
  chmodSync(folder.path, 0o755);
  chmodSync(directory, 0o555);
  for (const name of ["server.yaml", "server.db"]) {
    chmodSync(join(directory, name), 0o400);
    if (isRoot) chownSync(join(directory, name), 65_534, 65_534);
  }
  const answer = await asNobody(["file", "list", "--server-dir", directory]);
  const inside = join(directory, "new");
  const made = await asNobody([..."init server --space a --admin ada --data-dir".split(" "), inside]);
  chmodSync(directory, 0o700);
  expect(answer).toEqual([
    1,
    `Error: ${join(directory, "server.db")} can't be written: this user may not do that there, or the disk is read-only\n`,
  ]);
  expect(made).toEqual([1, `Error: cannot create ${inside}: this user may not do that there\n`]);
});

bound("a data directory that the user may not look into is not taken for a missing one", async () => {
  await using folder = await temporaryFolder();
  const directory = await madeServer(join(folder.path, "server"));
  chmodSync(directory, 0);
  const answer = await asNobody(["file", "list", "--server-dir", directory]);
  chmodSync(directory, 0o700);
  expect(answer).toEqual([
    1,
    `Error: ${directory}: permission denied; run the command as the owner of the directory, or ask its server with --server <address>\n`,
  ]);
});

test("the address of a server without a token names the command that signs in", async () => {
  await using server = await runContext();
  await using home = await temporaryFolder();
  const asked = async (environment: Record<string, string>) => {
    const outcome = await runBinary("cairn", ["auth", "whoami", "--server", server.url], {
      environment: { HOME: home.path, ...environment },
    });
    return [outcome.exitCode, outcome.stderr];
  };
  const remedy = `cairn auth login <name> --server ${server.url}, or give a token with --token-file or SERVICE_TOKEN`;
  expect(await asked({})).toEqual([2, `Error: you are not signed in to ${server.url}: ${remedy}\n`]);
  expect(await asked({ SERVICE_TOKEN: "cairn_of_old" })).toEqual([
    2,
    `Error: the token is not valid: it is unknown, revoked or expired; sign in again: ${remedy}\n`,
  ]);
});

test("a server that is not there is said so without the words of the library", async () => {
  const outcome = await runBinary("cairn", ["file", "list", "--server", "http://127.0.0.1:1"]);
  expect([outcome.exitCode, outcome.stderr]).toEqual([
    2,
    "Error: http://127.0.0.1:1 does not answer: nothing listens there; does the server run, and is the port right?\n",
  ]);
});

test("commands that take the space as a word of their own ask for it as such", async () => {
  await using server = await runContext();
  await server.cairn("space", "create", "research");
  for (const command of ["show", "quotas", "adopt"]) {
    const outcome = await server.cairn("space", command);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      "Error: <name> is needed: one of research, team\n",
    ]);
  }
  expect((await server.cairn("file", "list")).stderr).toBe(
    "Error: --space is needed: one of research, team\n",
  );
});

test.each([
  [["audit", "list", "--since", "yesterday"], "--since: expected a time (RFC 3339) or a date"],
  [["audit", "list", "--limit", "0"], "--limit: expected an integer from 1 to 500"],
  [["history", "snapshot", ""], "name: must not be empty"],
  [["history", "snapshot", "a".repeat(101)], "name: at most 100 characters"],
  [
    ["webhook", "add", "http://10.0.0.1/"],
    "url: 10.0.0.1 leads to 10.0.0.1: private; webhooks.allow_private_targets in server.yaml would let it be",
  ],
  [
    ["webhook", "add", "http://localhost/"],
    "url: localhost is a name of this machine or its own network; webhooks.allow_private_targets in server.yaml would let it be",
  ],
  [
    ["webhook", "add", "http://169.254.169.254/"],
    "url: 169.254.169.254 leads to 169.254.169.254: a cloud metadata address",
  ],
])("%p is refused with what to change", async (args, says) => {
  await using folder = await temporaryFolder();
  const directory = await madeServer(join(folder.path, "server"));
  const outcome = await runBinary("cairn", [...args, "--server-dir", directory]);
  expect([outcome.exitCode, outcome.stderr]).toEqual([1, `Error: ${says}\n`]);
});

test("an answer names the next command as it has to be typed, and nothing twice", async () => {
  await using folder = await temporaryFolder();
  const directory = await madeServer(join(folder.path, "server"));
  const said = async (line: string) =>
    (await runBinary("cairn", [...line.split(" "), "--server-dir", directory])).stdout;
  expect(await said("file delete decisions.md --space main")).toBe(
    "decisions.md is deleted (v1); bring it back with cairn file undelete decisions.md --space main\n",
  );
  await said("file put decisions.md --from CONTRIBUTING.md");
  expect(await said("file diff decisions.md")).toStartWith("--- decisions.md v1\n+++ decisions.md v2\n@@ ");
  expect(await said("file diff decisions.md --from v2")).toBe(
    "decisions.md: no difference between v2 and v2\n",
  );
  expect(await said("space quotas main")).toStartWith("max_file_size   5242880 (5.0 MiB)\n");
  await said("user add bob --role viewer");
  expect(await said("acl list bob")).toBe("bob has no rules: the role decides\n");
  await said("user disable bob");
  expect(await said("user enable bob")).toBe("bob is active; has no token: cairn auth token create bob\n");
});

test.each([
  ["/nowhere/at-all", "no such file"],
  [".", "is a directory, not a file"],
])("file put --from %s", async (from, says) => {
  await using folder = await temporaryFolder();
  const directory = await madeServer(join(folder.path, "server"));
  const command = ["file", "put", "a.md", "--from", from];
  const outcome = await runBinary("cairn", [...command, "--server-dir", directory]);
  expect([outcome.exitCode, outcome.stderr]).toEqual([1, `Error: --from ${from}: ${says}\n`]);
});

test.each([
  [["--version"], "unknown flag: --version", "version"],
  [["help"], "unknown command: help", "--help"],
])("cairn %p says what was meant", async (args, says, meant) => {
  expect((await runBinary("cairn", args)).stderr).toBe(`Error: ${says}\n[info] did you mean ${meant}?\n`);
});

test("no new space has the name of a device", async () => {
  await using server = await runContext();
  const outcome = await server.cairn("space", "create", "con");
  expect(outcome.stderr).toBe('Error: name: "con" is a device name on some systems\n');
  await using folder = await temporaryFolder();
  await expect(
    initServer({ directory: join(folder.path, "new"), space: "nul", admin: "ada" }, log),
  ).rejects.toThrow('space: "nul" is a device name on some systems');
});

describe("server.yaml", () => {
  test("can be appended to as init server wrote it", async () => {
    await using folder = await temporaryFolder();
    const directory = await madeServer(join(folder.path, "server"));
    const path = join(directory, "server.yaml");
    await Bun.write(path, `${readFileSync(path, "utf8")}log_level: warn\n`);
    expect(loadServerConfig(directory).logLevel).toBe("warn");
  });

  test.each([
    ["log_level: loud", "log_level: expected one of: debug, info, warn, error"],
    ["secrets:\n  mode: maybe", "secrets.mode: expected one of: block, warn, off"],
  ])("%p names the words that are allowed", async (text, says) => {
    await using folder = await temporaryFolder();
    await folder.write("server.yaml", text);
    expect(() => loadServerConfig(folder.path)).toThrow(says);
  });

  test("doctor says how to mend one that is gone or no YAML", async () => {
    await using folder = await temporaryFolder();
    const directory = await madeServer(join(folder.path, "server"));
    const fix = async () =>
      (await examine(directory, folder.path, systemClock)).checks.find(
        ({ check }) => check === "configuration",
      )?.fix;
    await Bun.write(join(directory, "server.yaml"), "listen: [");
    expect(await fix()).toBe("correct the last edit of server.yaml: it is not valid YAML");
    await Bun.file(join(directory, "server.yaml")).delete();
    expect(await fix()).toStartWith("restore server.yaml from a backup");
  });

  test("an address that this machine does not have is said so", async () => {
    await using folder = await temporaryFolder();
    const directory = await madeServer(join(folder.path, "server"));
    await Bun.write(join(directory, "server.yaml"), "listen:\n  address: 192.0.2.1\n");
    const outcome = await runBinary("cairn", ["server", "start", "--server-dir", directory]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      "Error: listen 192.0.2.1:8743: it is no address of this machine; set another one\n",
    ]);
  });

  test("what is wrong with it is said at once, in the background as well", async () => {
    await using folder = await temporaryFolder();
    const directory = await madeServer(join(folder.path, "server"));
    await Bun.write(join(directory, "server.yaml"), "nope: 1\n");
    const outcome = await runBinary("cairn", ["server", "start", "--detach", "--server-dir", directory]);
    const path = join(directory, "logs", "server.log");
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      `Error: the server did not start: config ${join(directory, "server.yaml")}: nope: unknown key; its log: ${path}\n`,
    ]);
    expect(existsSync(path)).toBe(true);
  });
});
