// Goal: pooled containers are used once, refilled, bounded, replaced when old or dead, and removed when the sandbox stops.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { until } from "../../kit/eventually.ts";
import { DOCKER_SETUP_MS, startDocker, type TestDocker } from "../../kit/docker.ts";
import { openSandbox, type SandboxSetup, type TestSandbox } from "../../kit/service/sandbox.ts";
import { within } from "../../kit/within.ts";

let docker: TestDocker | undefined;
beforeAll(async () => void (docker = await startDocker()), DOCKER_SETUP_MS);
afterAll(() => docker?.stop());

/** Uses one image for all runtimes, so that there is one pool. */
function small(shared: TestDocker): SandboxSetup {
  const image = shared.images.binary;
  return { docker: shared, images: { python: image, node: image, bash: image, binary: image } };
}

async function containers(shared: TestDocker, at: TestSandbox): Promise<string[]> {
  const listed = await shared.docker(
    "ps",
    "--quiet",
    "--filter",
    `label=cairn.installation=${at.installation}`,
  );
  return listed.split("\n").filter(Boolean);
}

const containersOnce = (shared: TestDocker, at: TestSandbox, wanted: (ids: string[]) => boolean) =>
  until(async () => {
    const ids = await containers(shared, at);
    return wanted(ids) ? ids : undefined;
  });

const it = (name: string, act: (docker: TestDocker) => Promise<void>) =>
  test(name, async () => {
    if (docker) await act(docker);
  });

const ID = "#!/bin/sh\ncat /proc/sys/kernel/random/uuid >/tmp/mark 2>/dev/null; ls /tmp | wc -l\n";

it("uses each container once and replaces it", async (shared) => {
  await using at = await openSandbox("warm", small(shared));
  await at.sandbox.prepare(true);
  const before = await containersOnce(shared, at, (ids) => ids.length === 1);
  expect((await at.run("binary", ID)).stdout).toBe("1\n");
  const after = await containersOnce(shared, at, (ids) => ids.length === 1 && ids[0] !== before[0]);
  expect((await at.run("binary", ID)).stdout).toBe("1\n");
  expect(await containersOnce(shared, at, (ids) => ids.length === 1 && ids[0] !== after[0])).toHaveLength(1);
});

it("starts nothing and keeps no file before the first gear", async (shared) => {
  await using at = await openSandbox("warm", small(shared));
  await at.sandbox.prepare(false);
  expect([await containers(shared, at), readdirSync(at.folder)]).toEqual([[], []]);
  expect((await at.run("binary", ID)).stdout).toBe("1\n");
  expect(await containersOnce(shared, at, (ids) => ids.length === 1)).toHaveLength(1);
});

it("starts containers for calls beyond the pool, which does not grow", async (shared) => {
  await using at = await openSandbox("warm", small(shared));
  await at.sandbox.prepare(true);
  const results = await Promise.all([1, 2, 3].map((n) => at.run("binary", `#!/bin/sh\necho ${n}\n`)));
  expect(results.map(({ stdout }) => stdout)).toEqual(["1\n", "2\n", "3\n"]);
  await at.settled();
  expect(await containersOnce(shared, at, (ids) => ids.length === 1)).toHaveLength(1);
});

it("replaces a container that has idled too long", async (shared) => {
  await using at = await openSandbox("warm", { ...small(shared), idleSeconds: 1 });
  await at.sandbox.prepare(true);
  const [old] = await containersOnce(shared, at, (ids) => ids.length === 1);
  const [fresh] = await containersOnce(shared, at, (ids) => ids.length === 1 && ids[0] !== old);
  expect(fresh).toMatch(/^[0-9a-f]+$/);
});

it("does not use a container that died in the pool", async (shared) => {
  await using at = await openSandbox("warm", small(shared));
  await at.sandbox.prepare(true);
  await shared.docker("kill", ...(await containersOnce(shared, at, (ids) => ids.length === 1)));
  expect(await at.run("binary", "#!/bin/sh\necho fine\n")).toMatchObject({ exitCode: 0, stdout: "fine\n" });
});

it("empties the pool and ends running gears on stop", async (shared) => {
  const at = await openSandbox("warm", small(shared));
  await at.sandbox.prepare(true);
  const began = Promise.withResolvers<void>();
  const running = at.run("binary", "#!/bin/sh\necho began\nsleep 60\n", { output: () => began.resolve() });
  await within("the gear begins", began.promise);
  await at[Symbol.asyncDispose]();
  expect(await running).toMatchObject({ exitCode: 137, timedOut: false, stdout: "began\n" });
  expect(
    await shared.docker("ps", "--all", "--quiet", "--filter", `label=cairn.installation=${at.installation}`),
  ).toBe("");
});

it("starts nothing after a stop", async (shared) => {
  const at = await openSandbox("warm", small(shared));
  await at[Symbol.asyncDispose]();
  await expect(at.run("binary", "#!/bin/sh\n")).rejects.toMatchObject({
    code: "unavailable",
    message: "the service is stopping; no more gears are started",
  });
});

it("tries again to make its folder after a failure", async (shared) => {
  await using at = await openSandbox("cold", small(shared));
  await rm(at.folder, { recursive: true });
  await Bun.write(at.folder, "in the way");
  const call = () => at.run("binary", "#!/bin/sh\necho fine\n");
  await expect(call()).rejects.toThrow();
  await at.settled();
  await rm(at.folder);
  expect(await call()).toMatchObject({ exitCode: 0, stdout: "fine\n" });
});
