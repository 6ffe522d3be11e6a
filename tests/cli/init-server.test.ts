// Goal: what `cairn init server` and `server.yaml` say about addresses is refused before anything is made or opened, when nothing could
// ever be reached there.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadServerConfig } from "../../src/context/config/config.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { initServer, prepareServer } from "../../src/context/init-server.ts";
import { data, printed, refused } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";

const NAMES = ["--space", "main", "--admin", "ada"];

test.each([
  [["--address", "999.1.1.1"], '--address "999.1.1.1": not an address: expected four numbers'],
  [["--address", "http://localhost"], '--address "http://localhost": neither an address nor a hostname'],
  [["--address", "224.0.0.1"], '--address "224.0.0.1": a multicast address, where nothing can listen'],
  [
    ["--address", "203.0.113.9"],
    '--address "203.0.113.9": not an address of this machine; use an address of this machine, or ::',
  ],
  [["--address", "no.such.invalid"], '--address "no.such.invalid": a name without a known address; use an'],
  [["--port", "65536"], '--port "65536": expected a number from 0 to 65535'],
  [["--port", "http"], '--port "http": expected a number from 0 to 65535'],
])("init server %p makes nothing", async (flags, says) => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  const [exitCode, said] = await refused("init", "server", "--data-dir", directory, ...NAMES, ...flags);
  expect(exitCode).toBe(1);
  expect(said).toStartWith(`Error: ${says}`);
  expect(existsSync(directory)).toBe(false);
});

test("a file where the directory should be, and the library's own door, refuse the same", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("server", "a file");
  const log = { format: "json" as const, write: () => {} };
  const made = (directory: string, address?: string) =>
    initServer(
      { directory, space: "main", admin: "ada", ...(address === undefined ? {} : { address }) },
      log,
    );
  await expect(made(file)).rejects.toThrow(`${file} is not a directory`);
  await expect(made(join(folder.path, "new"), "1.2.3")).rejects.toThrow('address: "1.2.3" is not an address');
  await expect(made(join(folder.path, "new"), "203.0.113.9")).rejects.toThrow(
    'address: "203.0.113.9" is not an address of this machine',
  );
  const prepared = prepareServer({ directory: join(folder.path, "new"), address: "203.0.113.9" }, log);
  await expect(prepared).rejects.toThrow('address: "203.0.113.9" is not an address of this machine');
  expect(readdirSync(folder.path)).toEqual(["server"]);
});

test("a server for another machine gets its address by --reconfigure", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "server");
  await printed("init", "server", "--data-dir", directory, ...NAMES, "--address", "::", "--port", "0");
  const there = ["--address", "203.0.113.9"];
  await printed("init", "server", "--reconfigure", "--server-dir", directory, ...there);
  expect(loadServerConfig(directory).listen.host).toBe("203.0.113.9");
});

test("a port that is in use now is a hint, and a refusal only for a server that starts at once", async () => {
  await using folder = await temporaryFolder();
  using other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = other;
  const directory = join(folder.path, "server");
  const said = await printed("init", "server", "--data-dir", directory, ...NAMES, "--port", String(port));
  expect(said).toContain(`another program uses port ${port} now: stop it before you start the server, or`);
  const command = `  cairn init server --reconfigure --server-dir ${directory} --port <port>\n`;
  expect(said).toContain(command);
  const log = { format: "json" as const, write: () => {} };
  const place = { directory: join(folder.path, "page"), port };
  await expect(prepareServer(place, log)).rejects.toThrow(`port: ${port} is already in use; choose another`);
  expect(existsSync(place.directory)).toBe(false);
  const free = await data<object>(
    "init",
    "server",
    "--data-dir",
    join(folder.path, "free"),
    ...NAMES,
    "--port",
    "0",
  );
  expect(free).not.toHaveProperty("port_in_use");
});

test("an empty directory becomes private; one with other files stays as it is", async () => {
  await using folder = await temporaryFolder();
  for (const [name, flags, mode] of [
    ["empty", [], 0o700],
    ["other", ["--force"], 0o755],
  ] as const) {
    const directory = join(folder.path, name);
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    if (name === "other") await folder.write("other/notes.txt", "mine");
    await printed("init", "server", "--data-dir", directory, ...NAMES, ...flags);
    expect(statSync(directory).mode & 0o777).toBe(mode);
  }
});

test("a failure removes what was written, and nothing else", async () => {
  await using folder = await temporaryFolder();
  const log = { format: "json" as const, write: () => {} };
  const brokenClock = {
    ...systemClock,
    now() {
      throw new Error("no time");
    },
  };
  const fail = (name: string, force: boolean) =>
    initServer({ directory: join(folder.path, name), space: "main", admin: "ada", force }, log, brokenClock);
  await folder.write("mine/notes.txt", "mine");
  await folder.write("mine/more/a.txt", "mine");
  await expect(fail("mine", true)).rejects.toThrow("no time");
  await expect(fail("new", false)).rejects.toThrow("no time");
  expect(readdirSync(folder.path, { recursive: true }).toSorted()).toEqual([
    "mine",
    "mine/more",
    "mine/more/a.txt",
    "mine/notes.txt",
  ]);
});

test("finishes a setup that was left in the browser, at its address or another", async () => {
  await using folder = await temporaryFolder();
  const log = { format: "json" as const, write: () => {} };
  const finish = async (name: string, ...flags: string[]) => {
    const directory = join(folder.path, name);
    await prepareServer({ directory, address: "127.0.0.2", port: 8801 }, log);
    const [exitCode, said] = await refused(
      "init",
      "server",
      "--data-dir",
      directory,
      "--space",
      "-",
      "--admin",
      "ada",
    );
    expect([exitCode, said]).toEqual([1, expect.stringContaining('--space "-"')]);
    await printed("init", "server", "--noui", "--data-dir", directory, ...NAMES, ...flags);
    const again = await refused("init", "server", "--data-dir", directory, ...NAMES);
    expect(again[1]).toStartWith(`Error: ${directory} already holds files of a server (`);
    return loadServerConfig(directory).listen;
  };
  expect(await finish("kept")).toMatchObject({ host: "127.0.0.2", port: 8801 });
  expect(await finish("moved", "--port", "8802")).toMatchObject({ host: "127.0.0.2", port: 8802 });
});

test.each([
  ["address: 999.1.1.1", 'listen.address: "999.1.1.1" is not an address: expected four numbers'],
  ["trusted_proxies: ['10.1']", 'listen.trusted_proxies: "10.1" is neither an address nor a block'],
  ["trusted_proxies: [010.0.0.1]", 'listen.trusted_proxies: "010.0.0.1" is neither an address nor a block'],
  ["trusted_proxies: [proxy.example]", 'listen.trusted_proxies: "proxy.example" is neither an address'],
  ["trusted_proxies: [10.0.0.0/33]", 'listen.trusted_proxies: "10.0.0.0/33" is neither an address'],
  ["allowed_hosts: ['*.example']", 'listen.allowed_hosts: "*.example": neither an address nor a hostname'],
  ["allowed_hosts: ['a.example:70000']", 'listen.allowed_hosts: "a.example:70000": its port is not a number'],
])("server.yaml with listen: { %s } is refused", async (line, says) => {
  await using folder = await temporaryFolder();
  await folder.write("server.yaml", `listen:\n  ${line}\n`);
  expect(() => loadServerConfig(folder.path)).toThrow(says);
});

test("server.yaml with addresses of every good kind loads", async () => {
  await using folder = await temporaryFolder();
  const lines = [
    "address: '::1'",
    "trusted_proxies: [10.0.0.0/8, '::1', 'fd00::/8']",
    "allowed_hosts: [a.example, 'b.example:443', '[::1]:9000', my_proxy]",
  ];
  await folder.write("server.yaml", `listen:\n  ${lines.join("\n  ")}\n`);
  const { listen, trustedProxies, allowedHosts } = loadServerConfig(folder.path);
  expect(listen.host).toBe("::1");
  expect([trustedProxies.length, allowedHosts.length]).toEqual([3, 4]);
});
