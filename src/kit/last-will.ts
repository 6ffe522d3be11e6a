// Kills process groups when this process ends without having done so itself, by SIGKILL or a crash: a small shell waits for the end of a
// pipe that only we hold. One shell for all groups, so that starting a program costs a line in a pipe.
//
// Between a program's start and that line lie microseconds in which our end would leave it behind. Not on Windows, which has no such groups.

import type { Environment } from "./environment.ts";
import { startProcess, type RunningProcess } from "./process.ts";

/** POSIX. The groups that are named and not yet taken back are those to kill. What kill says of one that is gone goes nowhere. */
const SCRIPT = `groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -9 "-$group"; done 2>/dev/null`;

export class LastWill {
  readonly #environment: Environment;
  readonly #groups = new Set<number>();
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

  /** After the last program has ended. */
  async stop(): Promise<void> {
    const shell = await this.#shell;
    shell?.endInput();
    await shell?.ended;
  }

  async #start(): Promise<RunningProcess | undefined> {
    const shell = await startProcess(["/bin/sh", "-c", SCRIPT], {
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
