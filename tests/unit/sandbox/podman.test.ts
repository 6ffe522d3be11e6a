// Goal: gears run with podman under the name of docker, whose words and flags differ in a few places.

import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { temporaryFolder } from "../../kit/folder.ts";
import { refusalText } from "../../kit/http/refusal.ts";
import { openSandbox } from "../../kit/service/sandbox.ts";
import { canStandIn } from "../../kit/service/stand-in-docker.ts";

/** The answers of podman 4.3. Its container is a plain process in the gear's folder, which it removes by itself. */
const PODMAN = `#!/bin/sh
case "$1" in
  image)
    case "$*" in *absent*) echo 'Error: inspecting object: absent:1: image not known' >&2; exit 125 ;; esac
    echo 0 ;;
  create) echo one ;;
  cp)
    case "$*" in *--follow-link*) printf "Error: unknown flag: --follow-link\\nSee 'podman cp --help'\\n" >&2; exit 125 ;; esac
    cp /bin/sh "$3" ;;
  rm) exit 0 ;;
  run)
    for word in "$@"; do
      case "$word" in
        --volume=*:/gear:*) folder=\${word#--volume=}; folder=\${folder%%:*} ;;
        broken:1) echo 'Error: runc: cannot start' >&2; exit 126 ;;
      esac
      script=$word
    done
    [ -n "$folder" ] || exit 0
    cd "$folder" && exec /bin/sh -c "$script" ;;
esac
`;

async function podman(image: string) {
  const folder = await temporaryFolder();
  const program = await folder.write("docker", PODMAN);
  await chmod(program, 0o755);
  const environment = { PATH: `${dirname(program)}:${process.env.PATH}` };
  const at = await openSandbox("cold", { environment, images: { bash: image } });
  return {
    at,
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]().then(() => folder[Symbol.asyncDispose]()),
  };
}

test.skipIf(!canStandIn)("runs a gear", async () => {
  await using office = await podman("own:1");
  expect(await office.at.run("bash", "echo here")).toMatchObject({ exitCode: 0, stdout: "here\n" });
});

test.skipIf(!canStandIn)("names a missing image", async () => {
  await using office = await podman("absent:1");
  expect(await refusalText(office.at.run("bash", "true"))).toStartWith(
    "unavailable: image absent:1 is not on this machine",
  );
});

test.skipIf(!canStandIn)("takes a removal without a word for a container that is gone", async () => {
  await using office = await podman("broken:1");
  expect(await refusalText(office.at.run("bash", "true"))).toStartWith("unavailable: the container daemon");
  await office.at.settled();
  expect(office.at.log.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
    "cannot start a container",
  ]);
});
