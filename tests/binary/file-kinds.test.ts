// Goal: a FIFO in place of a file that the programs read at start is refused at once, and a pipe that the shell passes on is read, but can be stopped.

import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { binaryPath, runBinary } from "../kit/binaries.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { within } from "../kit/within.ts";

const NOWHERE = ["--listen", "127.0.0.1:0"];

function fifo(folder: Folder, name: string): string {
  const path = `${folder.path}/${name}`;
  execFileSync("mkfifo", [path]);
  return path;
}

/** Runs `service serve` with its configuration from a shell's pipe. */
function fromPipe(data: string, writer: string) {
  return Bun.spawn(
    [
      "bash",
      "-c",
      `exec "$0" serve --data "$1" --listen 127.0.0.1:0 --config <(${writer})`,
      binaryPath("service"),
      data,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
}

describe.skipIf(process.platform === "win32").concurrent("a file that is not a regular file:", () => {
  test("--config of service", async () => {
    await using folder = await temporaryFolder();
    const path = fifo(folder, "config.yaml");
    const data = `${folder.path}/data`;
    expect(await runBinary("service", ["serve", "--data", data, ...NOWHERE, "--config", path])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Error: read config ${path}: open ${path}: not a regular file\n`,
    });
    expect(readdirSync(folder.path)).not.toContain("data");
  });

  test("config.yaml in the data directory of service", async () => {
    await using folder = await temporaryFolder();
    const path = fifo(folder, "config.yaml");
    expect(await runBinary("service", ["serve", "--data", folder.path, ...NOWHERE])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Error: read config ${path}: open ${path}: not a regular file\n`,
    });
  });

  test("server.yaml of cairn", async () => {
    await using folder = await temporaryFolder();
    const path = fifo(folder, "server.yaml");
    const outcome = await runBinary("cairn", ["server", "start", "--server-dir", folder.path]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([1, `Error: config ${path}: not a regular file\n`]);
  });

  test("--token-file of cairn", async () => {
    await using folder = await temporaryFolder();
    const path = fifo(folder, "token");
    const args = ["file", "list", "--server", "http://127.0.0.1:1", "--space", "s", "--token-file", path];
    const outcome = await runBinary("cairn", args);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      `Error: --token-file ${path}: not a regular file\n`,
    ]);
  });

  test("the null device is an empty configuration", async () => {
    await using folder = await temporaryFolder();
    const args = ["--data", `${folder.path}/data`, "--listen", "nowhere", "--config", "/dev/null"];
    const outcome = await runBinary("service", ["serve", ...args]);
    expect(outcome.stderr).toStartWith('Error: listen "nowhere"');
  });

  test("a pipe of the shell is read to its end, and only as far as a configuration can reach", async () => {
    await using folder = await temporaryFolder();
    const broken = fromPipe(`${folder.path}/data`, "echo colour: red");
    expect(await broken.stderr.text()).toMatch(/^Error: config \/dev\/fd\/\d+: colour: unknown key\n$/);
    const endless = fromPipe(`${folder.path}/data`, "yes");
    expect(await endless.stderr.text()).toMatch(/^Error: read config .*: larger than 16 MiB\n$/);
  });

  test("SIGTERM ends a program that waits for a pipe", async () => {
    await using folder = await temporaryFolder();
    const started = `${folder.path}/started`;
    // More than a pipe holds, so the program has begun to read when the writer goes on; then the pipe stays open and silent.
    const writer = `head -c 200000 /dev/zero; touch ${started}; while kill -0 $$; do sleep 0.1; done`;
    const child = fromPipe(`${folder.path}/data`, writer);
    await eventually(() => existsSync(started), true);
    child.kill("SIGTERM");
    await within("service ends", child.exited);
    expect(child.signalCode).toBe("SIGTERM");
  });
});
