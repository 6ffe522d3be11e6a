// Kills programs if this process dies by SIGKILL or a crash: a small shell waits for the end of a pipe that only this process holds, then
// kills their process groups, and on Linux every process with their mark (run-mark.ts). All programs share one shell, so starting one costs
// one line in a pipe. Where marks are not visible, a crash in the microseconds between start and that line leaves a group running. Windows
// has no process groups.

import type { Environment } from "../environment.ts";
import { startProcess, type RunningProcess } from "./process.ts";
import { newMark, SWEEP_PASSES_MAX } from "./run-mark.ts";

/**
 * POSIX shell; `$1` is the mark. Kills the groups that were added and not removed. Discards messages about processes that have ended or
 * belong to another user.
 */
const SCRIPT = `groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
exec 2>/dev/null
for group in $groups; do kill -9 "-$group"; done
passes=0 found=1
while [ $found = 1 ] && [ $passes -lt ${SWEEP_PASSES_MAX} ]; do
  passes=$((passes + 1)) found=0
  for process in /proc/[1-9]*; do
    case $(tr '\\0' '\\n' <"$process/environ"; cd -P "$process/cwd" && pwd -P) in
      *"$1"*) kill -9 "\${process#/proc/}" && found=1 ;;
    esac
  done
done`;

export class LastWill {
  readonly #environment: Environment;
  readonly #groups = new Set<number>();
  /** The mark shared by all programs of this process. */
  readonly #mark = newMark();
  #shell: Promise<RunningProcess | undefined> | undefined;
  #running: RunningProcess | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Starts the shell. Await it before starting a program. */
  async ready(): Promise<void> {
    if (process.platform === "win32" || this.#running) return;
    this.#running = await (this.#shell ??= this.#start());
  }

  /** Returns the mark for a new program. */
  nextMark(): string {
    return newMark(this.#mark);
  }

  /** `pid`: of a program that `startProcess` has just started, the leader of its group. */
  add(pid: number): void {
    this.#groups.add(pid);
    this.#running?.write(`+ ${pid}\n`);
  }

  /** Called when the group has ended, because its number may be reused. */
  remove(pid: number): void {
    this.#groups.delete(pid);
    this.#running?.write(`- ${pid}\n`);
  }

  /** Called after the last program ended. Kills the processes left behind. */
  async stop(): Promise<void> {
    const shell = await this.#shell;
    shell?.endInput();
    await shell?.ended;
  }

  async #start(): Promise<RunningProcess | undefined> {
    const shell = await startProcess(["/bin/sh", "-c", SCRIPT, "sh", this.#mark], {
      environment: this.#environment,
      output: () => {},
    });
    for (const group of this.#groups) shell?.write(`+ ${group}\n`);
    // A killed shell does not end the programs; the next start creates a new shell.
    void shell?.ended.then(() => {
      if (this.#running === shell) this.#running = this.#shell = undefined;
    });
    return shell;
  }
}
