// Goal: a container daemon that hangs or dies blocks no call beyond its deadline, and leftovers of a crash are swept.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  DOCKER_SETUP_MS,
  startDocker,
  startOwnDaemon,
  type OwnDaemon,
  type TestDocker,
} from "../../kit/docker.ts";
import { isRoot } from "../../kit/as-nobody.ts";
import { eventually, until } from "../../kit/eventually.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { openSandbox, type TestSandbox } from "../../kit/service/sandbox.ts";
import { refusalText } from "../../kit/http/refusal.ts";
import { within } from "../../kit/within.ts";

/** A kill that no daemon answers is waited for. */
const TIMES = { startMs: 20_000, killMs: 700, commandMs: 20_000, pullMs: 5_000 };
/** Of commands to a daemon that is frozen. */
const FROZEN_MS = 500;
/** Between two tries to remove a container that the daemon did not remove. */
const REMOVAL_RETRY_MS = 30_000;
/** Starts and timeouts go by the clock of the test. */
const TIMEOUT_MS = 1_500;

let docker: TestDocker | undefined;
beforeAll(async () => void (docker = isRoot ? await startDocker() : undefined), DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

if (!isRoot) console.log("skipped: tests of a container daemon that hangs (starting one needs root)");

const it = (name: string, act: (docker: TestDocker) => Promise<void>) =>
  test.skipIf(!isRoot)(
    name,
    async () => {
      if (docker) await act(docker);
    },
    180_000,
  );

/** Starts a gear, freezes the daemon, and cancels the gear. Returns the refusal of its run. */
async function cancelledWhileFrozen(
  at: TestSandbox,
  daemon: Pick<OwnDaemon, "signal">,
  times: { commandMs: number },
): Promise<{ running: Promise<string> }> {
  const began = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const running = refusalText(
    at.run("binary", "#!/bin/sh\necho began\nsleep 600\n", {
      signal: cancel.signal,
      output: () => began.resolve(),
    }),
  );
  await within("the gear begins", began.promise);
  daemon.signal("SIGSTOP");
  times.commandMs = FROZEN_MS;
  cancel.abort();
  return { running };
}

it("ends running, pooled and starting gears in time while the daemon is frozen", async (shared) => {
  const timers = manualClock();
  await using daemon = await startOwnDaemon(shared);
  await using warm = await openSandbox("warm", { docker: daemon, times: TIMES, timers });
  await using cold = await openSandbox("cold", { docker: daemon, times: TIMES, timers });
  await warm.sandbox.prepare(true);
  await cold.sandbox.prepare(true);
  const began = Promise.withResolvers<void>();
  const running = refusalText(
    warm.run("binary", "#!/bin/sh\necho began\nsleep 600\n", {
      timeoutMs: TIMEOUT_MS,
      output: () => began.resolve(),
    }),
  );
  await within("the gear begins", began.promise);
  // The pool has started the next container, and it is ready.
  await until(async () => (await daemon.docker("ps", "--quiet")).split("\n").length === 2);
  await eventually(() => timers.waits(), [TIMEOUT_MS]);
  daemon.signal("SIGSTOP");
  const stopped =
    "unavailable: the gear had to be stopped, but the container daemon does not answer; its container is removed once it does";
  const never = { timeoutMs: TIMEOUT_MS };
  const pooled = refusalText(warm.run("binary", "#!/bin/sh\necho never\n", never));
  const starting = refusalText(cold.run("binary", "#!/bin/sh\necho never\n", never));
  await eventually(() => timers.waits(), [TIMEOUT_MS, TIMEOUT_MS, TIMES.startMs]);
  timers.advance(TIMES.startMs);
  expect(await Promise.all([running, pooled, starting])).toEqual([
    stopped,
    stopped,
    "unavailable: the container daemon did not start a container in time; gears cannot run until it does",
  ]);
  daemon.signal("SIGCONT");
  await warm.settled();
  expect(await warm.run("binary", "#!/bin/sh\necho again\n")).toMatchObject({
    exitCode: 0,
    stdout: "again\n",
  });
});

it("cancels and stops while the daemon is frozen", async (shared) => {
  const times = { ...TIMES };
  await using daemon = await startOwnDaemon(shared);
  await using at = await openSandbox("warm", { docker: daemon, times });
  await at.sandbox.prepare(true);
  const { running } = await cancelledWhileFrozen(at, daemon, times);
  expect(await running).toStartWith("unavailable: the gear had to be stopped");
  await at.sandbox.stop();
});

it("removes a container that stayed once the daemon answers again, however late", async (shared) => {
  const timers = manualClock();
  const times = { ...TIMES };
  await using daemon = await startOwnDaemon(shared);
  await using at = await openSandbox("cold", { docker: daemon, times, timers });
  await at.run("binary", "#!/bin/sh\n");
  await at.settled();
  const { running } = await cancelledWhileFrozen(at, daemon, times);
  expect(await running).toEndWith("its container is removed once it does");
  await until(() => at.log.some(({ message }) => message.startsWith("cannot remove a container")));
  await eventually(() => timers.waits(), [REMOVAL_RETRY_MS]);
  daemon.signal("SIGCONT");
  times.commandMs = TIMES.commandMs;
  timers.advance(REMOVAL_RETRY_MS);
  await eventually(() => daemon.docker("ps", "--all", "--quiet"), "");
});

it("ends the call at once, and says why, when the daemon is killed", async (shared) => {
  await using daemon = await startOwnDaemon(shared);
  await using at = await openSandbox("cold", { docker: daemon, times: TIMES });
  await at.sandbox.prepare(true);
  const began = Promise.withResolvers<void>();
  const running = refusalText(
    at.run("binary", "#!/bin/sh\necho began\nsleep 600\n", {
      timeoutMs: 30_000,
      output: () => began.resolve(),
    }),
  );
  await within("the gear begins", began.promise);
  daemon.signal("SIGKILL");
  expect(await running).toBe(
    "unavailable: the container daemon stopped while the gear ran; its outcome is unknown",
  );
  expect(await refusalText(at.run("binary", "#!/bin/sh\n"))).toBe(
    "unavailable: the container daemon could not start a container; see the service's log",
  );
});

it("reports a missing daemon and a missing client", async (shared) => {
  const environment = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };
  await using none = await openSandbox("cold", { docker: shared, environment, times: TIMES });
  await none.sandbox.prepare(true);
  expect(await refusalText(none.run("bash", "true"))).toBe(
    "unavailable: the container daemon does not answer; gears cannot run until it does",
  );
});

it("names a missing image and what to do, and never pulls it while a gear waits", async (shared) => {
  await using at = await openSandbox("cold", {
    docker: shared,
    images: { bash: "cairn-test-absent:1" },
    times: TIMES,
  });
  expect(await refusalText(at.run("bash", "true"))).toBe(
    'unavailable: image cairn-test-absent:1 is not on this machine and could not be pulled: run "docker pull cairn-test-absent:1", or set another one in sandbox_images',
  );
  // The other images work.
  expect(await at.run("binary", "#!/bin/sh\necho fine\n")).toMatchObject({ exitCode: 0, stdout: "fine\n" });
});

it("names an image that was removed after the start", async (shared) => {
  await shared.docker("tag", shared.images.binary, "cairn-test-passing:1");
  await using at = await openSandbox("cold", { docker: shared, images: { binary: "cairn-test-passing:1" } });
  await at.sandbox.prepare(true);
  await shared.docker("rmi", "cairn-test-passing:1");
  expect(await refusalText(at.run("binary", "#!/bin/sh\n"))).toStartWith(
    "unavailable: image cairn-test-passing:1 is not on this machine",
  );
});

it("sweeps orphans of this installation at start, and none of another", async (shared) => {
  await using at = await openSandbox("cold", { docker: shared, installation: "test-sweep-ours" });
  const orphan = (installation: string) =>
    shared.docker(
      "run",
      "--detach",
      "--network",
      "none",
      "--label",
      `cairn.installation=${installation}`,
      "--label",
      "cairn.start=earlier",
      shared.images.binary,
      "/bin/sleep",
      "600",
    );
  const [ours, theirs] = [await orphan("test-sweep-ours"), await orphan("test-sweep-theirs")];
  await at.sandbox.prepare(true);
  const left = await shared.docker(
    "ps",
    "--all",
    "--quiet",
    "--no-trunc",
    "--filter",
    "label=cairn.start=earlier",
  );
  await shared.docker("rm", "--force", theirs);
  expect(left.split("\n")).toEqual([theirs]);
  expect(ours).not.toBe(theirs);
  expect(
    at.log
      .filter(({ level }) => level === "warn")
      .map(({ message, containers }) => ({ message, containers })),
  ).toContainEqual({ message: "removed containers of an earlier start", containers: 1 });
});
