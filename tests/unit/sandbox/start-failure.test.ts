// Goal: the words of docker and podman lead to an error that says what to do, and to the line of them that says why.

import { expect, test } from "bun:test";
import { reasonIn, startFailure } from "../../../src/service/sandbox/start-failure.ts";

const MISSING = "image own:1 is not on this machine";
const UNSEEN = "the container daemon does not see the data directory";
const FOREIGN = "image own:1 is for another kind of processor";

test.each([
  ["docker: Error response from daemon: No such image: own:1.", MISSING],
  ["Error: own:1: image not known", MISSING],
  [
    "docker: Error response from daemon: Mounts denied: \nThe path /srv/data is not shared from the host and is not known to Docker.",
    UNSEEN,
  ],
  [
    "Error response from daemon: error while creating mount source path '/srv/data': mkdir /srv: read-only",
    UNSEEN,
  ],
  ["Error: statfs /srv/data/sandbox: no such file or directory", UNSEEN],
  ["[FATAL tini (7)] exec /.cairn/sh failed: Exec format error", FOREIGN],
  ["image with reference own:1 was found but does not provide the specified platform (linux/amd64)", FOREIGN],
  ["write /var/lib/docker/tmp/x: no space left on device", "the container daemon has no disk space left"],
  [
    "runc create failed: unable to apply cgroup configuration: unable to start unit: Interactive authentication required.",
    "the container daemon may not limit containers",
  ],
  [
    'exec: "docker-init": executable file not found in $PATH',
    "the container daemon has no program for the first",
  ],
  ["Error: container-init binary not found on the host", "the container daemon has no program for the first"],
  ["Error response from daemon: device is busy", "the container daemon could not start a container; see"],
])("%s", (said, error) => {
  const { code, message } = startFailure(said, "own:1");
  expect({ code, message }).toEqual({ code: "unavailable", message: expect.stringContaining(error) });
});

test("finds the reason between the warnings before it and the advice after it", () => {
  const reason = "docker: Error response from daemon: device is busy.";
  const said = [
    "WARNING: Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap.",
    reason,
    "",
    "Run 'docker run --help' for more information",
  ].join("\n");
  expect([reasonIn(said), reasonIn(""), reasonIn("WARNING: only\n")]).toEqual([reason, "", "WARNING: only"]);
});
