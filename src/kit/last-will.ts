// Kills programs when this process ends without having done so itself, by SIGKILL or a crash: a small shell waits for the end of a pipe that
// only we hold, then kills their groups, and on Linux whatever has their mark (run-mark.ts). One shell for all programs, so that starting
// one costs a line in a pipe. Between a program's start and that line lie microseconds in which our end would leave its group behind where
// marks are not seen. Not on Windows, which has no such groups.

import type { Environment } from "./environment.ts";
import { startProcess, type RunningProcess } from "./process.ts";
import { newMark, SWEEP_PASSES_MAX } from "./run-mark.ts";

/**
 * POSIX; `$1`: the mark. The groups that are named and not yet taken back are those to kill. What is said of a process that is gone, or of
 * another user's, goes nowhere.
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
  for file in /proc/[1-9]*/environ; do
    case $(tr '\\0' '\\n' <"$file") in
      *"$1"*) pid=\${file#/proc/}; kill -9 "\${pid%/environ}" && found=1 ;;
    esac
  done
done`;

export class LastWill {
  readonly #environment: Environment;
  readonly #groups = new Set<number>();
  /** Of all programs of this process. */
  readonly #mark = newMark();
  #shell: Promise<RunningProcess | undefined> | undefined;
  #running: RunningProcess | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** To be awaited before a program is started: the shell runs. */
  async ready(): Promise<void> {
    if (process.platform === "win32" || this.#running) return;
    this.#running = await (this.#shell ??= this.#start());
  }

  /** For a program that is started now. */
  nextMark(): string {
    return newMark(this.#mark);
  }

  /** `pid`: of a program that `startProcess` has just started, the leader of its group. */
  add(pid: number): void {
    this.#groups.add(pid);
    this.#running?.write(`+ ${pid}\n`);
  }

  /** Once its group is gone: the number may become another's. */
  remove(pid: number): void {
    this.#groups.delete(pid);
    this.#running?.write(`- ${pid}\n`);
  }

  /** After the last program has ended. Kills what any of them left behind. */
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
    // Whoever killed it did not mean our programs: the next one starts another.
    void shell?.ended.then(() => {
      if (this.#running === shell) this.#running = this.#shell = undefined;
    });
    return shell;
  }
}
