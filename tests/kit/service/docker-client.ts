// A docker client of a test in front of the real one, to stand for a daemon or a client that is set up in another way than ours.

import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import type { Folder } from "../folder.ts";

/** Writes it below the folder. The script may change or answer the command; what it leaves goes to the real client. Returns what finds it. */
export async function clientBefore(folder: Folder, script: string): Promise<{ PATH: string }> {
  const real = Bun.which("docker") ?? "docker";
  const program = await folder.write("bin/docker", `#!/bin/sh\n${script}\nexec ${real} "$@"\n`);
  await chmod(program, 0o755);
  return { PATH: `${dirname(program)}:${process.env.PATH}` };
}

/** Answers `docker info` in place of the real client. */
export const withInfo = (info: object): string =>
  `if [ "$1" = info ]; then cat <<'END'\n${JSON.stringify(info)}\nEND\nexit 0; fi`;

/** `docker info` of a daemon without root on a machine with the first version of control groups, in part. */
export const ROOTLESS = {
  MemoryLimit: false,
  SwapLimit: false,
  CpuCfsQuota: false,
  PidsLimit: false,
  CgroupDriver: "none",
  SecurityOptions: ["name=seccomp,profile=default", "name=rootless"],
};
/** `docker info` of a daemon that maps the users of containers to others, in part. */
export const REMAPPED = {
  MemoryLimit: true,
  CpuCfsQuota: true,
  PidsLimit: true,
  SecurityOptions: ["name=seccomp,profile=default", "name=userns"],
};
