// Goal: each setting comes from where it should (flags, environment, file, defaults), data is private from the first moment, the token is
// announced once and only its hash is kept, and the log has the form that its reader can use.

import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { loadConfig } from "../../src/service/config/config.ts";
import type { Config, ServeFlags } from "../../src/service/config/schema.ts";
import { binaryPath, runBinary } from "../kit/binaries.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { world } from "../kit/service/world.ts";
import { runService } from "../kit/service/running.ts";
import { within } from "../kit/within.ts";

const TOKEN = /^cairn_[A-Za-z0-9_-]{43}$/;
const posix = process.platform !== "win32";

function permissions(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe("settings", () => {
  /** `flags`, `environment` and `file` each give a value of their own; what is in force is compared. */
  async function inForce(given: {
    flags?: ServeFlags;
    environment?: Record<string, string>;
    file?: string;
  }): Promise<Config> {
    await using folder = await temporaryFolder();
    const environment = { HOME: folder.path, ...given.environment };
    const path = given.file === undefined ? undefined : await folder.write("given.yaml", given.file);
    const loaded = loadConfig(
      { ...(path === undefined ? {} : { config: path }), ...given.flags },
      environment,
    );
    const home = (file: string) => file.replace(folder.path, "~");
    return { ...loaded, data: home(loaded.data), secretsKey: home(loaded.secretsKey) };
  }

  test("have defaults", async () => {
    expect(await inForce({})).toEqual({
      listen: { host: "127.0.0.1", port: 8688 },
      data: "~/.cairn/service",
      logLevel: "info",
      secretsKey: "~/.cairn/service/secrets.key",
      egress: false,
      egressKey: "",
      terminal: false,
      sandbox: "auto",
      sandboxImages: {},
      sandboxPool: { size: 2, idleSeconds: 600 },
      loopbackAdmin: true,
      allowedHosts: [],
      trustedProxies: [],
      memory: undefined,
      backup: { directory: "", everyHours: 0, keep: 7, copyTo: undefined, memory: true },
      seedToken: undefined,
    });
  });

  const file = `
listen: "[::1]:1"
data: /from/file
log_level: warn
secrets_key: /run/secrets/cairn
egress: true
egress_key: key
terminal: true
sandbox: subprocess
sandbox_images: { python: p, node: n, bash: b, binary: x }
sandbox_pool: { size: 3, idle_seconds: 60 }
loopback_admin: false
allowed_hosts: [Cairn.Example, "[::1]:80"]
trusted_proxies: [10.0.0.0/8, "::1"]
memory: { space: /space }
backup: { directory: /backups, every_hours: 24, keep: 30, memory: false, copy_to: { bucket: b, prefix: p } }
`;

  test("include every key of the file", async () => {
    expect(await inForce({ file })).toEqual({
      listen: { host: "::1", port: 1 },
      data: "/from/file",
      logLevel: "warn",
      secretsKey: "/run/secrets/cairn",
      egress: true,
      egressKey: "key",
      terminal: true,
      sandbox: "subprocess",
      sandboxImages: { python: "p", node: "n", bash: "b", binary: "x" },
      sandboxPool: { size: 3, idleSeconds: 60 },
      loopbackAdmin: false,
      allowedHosts: ["cairn.example", "[::1]:80"],
      trustedProxies: ["10.0.0.0/8", "::1"],
      memory: { space: "/space" },
      backup: {
        directory: "/backups",
        everyHours: 24,
        keep: 30,
        copyTo: { bucket: "b", endpoint: "", region: "us-east-1", prefix: "p" },
        memory: false,
      },
      seedToken: undefined,
    });
  });

  test("a path of the file or of a variable may begin with the home directory", async () => {
    const home = "data: ~/made\nsecrets_key: ~/keys/one\n";
    expect(await inForce({ file: home })).toMatchObject({ data: "~/made", secretsKey: "~/keys/one" });
    const environment = { SERVICE_DATA: "~/other" };
    const secretsKey = "~/other/secrets.key";
    expect(await inForce({ environment })).toMatchObject({ data: "~/other", secretsKey });
    // A name that only begins so.
    expect((await inForce({ file: "data: /~a\n" })).data).toBe("/~a");
  });

  test("a variable overrides the file, a flag overrides both, and an empty variable counts as unset", async () => {
    const environment = { SERVICE_LISTEN: ":2", SERVICE_DATA: "/from/env", SERVICE_LOG_LEVEL: "error" };
    const fromEnvironment = await inForce({ file, environment });
    expect([fromEnvironment.listen, fromEnvironment.data, fromEnvironment.logLevel]).toEqual([
      { host: "::", port: 2 },
      "/from/env",
      "error",
    ]);
    const flags = { listen: "localhost:3", data: "/from/flag", logLevel: "debug" };
    const fromFlags = await inForce({ file, environment, flags });
    expect([fromFlags.listen, fromFlags.data, fromFlags.logLevel]).toEqual([
      { host: "localhost", port: 3 },
      "/from/flag",
      "debug",
    ]);
    const empty = await inForce({
      file,
      environment: { SERVICE_LISTEN: "", SERVICE_DATA: "", SERVICE_LOG_LEVEL: "", SERVICE_CONFIG: "" },
    });
    expect([empty.listen.port, empty.data, empty.logLevel]).toEqual([1, "/from/file", "warn"]);
  });

  test("--config wins over SERVICE_CONFIG, and that over config.yaml in the data directory", async () => {
    await using folder = await temporaryFolder();
    await folder.write("data/config.yaml", "log_level: debug");
    const second = await folder.write("second.yaml", "log_level: warn");
    const first = await folder.write("first.yaml", "log_level: error");
    const level = (config: string | undefined, environment: Record<string, string>) =>
      loadConfig({ data: `${folder.path}/data`, config }, environment).logLevel;
    expect([
      level(first, { SERVICE_CONFIG: second }),
      level(undefined, { SERVICE_CONFIG: second }),
      level(undefined, {}),
    ]).toEqual(["error", "warn", "debug"]);
  });

  for (const [variable, key] of [
    ["SERVICE_EGRESS", "egress"],
    ["SERVICE_TERMINAL", "terminal"],
  ] as const) {
    test(`${variable}: only 1 and true, in any case, mean on; anything else is off and wins over the file`, async () => {
      const on = async (value: string, inFile: boolean) =>
        (await inForce({ file: `${key}: ${inFile}`, environment: { [variable]: value } }))[key];
      const values = ["1", "true", "TRUE", "True", "yes", "on", "0", "false", "", " true", "1 ", "2", "01"];
      const expected = values.map((value) => ["1", "true", "TRUE", "True"].includes(value));
      expect(await Promise.all(values.map((value) => on(value, false)))).toEqual(expected);
      expect(await Promise.all(values.map((value) => on(value, true)))).toEqual(expected);
      expect((await inForce({ file: `${key}: true` }))[key]).toBe(true);
    });
  }

  test("in the file too only 1 and true, in any case, mean on, and a list is refused", async () => {
    const values = [
      "1",
      "true",
      "TRUE",
      '"True"',
      '"1"',
      "yes",
      "on",
      "0",
      "2",
      "false",
      '"no"',
      "1.5",
      "~",
      "",
    ];
    const expected = values.map((value) => ["1", "true", "TRUE", '"True"', '"1"'].includes(value));
    for (const [key, setting] of [
      ["egress", "egress"],
      ["terminal", "terminal"],
      ["loopback_admin", "loopbackAdmin"],
    ] as const) {
      const read = values.map(async (value) => (await inForce({ file: `${key}: ${value}` }))[setting]);
      expect({ key, on: await Promise.all(read) }).toEqual({ key, on: expected });
      await expect(inForce({ file: `${key}: [true]` })).rejects.toThrow(`${key}: expected true or false`);
    }
  });

  test("a proxy that is neither an address nor a block is refused by name", async () => {
    await expect(inForce({ file: "trusted_proxies: ['10.1']" })).rejects.toThrow(
      'trusted_proxies: "10.1" is neither an address nor a block such as 10.0.0.0/8',
    );
  });

  test("an empty file and a file of comments are no settings; the file is only read", async () => {
    expect((await inForce({ file: "" })).listen.port).toBe(8688);
    expect((await inForce({ file: "# nothing\n" })).listen.port).toBe(8688);
    await using folder = await temporaryFolder();
    const path = await folder.write("config.yaml", "log_level: debug\n");
    if (posix) chmodSync(path, 0o400);
    await using service = await runService({ args: ["--config", path] });
    await service.end("SIGTERM");
    expect(await Bun.file(path).text()).toBe("log_level: debug\n");
  });
});

describe("a fresh data directory", () => {
  test("holds the database and nothing else, for its owner only, whatever the umask", async () => {
    await using folder = await temporaryFolder();
    // The shell sets the mask and becomes the service.
    const data = `${folder.path}/deep/data`;
    const before = process.umask(0);
    await using service = await runService({ data }).finally(() => process.umask(before));
    const names = readdirSync(data).toSorted();
    expect(names.filter((name) => !/^service\.db(-wal|-shm)?$/.test(name))).toEqual([]);
    if (posix) expect(names.map((name) => permissions(`${data}/${name}`))).toEqual(names.map(() => "600"));
    if (posix) expect([permissions(`${folder.path}/deep`), permissions(data)]).toEqual(["700", "700"]);
    expect(await service.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
    expect(readdirSync(data)).toEqual(["service.db"]);
  });

  test.if(posix)(
    "a directory that exists keeps its mode; a database that others can read is closed to them",
    async () => {
      await using folder = await temporaryFolder();
      const data = `${folder.path}/data`;
      mkdirSync(data, { mode: 0o755 });
      await using first = await runService({ data });
      await first.end("SIGTERM");
      expect([permissions(data), permissions(`${data}/service.db`)]).toEqual(["755", "600"]);
      chmodSync(`${data}/service.db`, 0o666);
      await using second = await runService({ data });
      expect(readdirSync(data).map((name) => permissions(`${data}/${name}`))).toEqual(
        readdirSync(data).map(() => "600"),
      );
      expect(second.token).toBe("");
    },
  );
});

describe("the admin's token", () => {
  test("is announced in one line by the first start, works, and only its hash is stored", async () => {
    await using folder = await temporaryFolder();
    const data = `${folder.path}/data`;
    await using first = await runService({ data, args: ["--log-level", "debug"] });
    const announcing = first.log.filter((line) => JSON.stringify(line).includes("cairn_"));
    expect(announcing.map((line) => [line.message, line.token])).toEqual([
      ["admin created; its token is shown only here", first.token],
    ]);
    expect(first.token).toMatch(TOKEN);
    const answer = await fetch(`${first.url}/api/v1/whoami`, {
      headers: { Authorization: `Bearer ${first.token}` },
    });
    expect(await answer.json()).toMatchObject({ name: "admin", role: "admin", auth: "token" });
    await first.end("SIGTERM");
    await using second = await runService({ data });
    expect(second.text()).not.toContain("cairn_");
    expect(
      (await fetch(`${second.url}/api/v1/whoami`, { headers: { Authorization: `Bearer ${first.token}` } }))
        .status,
    ).toBe(200);
    await second.end("SIGTERM");
    const bytes = Buffer.from(await Bun.file(`${data}/service.db`).bytes());
    const hash = new Bun.CryptoHasher("sha256").update(first.token).digest("hex");
    expect([bytes.includes(hash), bytes.includes(first.token), bytes.includes(first.token.slice(6))]).toEqual(
      [true, false, false],
    );
  });

  test("is announced at any log level, since nothing can recover it", async () => {
    for (const logLevel of ["warn", "error"]) {
      await using at = await world({ flags: { logLevel } });
      expect(at.program.token).toMatch(TOKEN);
    }
  });

  test("given in the environment it is used and never shown", async () => {
    const given = "operator-chose-this-token-0001";
    await using service = await runService({
      environment: { SERVICE_ADMIN_TOKEN: given },
      args: ["--log-level", "debug"],
    });
    expect(
      (await fetch(`${service.url}/api/v1/whoami`, { headers: { Authorization: `Bearer ${given}` } })).status,
    ).toBe(200);
    expect(service.log.map((line) => line.message)).toContain(
      "admin created with the token from SERVICE_ADMIN_TOKEN",
    );
    expect(service.text()).not.toContain(given);
  });
});

test("in a container the log says whether loopback has the privilege, and why", async () => {
  const environment = { container: "podman" };
  const said = async (on: string, listen: string, file?: string) => {
    await using folder = await temporaryFolder();
    const args = file === undefined ? [] : ["--config", await folder.write("c.yaml", file)];
    await using service = await runService({ listen, environment, args });
    const { evidence, why } = await service.line(
      `this looks like a container; the loopback privilege is ${on}`,
    );
    return [evidence, why];
  };
  expect(await said("on", "127.0.0.1:0")).toEqual(["container=podman", "listening on 127.0.0.1"]);
  expect(await said("off", "0.0.0.0:0")).toEqual(["container=podman", "listening on 0.0.0.0"]);
  expect(await said("off", "127.0.0.1:0", "loopback_admin: false")).toEqual([
    "container=podman",
    "loopback_admin is false",
  ]);
});

test("a path with a stray line end or space is refused by name, and nothing is created there", async () => {
  await using folder = await temporaryFolder();
  const said = async (name: "service" | "cairn", args: string[], environment: Record<string, string>) => {
    const { exitCode, stderr } = await runBinary(name, args, { cwd: folder.path, environment });
    return [exitCode, stderr];
  };
  const refused = (setting: string, path: string) => [
    1,
    `Error: ${setting} ${JSON.stringify(path)}: a path must not begin or end with a space or contain control characters; ` +
      "check the line ends of the file that sets it\n",
  ];
  const path = `${folder.path}/data\r`;
  const serve = ["serve", "--listen", "127.0.0.1:0"];
  expect(await said("service", serve, { SERVICE_DATA: path })).toEqual(refused("data", path));
  expect(await said("service", serve, { SERVICE_DATA: " data" })).toEqual(refused("data", " data"));
  const key = { SERVICE_DATA: `${folder.path}/data`, SERVICE_SECRETS_KEY: path };
  expect(await said("service", serve, key)).toEqual(refused("secrets_key", path));
  const init = ["init", "server", "--noui", "--non-interactive", "--space", "main", "--admin", "ada"];
  expect(await said("cairn", init, { SERVICE_SERVER_DIR: path })).toEqual(
    refused("SERVICE_SERVER_DIR", path),
  );
  expect(await said("cairn", ["init", "solo"], { SERVICE_DIR: path })).toEqual(refused("SERVICE_DIR", path));
  expect(readdirSync(folder.path)).toEqual([]);
  const config = await folder.write("c.yaml", 'data: "stray "\n');
  expect(await said("service", [...serve, "--config", config], {})).toEqual(refused("data", "stray "));
  expect(readdirSync(folder.path)).toEqual(["c.yaml"]);
});

test("a port alone means all interfaces, of IPv4 and of IPv6", async () => {
  await using service = await runService({ listen: ":0" });
  const status = async (host: string) => (await fetch(`http://${host}:${service.port}/health`)).status;
  expect(await status("127.0.0.1")).toBe(200);
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  if (addresses.some(({ address }) => address === "::1")) expect(await status("[::1]")).toBe(200);
  else console.log("skipped: this machine has no IPv6");
});

test("without the loopback privilege no line of the log names it", async () => {
  await using service = await runService({ listen: "0.0.0.0:0" });
  const { message } = await service.line(
    "gears are not isolated: no container runtime is used, so an approved gear runs with this server's own access: " +
      "the database, the stored provider keys, and this API. The approval is the only control",
  );
  expect(message).not.toContain("loopback");
  await service.end("SIGTERM");
  expect(service.text()).not.toContain("loopback");
});

test.if(posix)(
  "on a terminal a log line is a time, a level, a message and key=value, otherwise JSON",
  async () => {
    await using folder = await temporaryFolder();
    let shown = "";
    const listening = Promise.withResolvers<void>();
    const child = Bun.spawn(
      [binaryPath("service"), "serve", "--data", `${folder.path}/da ta`, "--listen", "127.0.0.1:0"],
      {
        env: process.env,
        terminal: {
          cols: 400,
          rows: 50,
          data: (_terminal, bytes) => {
            shown += new TextDecoder().decode(bytes);
            if (shown.includes(" listening ")) listening.resolve();
          },
        },
      },
    );
    await Promise.race([listening.promise, child.exited]);
    child.kill("SIGTERM");
    expect(await within("service ends", child.exited)).toBe(0);
    // The last output may come after the end of the process.
    await until(() => / stopped\r?\n$/.test(shown));
    const lines = shown.split(/\r?\n/).filter((line) => line !== "");
    const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO |WARN |ERROR) [a-z]/;
    expect(lines.filter((line) => !form.test(line))).toEqual([]);
    expect(lines.find((line) => line.includes(" listening "))).toMatch(
      / listening url=http:\/\/127\.0\.0\.1:\d+ version=\S+ data=".*\/da ta"$/,
    );
  },
);

test("a home that is no absolute path is refused by name, since another working directory would have other data", async () => {
  await using folder = await temporaryFolder();
  const said = async (name: "service" | "cairn", args: string[], environment: Record<string, string>) => {
    const { exitCode, stderr } = await runBinary(name, args, { cwd: folder.path, environment });
    return [exitCode, stderr];
  };
  const refused = (setting: string, path: string) => [
    1,
    `Error: ${setting} "${path}": expected an absolute path; set it to your home directory\n`,
  ];
  const serve = ["serve", "--listen", "127.0.0.1:0"];
  expect(await said("service", serve, { HOME: "." })).toEqual(refused("HOME", "."));
  const solo = ["init", "solo", "--non-interactive"];
  for (const args of [["status"], solo])
    expect(await said("cairn", args, { HOME: "~" })).toEqual(refused("HOME", "~"));
  expect(await said("cairn", solo, { HOME: "", USERPROFILE: "me" })).toEqual(refused("USERPROFILE", "me"));
  expect(readdirSync(folder.path)).toEqual([]);
});
