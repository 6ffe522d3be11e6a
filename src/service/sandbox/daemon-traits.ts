// Reads from the container daemon what it cannot do: a daemon without root may have no control groups, and then drops the limits of a container
// without an error; a daemon can also give the users of a container other numbers than they have on this machine.

import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { parsedJson } from "../../kit/text/parsed-json.ts";
import type { DockerCommand } from "./docker-client.ts";
import type { SandboxLimit } from "./sandbox.ts";

interface DaemonTraits {
  /** The limits of a container that the daemon does not apply. */
  readonly unenforced: readonly SandboxLimit[];
  /** Users of a container, except possibly its root, are others outside. */
  readonly usersMapped: boolean;
}

const UNKNOWN: DaemonTraits = { unenforced: [], usersMapped: false };

/** Of `docker info`, also when a client of docker asks podman. */
const DockerInfo = Type.Object({
  MemoryLimit: Type.Boolean(),
  CpuCfsQuota: Type.Boolean(),
  PidsLimit: Type.Boolean(),
  SecurityOptions: Type.Union([Type.Array(Type.String()), Type.Null()]),
});

/** Of `podman info`, under the name of docker. */
const PodmanInfo = Type.Object({
  host: Type.Object({
    cgroupControllers: Type.Union([Type.Array(Type.String()), Type.Null()]),
    cgroupVersion: Type.String(),
    security: Type.Object({ rootless: Type.Boolean() }),
  }),
});

/** Traits of a daemon that does not say them are those of an ordinary one. Never raises. */
export async function traitsOf(docker: DockerCommand, deadlineMs: number): Promise<DaemonTraits> {
  const { stdout } = await docker.run(["info", "--format", "{{json .}}"], deadlineMs);
  const info = parsedJson(stdout);
  if (Value.Check(DockerInfo, info)) return traitsOfDocker(info);
  return Value.Check(PodmanInfo, info) ? traitsOfPodman(info) : UNKNOWN;
}

function traitsOfDocker(info: Static<typeof DockerInfo>): DaemonTraits {
  const has = (option: string) => (info.SecurityOptions ?? []).some((one) => one.split(",")[0] === option);
  return {
    unenforced: missing({
      memory: info.MemoryLimit,
      processors: info.CpuCfsQuota,
      processes: info.PidsLimit,
    }),
    usersMapped: has("name=rootless") || has("name=userns"),
  };
}

function traitsOfPodman({ host }: Static<typeof PodmanInfo>): DaemonTraits {
  const { rootless } = host.security;
  // The first version of control groups has none for a user.
  const controllers = rootless && host.cgroupVersion === "v1" ? [] : (host.cgroupControllers ?? []);
  return {
    unenforced: missing({
      memory: controllers.includes("memory"),
      processors: controllers.includes("cpu"),
      processes: controllers.includes("pids"),
    }),
    usersMapped: rootless,
  };
}

function missing(applied: Readonly<Record<SandboxLimit, boolean>>): SandboxLimit[] {
  return (Object.keys(applied) as SandboxLimit[]).filter((limit) => !applied[limit]);
}
