// Goal: as a child process, a gear gets its own folder and none of our variables, and its whole process group ends with it.

import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createSandbox } from "../../../src/service/sandbox/choice.ts";
import { Background } from "../../../src/kit/concurrency/background.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { createLog } from "../../../src/kit/log.ts";
import { DAEMON_SHUT, notIsolatedWarning } from "../../../src/service/sandbox/probe.ts";
import type { SandboxMode } from "../../../src/service/config/schema.ts";
import { DAEMONS, childrenIn } from "../../kit/service/gears.ts";
import { openSandbox } from "../../kit/service/sandbox.ts";
import { until } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";
import type { LogLine } from "../../kit/log-reader.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { within } from "../../kit/within.ts";

const posix = test.skipIf(process.platform === "win32");
const linux = test.skipIf(process.platform !== "linux");

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A killed process exists until its parent, now init, reaps it. */
const gone = (pid: number) =>
  until(async () => {
    const stat = Bun.file(`/proc/${pid}/stat`).text();
    // Caught at once: the process may end before the answer is awaited.
    return (await stat.catch(() => "")).includes(") Z ") || !alive(pid);
  });

posix("kills the whole process group at the timeout", async () => {
  const timers = manualClock();
  await using at = await openSandbox("subprocess", { timers });
  let said = "";
  const running = at.run("bash", "sleep 600 & (sleep 600 & echo $!); echo $!; wait", {
    timeoutMs: 500,
    output: (_, chunk) => (said += Buffer.from(chunk).toString()),
  });
  // Output may come before the timeout begins.
  await until(() => said.split("\n").length > 2 && timers.waits().length > 0);
  timers.advance(500);
  const { stdout, timedOut } = await running;
  const pids = stdout.trim().split("\n").map(Number);
  expect({ timedOut, pids: pids.length }).toEqual({ timedOut: true, pids: 2 });
  await Promise.all(pids.map(gone));
});

posix("ends processes that a gear left running", async () => {
  await using at = await openSandbox("subprocess");
  const { stdout, exitCode } = await at.run("bash", "nohup sleep 600 >/dev/null 2>&1 & echo $!");
  expect(exitCode).toBe(0);
  await gone(Number(stdout));
});

linux("ends processes that left the gear's group, at its end and when it is stopped", async () => {
  await using at = await openSandbox("subprocess");
  const stop = new AbortController();
  const output = (_: string, chunk: Uint8Array) => {
    if (Buffer.from(chunk).includes("ready")) stop.abort();
  };
  const [ended, stopped] = await Promise.all([
    at.run("bash", DAEMONS),
    at.run("bash", `${DAEMONS}\necho ready; sleep 600`, { signal: stop.signal, output }),
  ]);
  expect([ended.exitCode, stopped.exitCode]).toEqual([0, 137]);
  for (const { stdout } of [ended, stopped]) {
    expect(childrenIn(stdout)).toHaveLength(3);
    await Promise.all(childrenIn(stdout).map(gone));
  }
});

posix("ends running gears on stop, and starts no more", async () => {
  await using at = await openSandbox("subprocess");
  const began = Promise.withResolvers<void>();
  const running = at.run("bash", "echo began; sleep 600", { output: () => began.resolve() });
  await within("the gear begins", began.promise);
  await at.sandbox.stop();
  expect(await running).toMatchObject({ exitCode: 137, timedOut: false, stdout: "began\n" });
  await refusal(at.run("bash", "true"), "unavailable", "the service is stopping; no more gears are started");
});

posix("gives each run a fresh private folder, and always removes it", async () => {
  await using at = await openSandbox("subprocess");
  const code =
    'pwd; stat -c %a ..; mkdir -p "$TMPDIR/deep/er"; touch "$TMPDIR/deep/er/x"; chmod 0 "$TMPDIR/deep"';
  const [first, second] = await Promise.all([at.run("bash", code), at.run("bash", code)]);
  const folders = [first, second].map(({ stdout }) => stdout.split("\n")[0]!);
  expect(new Set(folders).size).toBe(2);
  expect([first, second].map(({ stdout }) => stdout.split("\n")[1])).toEqual(["700", "700"]);
  expect(dirname(dirname(folders[0]!))).toEndWith(at.folder);
  expect(await readdir(at.folder)).toEqual([]);
});

posix("passes no variable of this service to a gear", async () => {
  const environment = {
    SERVICE_ADMIN_TOKEN: "canary",
    BUN_OPTIONS: "--canary",
    DOCKER_HOST: "canary",
    ANTHROPIC_API_KEY: "canary",
  };
  await using at = await openSandbox("subprocess", { environment });
  expect((await at.run("bash", "env | grep -i canary || echo none")).stdout).toBe("none\n");
});

test("runs node gears without node, because this program contains a JavaScript runtime", async () => {
  await using at = await openSandbox("subprocess", { environment: { PATH: "/nonexistent" } });
  const result = await at.run(
    "node",
    "const { basename } = require('node:path');\nconsole.log(basename('/a/b'), typeof Bun);",
  );
  expect(result).toMatchObject({ exitCode: 0, stdout: "b object\n", stderr: "" });
});

test("names a missing interpreter", async () => {
  await using at = await openSandbox("subprocess", { environment: { PATH: "/nonexistent" } });
  expect(await refusalText(at.run("python", ""))).toBe(
    "unavailable: gears of runtime python need python3 or python on the PATH of this service; install it",
  );
  expect(await refusalText(at.run("bash", ""))).toBe(
    "unavailable: gears of runtime bash need bash on the PATH of this service; install it",
  );
});

test.each([
  ["is missing", "/nonexistent", "no such directory"],
  ["is a file", import.meta.path, "not a directory"],
  ["is below a file", `${import.meta.path}/below`, "not a directory"],
])("says that the directory for the files of a gear %s", async (_, place, reason) => {
  await using at = await openSandbox("subprocess", { environment: { TMPDIR: place } });
  expect(await refusalText(at.run("node", ""))).toBe(
    `unavailable: gears cannot run: the service cannot write to the directory for their files: ${reason}; ` +
      "start the service with a TMPDIR and a data directory that its user can write to",
  );
});

async function chosen(mode: SandboxMode, path: string, loopbackAdmin = true) {
  const warnings: string[] = [];
  const log = createLog({
    level: "warn",
    format: "json",
    clock: systemClock,
    write: (line) => void warnings.push((JSON.parse(line) as LogLine).message),
  });
  const config = { sandbox: mode, sandboxImages: {}, sandboxPool: { size: 0, idleSeconds: 1 } };
  const sandbox = createSandbox(config, {
    environment: { PATH: path },
    clock: systemClock,
    log,
    background: new Background(log),
    installation: "test-choice",
    folder: "/nonexistent",
    loopbackAdmin,
  });
  await sandbox.prepare(true);
  await sandbox.stop();
  return { kind: sandbox.kind, isolated: sandbox.isolated, warnings };
}

test("continues with `auto` and without a container runtime, and warns", async () => {
  expect(await chosen("auto", "/nonexistent")).toEqual({
    kind: "subprocess",
    isolated: false,
    warnings: [notIsolatedWarning(true)],
  });
});

posix("says with `auto` what to do when the daemon refuses the user", async () => {
  await using folder = await temporaryFolder();
  const said = "permission denied while trying to connect to the docker API at unix:///var/run/docker.sock";
  const docker = await folder.write("bin/docker", `#!/bin/sh\necho '${said}' >&2\nexit 1\n`);
  chmodSync(docker, 0o755);
  expect(await chosen("auto", dirname(docker))).toEqual({
    kind: "subprocess",
    isolated: false,
    warnings: [DAEMON_SHUT, notIsolatedWarning(true)],
  });
});

posix("says with `auto` why the docker client and its daemon do not work together", async () => {
  await using folder = await temporaryFolder();
  const said = "Error response from daemon: client version 1.41 is too old";
  const docker = await folder.write("bin/docker", `#!/bin/sh\necho '${said}' >&2\nexit 1\n`);
  chmodSync(docker, 0o755);
  expect(await chosen("auto", dirname(docker))).toEqual({
    kind: "subprocess",
    isolated: false,
    warnings: [
      `the docker client and the container daemon do not work together: ${said}`,
      notIsolatedWarning(true),
    ],
  });
});

test("warns with `subprocess` too", async () => {
  expect(await chosen("subprocess", "/nonexistent")).toEqual({
    kind: "subprocess",
    isolated: false,
    warnings: [notIsolatedWarning(true)],
  });
});

test("mentions the loopback privilege in the warning only if it is enabled", async () => {
  const [on] = (await chosen("subprocess", "/nonexistent")).warnings;
  const [off] = (await chosen("subprocess", "/nonexistent", false)).warnings;
  expect(on).toContain("this API as the loopback admin.");
  expect(off).toContain("the stored provider keys, and this API.");
});

test("never falls back from `docker`", async () => {
  const { kind, isolated, warnings } = await chosen("docker", "/nonexistent");
  expect({ kind, isolated, warned: warnings.includes(notIsolatedWarning(true)) }).toEqual({
    kind: "docker",
    isolated: true,
    warned: false,
  });
});
