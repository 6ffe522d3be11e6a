// Goal: a child has a deadline that its grandchildren can't outlive, bounded output, and an environment with nothing of ours in it.

import { describe, expect, test } from "bun:test";
import { childEnvironment, containerEvidence } from "../../../src/kit/environment.ts";
import { runProcess } from "../../../src/kit/processes/process.ts";

const environment = { PATH: process.env.PATH };
const options = { environment, deadlineMs: 10_000, outputBytesMax: 1000 };
const posix = process.platform !== "win32";

describe.if(posix)("runProcess", () => {
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
    const outcome = await runProcess(["sh", "-c", "sleep 60 & echo $!; wait"], {
      ...options,
      deadlineMs: 200,
    });
    expect([outcome.exitCode, outcome.timedOut]).toEqual([null, true]);
    const grandchild = Number(outcome.stdout);
    expect(grandchild).toBeGreaterThan(1);
    expect(await gone(grandchild)).toBe(true);
  });

  test("a program that ends while its grandchild keeps the pipe is not waited for, and takes it along", async () => {
    const outcome = await runProcess(["sh", "-c", "sleep 60 & echo $!"], { ...options, deadlineMs: 30_000 });
    expect([outcome.timedOut, outcome.exitCode]).toEqual([false, 0]);
    expect(await gone(Number(outcome.stdout))).toBe(true);
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

/** Polls, since the system reaps an orphan in its own time. */
async function gone(pid: number): Promise<boolean> {
  const until = performance.now() + 5_000;
  while (performance.now() < until) {
    if (!alive(pid)) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

function alive(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}
