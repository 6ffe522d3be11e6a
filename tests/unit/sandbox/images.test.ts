// Goal: an image whose shell cannot be copied is refused with the reason: the daemon or the client failed, or the image has no shell.

import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusalText } from "../../kit/http/refusal.ts";
import { openSandbox } from "../../kit/service/sandbox.ts";
import { canStandIn } from "../../kit/service/stand-in-docker.ts";

const NO_ROOM = "Error response from daemon: no space left on device";
const NO_FILE = "Error response from daemon: Could not find the file /bin/sh in container one";

const script = (create: string, copy: string) => `#!/bin/sh
case "$1" in
  image) echo sha256:0 ;;
  create) ${create} ;;
  cp) echo "${copy}" >&2; exit 1 ;;
  rm) echo "Error: No such container" >&2; exit 1 ;;
esac
`;

async function refusedWith(create: string, copy = NO_FILE) {
  await using folder = await temporaryFolder();
  const program = await folder.write("docker", script(create, copy));
  await chmod(program, 0o755);
  await using at = await openSandbox("cold", {
    environment: { PATH: `${dirname(program)}:${process.env.PATH}` },
    images: { bash: "own:1" },
  });
  const refusal = await refusalText(at.run("bash", "true"));
  return { refusal, log: at.log.map(({ level, message, image, reason }) => [level, message, image, reason]) };
}

test.skipIf(!canStandIn)("does not blame the image if the daemon cannot create a container", async () => {
  expect(await refusedWith(`echo "${NO_ROOM}" >&2; exit 1`)).toEqual({
    refusal:
      "unavailable: the container daemon has no disk space left: free some where it keeps its data, for example with docker system prune",
    log: [["error", "cannot create a container to copy the shell of an image", "own:1", NO_ROOM]],
  });
});

test.skipIf(!canStandIn)("names an image without a shell", async () => {
  expect(await refusedWith("echo one")).toEqual({
    refusal: "unavailable: image own:1 has no /bin/sh, which starts gears: set another one in sandbox_images",
    log: [["warn", "no shell in an image for gears", "own:1", NO_FILE]],
  });
});

test.skipIf(!canStandIn)(
  "does not blame the image if the client cannot write to the data directory",
  async () => {
    const shut = "open sh-2.new: permission denied";
    expect(await refusedWith("echo one", shut)).toEqual({
      refusal:
        "unavailable: the docker client could not copy a file to the data directory of this service; see the service's log",
      log: [["error", "cannot copy the shell of an image", "own:1", shut]],
    });
  },
);
