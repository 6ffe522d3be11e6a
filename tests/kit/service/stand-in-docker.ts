// A stand-in for the docker client: a daemon seems to answer, and a "container" is a plain process in the gear's folder. It isolates
// nothing: for tests and pictures in which only the test's own gears run. Whatever is about isolation is tested with real containers.

import type { Folder } from "../folder.ts";
import { GEAR_FOLDER } from "../../../src/service/sandbox/launcher.ts";

/** The stand-in is a shell script. */
export const canStandIn = process.platform !== "win32";

const script = (missing: readonly string[], run: string) => `#!/bin/sh
MISSING="${missing.join(" ")}"
case "$1" in
  version) echo 1.0 ;;
  image)
    for missing in $MISSING; do
      case "$*" in *" $missing") echo "Error: No such image: $missing" >&2; exit 1 ;; esac
    done
    echo sha256:0 ;;
  pull) exit 1 ;;
  create) echo stand-in ;;
  cp) cp /bin/sh "$4" ;;
  rm) echo "Error: No such container" >&2; exit 1 ;;
  run)
    for word in "$@"; do
      case "$word" in --volume=*:${GEAR_FOLDER}:*) folder=\${word#--volume=}; folder=\${folder%%:*} ;; esac
      script=$word
    done
    # Without a gear, it is the trial of the launcher.
    [ -n "$folder" ] || exit 0
    cd "$folder" && ${run} ;;
esac
`;

interface StandIn {
  readonly missing?: readonly string[];
  readonly killedIsLost?: boolean;
}

/**
 * Writes it below the folder; returns the environment for a service that shall find it. Temporary files stay in the folder. `missing`: images
 * that are not there and cannot be pulled. `killedIsLost`: if a gear kills its launcher, the client reports a daemon that is gone.
 */
export async function standInDocker(
  folder: Folder,
  { missing = [], killedIsLost = false }: StandIn = {},
): Promise<Record<string, string>> {
  const run = killedIsLost ? `/bin/sh -c "$script" || exit 125` : `exec /bin/sh -c "$script"`;
  const program = await folder.write("bin/docker", script(missing, run));
  Bun.spawnSync(["chmod", "755", program]);
  const temporary = await folder.write("tmp/.keep", "");
  return {
    PATH: `${program.slice(0, -"/docker".length)}:${process.env.PATH ?? ""}`,
    TMPDIR: temporary.slice(0, -"/.keep".length),
  };
}
