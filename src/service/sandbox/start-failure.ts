// The reasons why the container daemon does not start a container, each with what to do, from the words of docker and podman. The words
// themselves go to the log only: every person who runs a gear reads these errors, and the words may contain paths.

import { AppError } from "../../kit/error.ts";

/** The error for a missing image. */
export function imageMissing(image: string): AppError {
  return new AppError(
    "unavailable",
    `image ${image} is not on this machine and could not be pulled: run "docker pull ${image}", or set another one in sandbox_images`,
  );
}

/** The error for a daemon that looks for the service's files on another machine, or in a virtual machine without them. */
export function filesUnseen(): AppError {
  return new AppError(
    "unavailable",
    "the container daemon does not see the data directory of this service, so containers cannot get its files: share that directory with the daemon, " +
      "start the service with a data directory that the daemon sees, or use a daemon on the same machine",
  );
}

const CAUSES: readonly { readonly said: RegExp; readonly error: (image: string) => AppError }[] = [
  { said: /no such image|unable to find image|image not known/i, error: imageMissing },
  {
    said: /mounts denied|is not shared from|bind source path does not exist|creating mount source path|statfs .*: no such file/i,
    error: filesUnseen,
  },
  {
    said: /exec format error|does not (?:provide|match) (?:the specified|any) platform|no match for platform/i,
    error: (image) =>
      new AppError(
        "unavailable",
        `image ${image} is for another kind of processor: run "docker pull ${image}", or set another one in sandbox_images`,
      ),
  },
  {
    said: /apply(?:ing)? cgroup configuration|interactive authentication required/i,
    error: () =>
      new AppError(
        "unavailable",
        "the container daemon may not limit containers: delegate control groups of version 2 to its user, as its manual says for a daemon without root",
      ),
  },
  {
    said: /docker-init|container-init binary/i,
    error: () =>
      new AppError(
        "unavailable",
        "the container daemon has no program for the first process of a container: install tini (docker-init), or catatonit for podman",
      ),
  },
  {
    said: /no space left on device/i,
    error: () =>
      new AppError(
        "unavailable",
        "the container daemon has no disk space left: free some where it keeps its data, for example with docker system prune",
      ),
  },
];

/** The error for a container that did not start. `said`: all of docker's error output. */
export function startFailure(said: string, image: string): AppError {
  const cause = CAUSES.find((one) => one.said.test(said));
  return (
    cause?.error(image) ??
    new AppError("unavailable", "the container daemon could not start a container; see the service's log")
  );
}

/** The line of docker's error output that says why, for logs. Warnings come before it, and advice after it. */
export function reasonIn(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("WARNING:")) ?? lines[0]!;
}
