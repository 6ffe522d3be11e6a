// Goal: a child has a deadline that its grandchildren can't outlive, bounded output, and an environment with nothing of ours in it.

import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, containerEvidence } from "../../../src/kit/environment.ts";
import { OutputCapture } from "../../../src/kit/processes/capture.ts";
import { runProcess, startProcess, type RunOutcome } from "../../../src/kit/processes/process.ts";
import { until } from "../../kit/eventually.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const environment = { PATH: process.env.PATH };
const options = { environment, deadlineMs: 10_000, outputBytesMax: 1000 };
const posix = process.platform !== "win32";

describe.if(posix)("processes", () => {
  test("gives what the program said and its exit code", async () => {
    const outcome = await runProcess(["sh", "-c", "echo out; echo err >&2; exit 3"], options);
    expect(outcome).toEqual({ exitCode: 3, stdout: "out\n", stderr: "err\n", timedOut: false });
  });

  test("a missing program is an outcome, not an exception", async () => {
    const outcome = await runProcess(["no-such-program-here"], options);
    expect(outcome).toEqual({
      exitCode: null,
      stdout: "",
      stderr: "no-such-program-here: not found",
      timedOut: false,
    });
  });

  test("output is kept up to its bound and read to its end", async () => {
    const outcome = await runProcess(
      ["sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; echo done >&2"],
      options,
    );
    expect([outcome.stdout.length, outcome.stderr, outcome.exitCode]).toEqual([1000, "done\n", 0]);
  });

  test("at the deadline the whole group is killed, also a grandchild that holds the pipe", async () => {
    const outcome = await atDeadline('sleep 60 & echo $!; touch "$0"; wait');
    expect([outcome.exitCode, outcome.timedOut]).toEqual([null, true]);
    const grandchild = Number(outcome.stdout);
    expect(grandchild).toBeGreaterThan(1);
    await gone(grandchild);
  });

  test("a program that ends while its grandchild keeps the pipe is not waited for, and takes it along", async () => {
    const outcome = await runProcess(["sh", "-c", "sleep 60 & echo $!"], { ...options, deadlineMs: 30_000 });
    expect([outcome.timedOut, outcome.exitCode]).toEqual([false, 0]);
    await gone(Number(outcome.stdout));
  });

  test("the deadline holds, also when a process outside the group keeps the pipe", async () => {
    const outcome = await atDeadline(`setsid sh -c 'echo $$; touch "$0"; exec sleep 60' "$0" & wait`);
    expect([outcome.exitCode, outcome.timedOut]).toEqual([null, true]);
    const outsider = Number(outcome.stdout);
    // Nobody waited for it.
    expect(alive(outsider)).toBe(true);
    process.kill(outsider);
  });

  test("input after the child's end is dropped in silence", async () => {
    const child = (await startProcess(["true"], { environment, output: () => {} }))!;
    await child.ended;
    child.write("late");
    child.endInput();
    expect(await child.ended).toEqual({ exitCode: 0, signalled: false });
  });

  test("a signal is told as shells tell it", async () => {
    const child = (await startProcess(["sh", "-c", "kill -TERM $$"], { environment, output: () => {} }))!;
    expect(await child.ended).toEqual({ exitCode: 143, signalled: true });
  });

  test("the child sees the allow-list and nothing else", async () => {
    const ours = {
      ...environment,
      HOME: "/secret",
      SERVICE_ADMIN_TOKEN: "secret",
      BUN_OPTIONS: "--preload=x",
      BUN_BE_BUN: "1",
      AWS_SECRET_ACCESS_KEY: "secret",
      LD_PRELOAD: "x.so",
      TZ: "UTC",
    };
    const { stdout } = await runProcess(["env"], { ...options, environment: ours });
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]!);
    expect(names.filter((name) => !["PATH", "TZ", "PWD", "SHLVL", "_"].includes(name))).toEqual([]);
    expect(names).toContain("TZ");
  });
});

describe("capture", () => {
  test("a character that the limit cuts in two is left out, an invalid one is replaced, a byte order mark stays", () => {
    const cut = new OutputCapture(4);
    for (const piece of ["ab", "ä", "ö"]) cut.add(Buffer.from(piece));
    expect({ text: cut.text(), truncated: cut.truncated }).toEqual({ text: "abä", truncated: true });
    const middle = new OutputCapture(3);
    middle.add(Buffer.from("abä"));
    expect({ text: middle.text(), truncated: middle.truncated }).toEqual({ text: "ab", truncated: true });
    const odd = new OutputCapture(100);
    odd.add(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xc3]));
    expect({ text: odd.text(), truncated: odd.truncated }).toEqual({
      text: "\ufeffa\ufffd",
      truncated: false,
    });
  });
});

test("variables that a child is given on purpose are added to the allow-list", () => {
  expect(childEnvironment({ PATH: "/bin", SERVICE_DATA: "/d" }, { RUN: "1" })).toEqual({
    PATH: "/bin",
    RUN: "1",
  });
});

test("detects a container by its signs", () => {
  expect(containerEvidence({ container: "podman" })).toBe("container=podman");
  expect(containerEvidence({ KUBERNETES_SERVICE_HOST: "10.0.0.1" })).toBe("KUBERNETES_SERVICE_HOST is set");
});

/** Lets the deadline of a script pass once the script has created the file `$0`. */
async function atDeadline(script: string): Promise<RunOutcome> {
  await using folder = await temporaryFolder();
  const timers = manualClock();
  const said = join(folder.path, "said");
  const running = runProcess(["sh", "-c", script, said], { ...options, timers });
  await until(() => existsSync(said) && timers.waits().length > 0);
  timers.advance(options.deadlineMs);
  return await running;
}

/** The system reaps an orphan in its own time. */
const gone = (pid: number) => until(() => !alive(pid));

function alive(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}
