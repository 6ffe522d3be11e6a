// Goal: the sweep after a crash calls a container that is gone no error, and one that stays an error.

import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { temporaryFolder } from "../../kit/folder.ts";
import { openSandbox } from "../../kit/service/sandbox.ts";
import { canStandIn } from "../../kit/service/stand-in-docker.ts";

const TIMES = { startMs: 20_000, killMs: 20_000, commandMs: 20_000, pullMs: 20_000 };

/** `$later`: the daemon's answer to a second attempt. */
const script = (later: string) => `#!/bin/sh
case "$1" in
  ps) echo "one earlier"; echo "two earlier" ;;
  rm)
    case "$*" in *one*) echo one ;; esac
    if [ -e "$0-tried" ]; then echo "${later}" >&2; exit 1; fi
    touch "$0-tried"
    echo "Error response from daemon: removal of container two is already in progress" >&2
    exit 1 ;;
  *) exit 1 ;;
esac
`;

async function swept(later: string) {
  await using folder = await temporaryFolder();
  const program = await folder.write("docker", script(later));
  await chmod(program, 0o755);
  const environment = { PATH: `${dirname(program)}:${process.env.PATH}` };
  await using at = await openSandbox("cold", { environment, times: TIMES });
  await at.sandbox.prepare(false);
  return at.log
    .filter(({ message }) => message.includes("earlier start"))
    .map(({ level, message, containers, reason }) => ({ level, message, containers, reason }));
}

const warning = (containers: number) => ({
  level: "warn",
  message: "removed containers of an earlier start",
  containers,
  reason: undefined,
});

test.skipIf(!canStandIn)("counts a container as removed that the daemon removes by itself", async () => {
  expect(await swept("Error response from daemon: No such container: two")).toEqual([warning(2)]);
});

test.skipIf(!canStandIn)("reports a container that stays", async () => {
  expect(await swept("Error response from daemon: device is busy")).toEqual([
    {
      level: "error",
      message: "cannot remove containers of an earlier start",
      containers: 1,
      reason: "Error response from daemon: device is busy",
    },
    warning(1),
  ]);
});
