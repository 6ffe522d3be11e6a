// The process's surroundings, read here only: environment, home, terminal, and what children may inherit.
// Children get an allow-list. Some variables change what our own binary is (BUN_BE_BUN, BUN_OPTIONS), so a block-list will not do.

import { fstatSync, readFileSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { AppError } from "./error.ts";
import type { LogFormat } from "./log.ts";

/** Of a terminal that does not say. */
const COLUMNS_DEFAULT = 80;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that every child may see: only those that programs need to run, and no secrets. */
const CHILD_VARIABLES = [
  "PATH",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
];

export function processEnvironment(): Environment {
  return process.env;
}

/**
 * Raises `invalid` for a variable that is no absolute path, such as a `~` that no shell has replaced: what is kept there would depend on the working
 * directory.
 */
export function homeDirectory(environment: Environment): string {
  const setting = environment.HOME ? "HOME" : "USERPROFILE";
  const path = environment[setting];
  if (!path) return homedir();
  requireWholePath(setting, path);
  if (isAbsolute(path)) return path;
  throw new AppError(
    "invalid",
    `${setting} ${JSON.stringify(path)}: expected an absolute path; set it to your home directory`,
  );
}

/** Makes a path of a settings file or a variable absolute. A leading `~/` is the home directory, which no shell has put there. */
export function givenPath(path: string, environment: Environment): string {
  return path.startsWith("~/") ? join(homeDirectory(environment), path.slice(2)) : resolve(path);
}

const CONTROL = /\p{Cc}/u;

/**
 * Raises `invalid` for a path with a stray space or line end, for example of a file of variables with Windows line ends: another directory in its
 * place would be empty, as if all data were lost.
 */
export function requireWholePath(setting: string, path: string): void {
  if (path === path.trim() && !CONTROL.test(path)) return;
  throw new AppError(
    "invalid",
    `${setting} ${JSON.stringify(path)}: a path must not begin or end with a space or contain control characters; check the line ends of the file that sets it`,
  );
}

/** Absolute. Undefined: it was deleted. */
export function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

export function childEnvironment(
  environment: Environment,
  extra: Record<string, string> = {},
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const name of CHILD_VARIABLES) {
    const value = environment[name];
    if (value !== undefined) allowed[name] = value;
  }
  return { ...allowed, ...extra };
}

const TRUSTED_CERTIFICATES = "NODE_EXTRA_CA_CERTS";

/** The variable that names certificates to trust, for our own programs in the background: they reach the same servers from another directory. */
export function extraTrust(environment: Environment): Record<string, string> {
  const file = environment[TRUSTED_CERTIFICATES];
  return file ? { [TRUSTED_CERTIFICATES]: resolve(file) } : {};
}

/** The environment for an interactive program such as an editor: the user's variables without ours and without those that alter our binary. */
export function personalEnvironment(environment: Environment): Record<string, string> {
  const own = /^(?:SERVICE|BUN)_/;
  return Object.fromEntries(
    Object.entries(environment).filter(
      (pair): pair is [string, string] => !own.test(pair[0]) && pair[1] !== undefined,
    ),
  );
}

/** The directory for temporary folders. */
export function temporaryDirectory(environment: Environment): string {
  return environment.TMPDIR || environment.TEMP || environment.TMP || tmpdir();
}

/** The ID of the user who runs this program; undefined where users have none (Windows). */
export function ownUser(): number | undefined {
  return process.getuid?.();
}

/** The path of the running program. With BUN_BE_BUN=1 it acts as Bun itself, compiled or not. */
export function ownExecutable(): string {
  return process.execPath;
}

/**
 * The path to start this program by, for files that outlive it: the name on the PATH if it leads here, since an upgrade keeps it, otherwise the
 * program itself.
 */
export function ownCommand(name: string, environment: Environment): string {
  const own = ownExecutable();
  const found = Bun.which(name, { PATH: environment.PATH ?? "" });
  try {
    return found !== null && isAbsolute(found) && realpathSync(found) === realpathSync(own) ? found : own;
  } catch {
    return own;
  }
}

/** Reports whether there is a program of this name on the PATH. */
export function hasProgram(name: string, environment: Environment): boolean {
  return Bun.which(name, { PATH: environment.PATH ?? "" }) !== null;
}

/** The format of a log on stderr. systemd names the file that it has opened for the journal, which a child may have replaced (systemd.exec(5)). */
export function stderrLogFormat({ JOURNAL_STREAM: journal }: Environment): LogFormat {
  if (stderrIsTerminal()) return "text";
  if (!journal) return "json";
  const { dev, ino } = fstatSync(2);
  return journal === `${dev}:${ino}` ? "journal" : "json";
}

export function stderrIsTerminal(): boolean {
  return mayBeTerminal(2) && process.stderr.isTTY === true;
}

/** A table asks for each of its times. */
let isStdoutTerminal: boolean | undefined;

export function stdoutIsTerminal(): boolean {
  return (isStdoutTerminal ??= mayBeTerminal(1) && process.stdout.isTTY === true);
}

/** A terminal is a character device. Asked first, because touching the process's streams loads their classes: 13 ms of each command. */
function mayBeTerminal(descriptor: Descriptor): boolean {
  return process.platform === "win32" || descriptorKind(descriptor) === "device";
}

/** Standard input, output and error. */
export type Descriptor = 0 | 1 | 2;

/** `device`: perhaps a terminal. */
type DescriptorKind = "device" | "file" | "pipe" | "other";

const kinds: Partial<Record<Descriptor, DescriptorKind>> = {};

export function descriptorKind(descriptor: Descriptor): DescriptorKind {
  return (kinds[descriptor] ??= statedKind(descriptor));
}

function statedKind(descriptor: Descriptor): DescriptorKind {
  if (process.platform === "win32") return "other";
  try {
    const stat = fstatSync(descriptor);
    if (stat.isCharacterDevice()) return "device";
    if (stat.isFile()) return "file";
    return stat.isFIFO() ? "pipe" : "other";
  } catch {
    return "other";
  }
}

/** A non-empty NO_COLOR disables colours (no-color.org). */
export function stderrTakesColor(environment: Environment): boolean {
  return stderrIsTerminal() && takesColor(environment);
}

/** The same of the data that a command prints. */
export function stdoutTakesColor(environment: Environment): boolean {
  return stdoutIsTerminal() && takesColor(environment);
}

function takesColor(environment: Environment): boolean {
  return !environment.NO_COLOR && environment.TERM !== "dumb";
}

/** For a protocol that owns both streams. Nobody else may print data then. */
export function standardStreams() {
  return { input: process.stdin, output: process.stdout };
}

/** The width of the terminal that data goes to; undefined if it goes elsewhere. */
export function stdoutColumns(): number | undefined {
  return stdoutIsTerminal() ? process.stdout.columns || COLUMNS_DEFAULT : undefined;
}

/** Reports whether the terminal was closed. A program without a controlling terminal gets no signal for that, and no end of its input. */
export function terminalIsGone(): boolean {
  try {
    return fstatSync(0).nlink === 0;
  } catch {
    return true;
  }
}

/** Reports whether a person can type and see the input. */
export function hasTerminal(): boolean {
  return mayBeTerminal(0) && process.stdin.isTTY === true && (stdoutIsTerminal() || stderrIsTerminal());
}

/** Returns the sign that this process runs in a container; undefined without one. */
export function containerEvidence(environment: Environment): string | undefined {
  if (environment.container) return `container=${environment.container}`;
  if (environment.KUBERNETES_SERVICE_HOST) return "KUBERNETES_SERVICE_HOST is set";
  const cgroup = readCgroup();
  const runtime = /docker|kubepods|containerd|libpod|lxc/.exec(cgroup)?.[0];
  return runtime === undefined ? undefined : `cgroup names ${runtime}`;
}

function readCgroup(): string {
  try {
    return readFileSync("/proc/self/cgroup", "utf8");
  } catch {
    return "";
  }
}

/**
 * Resolves with the name of the first termination signal. A second SIGINT or SIGTERM ends the process immediately. A terminal that is closed sends
 * SIGHUP, often more than once; a process that ignores it from the start (nohup) goes on.
 */
export function waitForStopSignal(): Promise<string> {
  const stopped = Promise.withResolvers<string>();
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      stopped.resolve(signal);
    });
  }
  if (!ignoresHangUp())
    process.on("SIGHUP", () => {
      asked = true;
      stopped.resolve("SIGHUP");
    });
  return stopped.promise;
}

/** Only Linux can tell; elsewhere nothing is done about the signal. */
function ignoresHangUp(): boolean {
  try {
    const [, ignored] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))!;
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return true;
  }
}

/** Ignores a stop signal (Ctrl+Z) and calls `tell` instead. Windows has no such signal. */
export function ignoreSuspend(tell: () => void): void {
  if (process.platform !== "win32") process.on("SIGTSTP", tell);
}
