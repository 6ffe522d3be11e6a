// Goal: limits that a container daemon does not apply are known, logged and shown with every gear, never claimed.

import { expect, test } from "bun:test";
import { isolationSentence } from "../../../src/service/gears/isolation.ts";
import { traitsOf } from "../../../src/service/sandbox/daemon-traits.ts";
import { DockerCommand } from "../../../src/service/sandbox/docker-client.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { clientBefore, REMAPPED, ROOTLESS, withInfo } from "../../kit/service/docker-client.ts";
import { openSandbox } from "../../kit/service/sandbox.ts";
import { canStandIn } from "../../kit/service/stand-in-docker.ts";

const DEADLINE_MS = 20_000;
const ALL = ["memory", "processors", "processes"];

const podman = (host: object) => ({ host: { cgroupControllers: null, cgroupVersion: "v2", ...host } });

test.skipIf(!canStandIn)("reads the traits of docker and podman", async () => {
  const ordinary = { ...REMAPPED, SecurityOptions: null };
  const rootless = { security: { rootless: true } };
  const cases = [
    [ordinary, { unenforced: [], usersMapped: false }],
    [REMAPPED, { unenforced: [], usersMapped: true }],
    [ROOTLESS, { unenforced: ALL, usersMapped: true }],
    [
      { ...ROOTLESS, MemoryLimit: true, PidsLimit: true },
      { unenforced: ["processors"], usersMapped: true },
    ],
    [
      podman({ cgroupControllers: ["cpu", "memory", "pids"], security: { rootless: false } }),
      { unenforced: [], usersMapped: false },
    ],
    [
      podman({ ...rootless, cgroupControllers: ["memory", "pids"] }),
      { unenforced: ["processors"], usersMapped: true },
    ],
    [
      podman({ ...rootless, cgroupVersion: "v1", cgroupControllers: ["cpu", "memory", "pids"] }),
      { unenforced: ALL, usersMapped: true },
    ],
    [{ ServerErrors: ["Cannot connect"] }, { unenforced: [], usersMapped: false }],
  ] as const;
  for (const [info, traits] of cases) {
    await using folder = await temporaryFolder();
    const docker = new DockerCommand(await clientBefore(folder, withInfo(info)));
    expect(await traitsOf(docker, DEADLINE_MS)).toEqual(traits as never);
  }
});

test.skipIf(!canStandIn)("logs the limits that the daemon does not apply, and knows them", async () => {
  await using folder = await temporaryFolder();
  await using at = await openSandbox("cold", {
    environment: await clientBefore(folder, `${withInfo(ROOTLESS)}\nexit 1`),
  });
  await at.sandbox.prepare(false);
  expect(at.sandbox.unenforced).toEqual(ALL as never);
  expect(
    at.log.filter(({ limits }) => limits !== undefined).map(({ level, limits }) => [level, limits]),
  ).toEqual([["warn", "memory, processors, processes"]]);
});

test("the sentence about isolation claims no limit that is not applied", () => {
  const sentence = (...unenforced: ("memory" | "processors" | "processes")[]) =>
    isolationSentence({ isolated: true, unenforced });
  const start = "Gears run isolated on this server: in a throwaway container without network";
  expect([
    sentence(),
    sentence("memory", "processes"),
    sentence("memory", "processors", "processes"),
  ]).toEqual([
    `${start}, with 512 MB of memory, one processor and 256 processes.`,
    `${start}, with one processor. The container daemon does not limit their memory and processes.`,
    `${start}. The container daemon does not limit their memory, processors and processes.`,
  ]);
});
