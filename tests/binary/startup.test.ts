// Goal: settings come from flags, environment, file and defaults in this order, and whatever is refused is refused in the words of the
// specification and leaves nothing behind.

import { describe, expect, test } from "bun:test";
import { copyFileSync, chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/kit/storage/db.ts";
import { asNobody, bound, giveToNobody, isRoot } from "../kit/as-nobody.ts";
import { runBinary } from "../kit/binaries.ts";
import { stoppedContext } from "../kit/cli/cairn.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { runService } from "../kit/service/running.ts";

/** A program named docker that answers as a daemon would, or does not. */
async function fakeDocker(folder: Folder, answer: string): Promise<string> {
  const path = await folder.write("bin/docker", `#!/bin/sh\n${answer}\n`);
  chmodSync(path, 0o755);
  return `${folder.path}/bin:${process.env.PATH}`;
}

/** As a stopped service leaves it. */
function createDatabase(data: string): void {
  mkdirSync(data);
  const db = openDatabase(join(data, "service.db"));
  db.close();
}

const serve = (data: string, ...args: string[]) => runBinary("service", ["serve", "--data", data, ...args]);
const NOWHERE = ["--listen", "127.0.0.1:0"];
/** On Linux: the first port that needs no privilege. */
const FIRST_FREE_PORT = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
const UP = "echo 28.0.0";
const DOWN = "echo 'Cannot connect to the Docker daemon' >&2; exit 1";
/** As the clients of docker 28 and of docker 29 say it. */
const SHUT = [
  "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
  "permission denied while trying to connect to the docker API at unix:///var/run/docker.sock",
].map((said) => `echo '${said}' >&2; exit 1`);
/** Docker's words if its client does not fit its daemon, or if its settings are wrong. */
const UNFIT = [
  "Error response from daemon: client version 1.41 is too old. Minimum supported API version is 1.44",
  'Failed to initialize: unable to resolve docker endpoint: context "nope": context not found',
];
const EGRESS = "egress: true\negress_key: k\nsandbox: docker\n";
const proxies = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

interface Refusal {
  name: string;
  config?: string;
  docker?: string;
  /** Of the one line that is logged before the error; without it, none is. */
  reason?: string;
  environment?: Record<string, string>;
  args?: string[];
  error: string;
}

const NOT_SANDBOXED =
  "egress is enabled but gears are not sandboxed: use a container runtime (sandbox: docker, with its daemon running) or set egress: false";

const WRONG_CONFIGS: [name: string, config: string, problem: string][] = [
  ["an unknown key", "colour: red\n", "colour: unknown key"],
  ["an unknown key inside another", "sandbox_images:\n  ruby: x\n", "sandbox_images.ruby: unknown key"],
  [
    "an unknown key of memory",
    "memory:\n  server:\n    url: u\n    space: s\n    token_file: f\n    token: t\n",
    "memory.server.token: unknown key",
  ],
  [
    "two kinds of memory",
    "memory:\n  space: /s\n  server: { url: u, space: s, token_file: f }\n",
    "memory: expected either space or server",
  ],
  ["a value of the wrong kind", "egress: [maybe]\n", "egress: expected true or false"],
  [
    "a word in place of the choice to back up memory",
    "backup: { memory: yes }\n",
    "backup.memory: expected true or false",
  ],
  [
    "a word that is not one of the words",
    "sandbox: podman\n",
    "sandbox: expected one of: docker, auto, subprocess",
  ],
  ["a file that is a list", "- egress\n", "the file: expected an object"],
];

/** `{config}` and `{folder}` stand for paths. */
const refusals: Refusal[] = [
  {
    name: "a seed token that is too short",
    environment: { SERVICE_ADMIN_TOKEN: "a".repeat(23) },
    error:
      "SERVICE_ADMIN_TOKEN is 23 characters; it seeds the admin's credential, so at least 24 are required",
  },
  {
    name: "a seed token whose characters are fewer than its bytes",
    environment: { SERVICE_ADMIN_TOKEN: "ä".repeat(20) },
    error:
      "SERVICE_ADMIN_TOKEN is 20 characters; it seeds the admin's credential, so at least 24 are required",
  },
  {
    name: "a seed token that no header can carry",
    environment: { SERVICE_ADMIN_TOKEN: `${"a".repeat(24)} b` },
    error: "SERVICE_ADMIN_TOKEN must be printable ASCII without spaces, so that it fits in a header",
  },
  {
    name: "a seed token longer than any that is looked up",
    environment: { SERVICE_ADMIN_TOKEN: "a".repeat(513) },
    error: "SERVICE_ADMIN_TOKEN is 513 characters; at most 512 can be presented",
  },
  {
    name: "a configuration file that is not there",
    args: ["--config", "{folder}/none.yaml"],
    error: "read config {folder}/none.yaml: open {folder}/none.yaml: no such file or directory",
  },
  {
    name: "the same, named by the environment",
    environment: { SERVICE_CONFIG: "{folder}/none.yaml" },
    error: "read config {folder}/none.yaml: open {folder}/none.yaml: no such file or directory",
  },
  {
    name: "a configuration file that is a directory",
    args: ["--config", "{folder}"],
    error: "read config {folder}: open {folder}: a directory, not a file",
  },
  {
    name: "a configuration file that is a device",
    args: ["--config", "/dev/zero"],
    error: "read config /dev/zero: open /dev/zero: not a regular file",
  },
  ...WRONG_CONFIGS.map(([name, config, problem]) => ({ name, config, error: `config {config}: ${problem}` })),
  {
    name: "an address without a port",
    args: ["--listen", "localhost"],
    error: 'listen "localhost": expected <host>:<port>, for example 127.0.0.1:8688',
  },
  {
    name: "a port that cannot be",
    args: ["--listen", "localhost:65536"],
    error: 'listen "localhost:65536": the port must be at most 65535',
  },
  {
    name: "an unknown log level",
    args: ["--log-level", "loud"],
    error: 'log level "loud": expected one of debug, info, warn, error',
  },
  {
    name: "an allowed host with a scheme",
    config: "allowed_hosts: ['https://cairn.example']\n",
    error:
      'allowed_hosts: "https://cairn.example" is not a hostname; write name or name:port, without a scheme',
  },
  {
    name: "docker asked for, its daemon down",
    config: "sandbox: docker\n",
    docker: DOWN,
    reason: "Cannot connect to the Docker daemon",
    error: "sandbox: docker was requested but the daemon does not answer",
  },
  {
    name: "docker asked for, and none there",
    config: "sandbox: docker\n",
    environment: { PATH: "{folder}" },
    reason: "docker: not found",
    error: "sandbox: docker was requested but the daemon does not answer",
  },
  ...SHUT.map((docker, index) => ({
    name: `docker asked for, its daemon shut to this user, ${index + 28}`,
    config: "sandbox: docker\n",
    docker,
    error:
      "sandbox: docker was requested but the container daemon refuses the user of this service: add that user to the group of the daemon's socket, usually docker, log in again, and start the service",
  })),
  ...UNFIT.map((said) => ({
    name: `docker asked for, and its client says: ${said}`,
    config: "sandbox: docker\n",
    docker: `echo '${said}' >&2; exit 1`,
    error: `sandbox: docker was requested but the docker client and the container daemon do not work together: ${said}`,
  })),
  {
    name: "egress with the daemon shut to this user",
    config: "egress: true\negress_key: k\n",
    docker: SHUT[0]!,
    error:
      "egress is enabled but the container daemon refuses the user of this service: add that user to the group of the daemon's socket, usually docker, log in again, and start the service",
  },
  {
    name: "egress with the daemon down",
    config: "egress: true\negress_key: k\n",
    docker: DOWN,
    error: NOT_SANDBOXED,
  },
  {
    name: "egress in a subprocess",
    config: "egress: true\negress_key: k\nsandbox: subprocess\n",
    docker: UP,
    error: NOT_SANDBOXED,
  },
  {
    name: "egress without a key",
    config: "sandbox: docker\n",
    docker: UP,
    environment: { SERVICE_EGRESS: "True" },
    error:
      "egress is enabled but there is no credential for the search destination: set egress_key or set egress: false",
  },
  {
    name: "a path with a line end",
    environment: { SERVICE_SECRETS_KEY: "{folder}/key\r" },
    error:
      'secrets_key "{folder}/key\\r": a path must not begin or end with a space or contain control characters; check the line ends of the file that sets it',
  },
  ...proxies.map((variable) => ({
    name: `egress with ${variable}`,
    config: EGRESS,
    docker: UP,
    environment: { [variable]: "http://proxy.example:3128" },
    error: `egress is enabled but ${variable} is set: searches must reach their destination directly; unset it or set egress: false`,
  })),
];

describe.concurrent("a refused start leaves nothing behind:", () => {
  for (const refusal of refusals) {
    test(refusal.name, async () => {
      await using folder = await temporaryFolder();
      const fill = (text: string) =>
        text.replaceAll("{folder}", folder.path).replaceAll("{config}", `${folder.path}/c.yaml`);
      const args = ["serve", "--data", `${folder.path}/a/b/data`, ...(refusal.args ?? []).map(fill)];
      if (!refusal.args?.includes("--listen")) args.push("--listen", "127.0.0.1:0");
      if (refusal.config !== undefined) args.push("--config", await folder.write("c.yaml", refusal.config));
      const environment = Object.fromEntries(
        Object.entries(refusal.environment ?? {}).map(([name, value]) => [name, fill(value)]),
      );
      if (refusal.docker !== undefined) environment.PATH = await fakeDocker(folder, refusal.docker);
      const outcome = await runBinary("service", args, { cwd: folder.path, environment });
      const { exitCode, stdout, stderr } = outcome;
      const [last, ...logged] = stderr.trimEnd().split("\n").toReversed();
      const said = { exitCode, stdout, last, logged: logged.map((line) => JSON.parse(line).reason) };
      const reasons = refusal.reason === undefined ? [] : [refusal.reason];
      expect(said).toEqual({
        exitCode: 1,
        stdout: "",
        last: `Error: ${fill(refusal.error)}`,
        logged: reasons,
      });
      expect(readdirSync(folder.path).filter((name) => name !== "c.yaml" && name !== "bin")).toEqual([]);
    });
  }

  test("invalid YAML", async () => {
    await using folder = await temporaryFolder();
    const config = await folder.write("c.yaml", "egress: [\n");
    const { exitCode, stderr } = await serve(`${folder.path}/data`, "--config", config);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(`Error: config ${config}: near line 1: YAML`);
    expect(existsSync(`${folder.path}/data`)).toBe(false);
  });

  test("the port is in use", async () => {
    await using first = await runService();
    await using folder = await temporaryFolder();
    const listen = `127.0.0.1:${first.port}`;
    const outcome = await serve(`${folder.path}/a/data`, "--listen", listen);
    expect(outcome.exitCode).toBe(1);
    // No token either: it would never be valid.
    const lines = outcome.stderr.trim().split("\n");
    expect(lines.at(-1)).toBe(
      `Error: listen ${listen}: the address is already in use; stop the other program or choose another port`,
    );
    expect(outcome.stderr).not.toContain("cairn_");
    expect(readdirSync(folder.path)).toEqual([]);
  });

  bound("a database of another user, and one in a directory that may not be written", async () => {
    await using folder = await temporaryFolder();
    chmodSync(folder.path, 0o755);
    const data = `${folder.path}/data`;
    const path = `${data}/service.db`;
    createDatabase(data);
    const refused = async () => {
      const { stderr } = await asNobody(["serve", "--data", data, ...NOWHERE], { program: "service" });
      return stderr.trim().split("\n").at(-1);
    };
    if (isRoot) {
      chmodSync(data, 0o777);
      const other = "belongs to another user; run the program as its owner, or change the owner";
      for (const mode of [0o666, 0o600]) {
        chmodSync(path, mode);
        expect(await refused()).toBe(`Error: ${path} ${other}`);
      }
    }
    giveToNobody(data);
    chmodSync(path, 0o600);
    chmodSync(data, 0o555);
    const answer = await refused();
    chmodSync(data, 0o755);
    expect(answer).toBe(
      `Error: ${path} cannot be written: permission denied, or the disk is read-only; run the program as the owner of the directory, or choose another one`,
    );
  });

  test.each(["nowhere.invalid:8688", "[2001:db8::1]:8688"])(
    "%s, which leads nowhere, is not taken for an address in use",
    async (place) => {
      await using folder = await temporaryFolder();
      const outcome = await serve(`${folder.path}/data`, "--listen", place);
      expect([outcome.exitCode, outcome.stderr.trim().split("\n").at(-1)]).toEqual([
        1,
        `Error: listen ${place}: not an address of this machine; choose another`,
      ]);
    },
  );

  bound("a port that needs a privilege is refused with what to do", async () => {
    // Containers often leave no port to root alone.
    if (!existsSync(FIRST_FREE_PORT) || Number(await Bun.file(FIRST_FREE_PORT).text()) <= 1) return;
    await using folder = await temporaryFolder();
    giveToNobody(folder.path);
    const args = ["serve", "--data", `${folder.path}/data`, "--listen", "[::1]:1"];
    const { exitCode, stderr } = await asNobody(args, { program: "service" });
    expect([exitCode, stderr.trim().split("\n").at(-1)]).toEqual([
      1,
      "Error: listen [::1]:1: this user may not listen there; choose a port above 1023, or grant the program the port",
    ]);
  });

  test("files that others put into a directory that it made stay", async () => {
    await using first = await runService();
    await using folder = await temporaryFolder();
    const config = await folder.write("data/config.yaml", `listen: 127.0.0.1:${first.port}\n`);
    const outcome = await serve(`${folder.path}/data`);
    expect(outcome.exitCode).toBe(1);
    expect(readdirSync(`${folder.path}/data`)).toEqual(["config.yaml"]);
    expect(existsSync(config)).toBe(true);
  });

  for (const [name, below] of [
    ["is a file", ""],
    ["lies below a file", "/deeper/data"],
  ] as const) {
    test(`the data directory ${name}`, async () => {
      await using folder = await temporaryFolder();
      const file = await folder.write("taken", "mine");
      const outcome = await serve(file + below, ...NOWHERE);
      expect(outcome.exitCode).toBe(1);
      expect(outcome.stderr).toStartWith(`Error: data directory ${file}${below}: `);
      expect(outcome.stderr).not.toContain("unexpected");
      expect(await Bun.file(file).text()).toBe("mine");
    });
  }

  test("the database is another file", async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write(
      "service.db",
      "this is not a database, and it is long enough to be looked at as one".repeat(20),
    );
    const before = await Bun.file(file).text();
    const outcome = await serve(folder.path, ...NOWHERE);
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Error: ${file} is not a usable database (file is not a database); restore a backup or move it away\n`,
    });
    expect(await Bun.file(file).text()).toBe(before);
    expect(readdirSync(folder.path)).toEqual(["service.db"]);
  });

  test("the database is a copy without its log", async () => {
    await using running = await runService();
    await using folder = await temporaryFolder();
    const file = join(folder.path, "service.db");
    copyFileSync(join(running.data, "service.db"), file);
    const outcome = await serve(folder.path, ...NOWHERE);
    const advice =
      "copy it together with service.db-wal while the program is stopped, restore a backup, or delete it to start with an empty one";
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Error: ${file} is an incomplete copy: it is empty; ${advice}\n`,
    });
    expect(readdirSync(folder.path)).toEqual(["service.db"]);
  });

  test("the data directory is that of a context server", async () => {
    await using server = await stoppedContext();
    const before = readdirSync(server.directory);
    expect(await serve(server.directory, ...NOWHERE)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Error: data directory ${server.directory}: it holds a context server; start that with cairn server start, or choose another directory\n`,
    });
    expect(readdirSync(server.directory)).toEqual(before);
  });

  test("another process has the data", async () => {
    await using first = await runService();
    const before = readdirSync(first.data);
    const outcome = await serve(first.data, ...NOWHERE);
    const file = join(first.data, "service.db");
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Error: ${file} is in use by another process; stop it first, or choose another data directory\n`,
    });
    expect(readdirSync(first.data)).toEqual(before);
    expect(await first.admin.get("/whoami")).toMatchObject({ auth: "loopback" });
  });

  test("of many that start at once on one fresh directory, one serves and the others change nothing", async () => {
    await using folder = await temporaryFolder();
    const data = `${folder.path}/data`;
    const starts = await Promise.allSettled(Array.from({ length: 6 }, () => runService({ data })));
    const running = starts.filter((start) => start.status === "fulfilled").map((start) => start.value);
    try {
      const reasons = starts
        .filter((start) => start.status === "rejected")
        .map((start) => String(start.reason));
      expect(reasons.filter((reason) => !reason.includes("is in use by another process"))).toEqual([]);
      expect(running).toHaveLength(1);
      expect(await running[0]!.admin.get("/whoami")).toMatchObject({ name: "admin" });
      expect(existsSync(`${data}/service.db`)).toBe(true);
    } finally {
      for (const service of running) await service[Symbol.asyncDispose]();
    }
  });
});
