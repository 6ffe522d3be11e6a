// Starts all processes. Every child has a deadline, bounded output, an allow-listed environment and its own process group. The whole group is
// killed, because grandchildren would otherwise survive and hold the pipes open. With a mark, processes that left the group are killed too.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import { systemTimers, type Timers } from "../clock.ts";
import { OutputCapture } from "./capture.ts";
import {
  childEnvironment,
  extraTrust,
  ownExecutable,
  personalEnvironment,
  processEnvironment,
  type Environment,
} from "../environment.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../disk/modes.ts";
import { systemCode } from "../error.ts";
import { killMarked, markVariables } from "./run-mark.ts";
import { TerminalOutput } from "./terminal-output.ts";

/** After the child ends, a pipe held open from outside the group is abandoned once it is quiet for two ticks, or after the last tick. */
const DRAIN_TICK_MS = 50;
const DRAIN_QUIET_TICKS = 2;
const DRAIN_TICKS_MAX = 20;
/** The file was just written, and a child started at that moment still has it open for writing; passes soon (ETXTBSY). */
const BUSY_RETRIES = 20;
const BUSY_PAUSE_MS = 5;
const SIGNAL_EXIT_BASE = 128;
const STDERR = 2;

export type OutputStream = "stdout" | "stderr";

interface RunOptions {
  readonly environment: Environment;
  /** Added to the variables that every child may see. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Of the deadline. */
  readonly timers?: Timers;
  /** The bytes kept of each stream; the rest is read and discarded. */
  readonly outputBytesMax: number;
}

export interface RunOutcome {
  /** Null if the child was killed or could not start. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Runs a program to its end or its deadline. Does not throw for a failing program; a missing program has exitCode null. */
export async function runProcess(command: string[], options: RunOptions): Promise<RunOutcome> {
  const captured = {
    stdout: new OutputCapture(options.outputBytesMax),
    stderr: new OutputCapture(options.outputBytesMax),
  };
  const { environment, variables = {}, timers = systemTimers } = options;
  const child = await startProcess(command, {
    environment,
    variables,
    output: (stream, chunk) => captured[stream].add(chunk),
  });
  if (!child) return { exitCode: null, stdout: "", stderr: `${command[0]}: not found`, timedOut: false };
  child.endInput();
  let timedOut = false;
  const cancel = timers.after(options.deadlineMs, () => {
    timedOut = true;
    child.kill();
  });
  try {
    const { exitCode, signalled } = await child.ended;
    const ended = timedOut || signalled ? null : exitCode;
    return { exitCode: ended, stdout: captured.stdout.text(), stderr: captured.stderr.text(), timedOut };
  } finally {
    cancel();
  }
}

interface StartOptions {
  readonly environment: Environment;
  readonly variables?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  /** From `newMark`. When the child ends, its descendants with the mark are killed (run-mark.ts). */
  readonly mark?: string;
  /** Receives each raw chunk of output. Must not throw, and does not slow the child down. */
  readonly output: (stream: OutputStream, chunk: Uint8Array) => void;
}

export interface Exit {
  /** 128 + signal for a child killed by a signal, as in shells. */
  readonly exitCode: number;
  readonly signalled: boolean;
}

export interface RunningProcess {
  readonly pid: number;
  /**
   * Resolves when the child has ended and its output is read. The rest of its group is killed when it ends, and a pipe held open from outside the
   * group is abandoned soon after.
   */
  readonly ended: Promise<Exit>;
  /** Sends input to the child; discards it if the child has ended or closed the pipe. */
  write(data: string | Uint8Array): void;
  endInput(): void;
  /** Kills the whole group immediately. */
  kill(): void;
}

/** Starts a program in its own process group. Undefined if the program does not exist or cannot be executed. */
export async function startProcess(
  command: string[],
  options: StartOptions,
): Promise<RunningProcess | undefined> {
  const child = await spawn(command, options);
  if (!child) return undefined;
  const readers = [
    new PipeReader(child.stdout, (chunk) => options.output("stdout", chunk)),
    new PipeReader(child.stderr, (chunk) => options.output("stderr", chunk)),
  ];
  return {
    pid: child.pid,
    ended: endOf(child, readers, options.mark),
    ...inputOf(child.stdin),
    kill: () => killGroup(child.pid),
  };
}

type Child = Bun.Subprocess<"pipe", "pipe", "pipe">;

async function spawn(command: string[], options: StartOptions): Promise<Child | undefined> {
  const marked = options.mark === undefined ? {} : markVariables(options.mark);
  for (let attempt = 0; ; attempt++) {
    try {
      return Bun.spawn(command, {
        env: childEnvironment(options.environment, { ...options.variables, ...marked }),
        ...(options.workingDirectory === undefined ? {} : { cwd: options.workingDirectory }),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
        detached: true,
      });
    } catch (error) {
      if (systemCode(error) !== "ETXTBSY" || attempt === BUSY_RETRIES) return undefined;
      await Bun.sleep(BUSY_PAUSE_MS);
    }
  }
}

async function endOf(child: Child, readers: readonly PipeReader[], mark: string | undefined): Promise<Exit> {
  await child.exited;
  killGroup(child.pid);
  if (mark !== undefined) await killMarked(mark);
  await untilRead(readers);
  const signal = child.signalCode;
  const exitCode =
    signal === null
      ? child.exitCode
      : SIGNAL_EXIT_BASE + constants.signals[signal as keyof typeof constants.signals];
  return { exitCode: exitCode ?? SIGNAL_EXIT_BASE, signalled: signal !== null };
}

async function untilRead(readers: readonly PipeReader[]): Promise<void> {
  let ticks = 0;
  const timer = setInterval(() => {
    const last = ++ticks === DRAIN_TICKS_MAX;
    for (const reader of readers) if (reader.quietTicks() >= DRAIN_QUIET_TICKS || last) reader.leave();
  }, DRAIN_TICK_MS);
  await Promise.all(readers.map((reader) => reader.done));
  clearInterval(timer);
}

/** Ignores EPIPE, now or later: a child may close its input. */
function inputOf(sink: Bun.FileSink): Pick<RunningProcess, "write" | "endInput"> {
  const quietly = (act: () => unknown) => {
    try {
      void Promise.resolve(act()).catch(() => {});
    } catch {
      // The child has ended and does not need its input.
    }
  };
  return {
    write: (data) => {
      // Each may fail separately, and later.
      quietly(() => sink.write(data));
      quietly(() => sink.flush());
    },
    endInput: () => quietly(() => sink.end()),
  };
}

/** The members of a stream reader that are used; Bun's and Node's full types disagree. */
interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

class PipeReader {
  readonly done: Promise<void>;
  readonly #reader: Reader;
  #left = false;
  #quietTicks = 0;

  constructor(stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void) {
    this.#reader = stream.getReader();
    this.done = this.#read(take);
  }

  /** The number of calls since the last chunk, including this one. */
  quietTicks(): number {
    return ++this.#quietTicks;
  }

  leave(): void {
    this.#left = true;
    void this.#reader.cancel().catch(() => {});
  }

  async #read(take: (chunk: Uint8Array) => void): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done || this.#left || !value) return;
        this.#quietTicks = 0;
        take(value);
      }
    } catch {
      // The pipe broke: the child has ended, and its earlier output was read.
    }
  }
}

export interface TerminalOptions {
  readonly environment: Environment;
  readonly variables?: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  /** Must not throw. */
  readonly output: (chunk: Uint8Array) => void;
  /** Called when the child has read all input. */
  readonly drained: () => void;
}

export interface TerminalProcess {
  /** Resolves when the child has ended, its output is read, and its terminal is closed. */
  readonly ended: Promise<void>;
  write(data: Uint8Array): void;
  resize(columns: number, rows: number): void;
  /** Stops the whole group until `resume`, because a terminal has no back-pressure. */
  pause(): void;
  resume(): void;
  kill(): void;
}

/** Starts a program on its own terminal (PTY), in its own process group. Undefined if it cannot be started. */
export function startTerminal(command: string[], options: TerminalOptions): TerminalProcess | undefined {
  const { columns, rows, drained } = options;
  const output = new TerminalOutput(options.output);
  const terminal = openTerminal({
    cols: columns,
    rows,
    data: (_, chunk) => output.take(chunk),
    drain: drained,
    exit: () => output.close(),
  });
  if (!terminal) return undefined;
  // Raw mode, because our line discipline would echo and translate before the child sets its own.
  terminal.setRawMode(true);
  try {
    const child = Bun.spawn(command, {
      env: childEnvironment(options.environment, options.variables),
      terminal,
      detached: true,
    });
    return {
      ended: endOfTerminal(child, terminal, output),
      write: (data) => void (terminal.closed || terminal.write(data as Uint8Array<ArrayBuffer>)),
      resize: (toColumns, toRows) => {
        if (terminal.closed) return;
        terminal.resize(toColumns, toRows);
        // This is not the child's controlling terminal, so the system does not signal it.
        if (process.platform !== "win32") signalGroup(child.pid, "SIGWINCH");
      },
      pause: () => signalGroup(child.pid, "SIGSTOP"),
      resume: () => signalGroup(child.pid, "SIGCONT"),
      kill: () => killGroup(child.pid),
    };
  } catch {
    terminal.close();
    return undefined;
  }
}

async function endOfTerminal(
  child: Bun.Subprocess,
  terminal: Bun.Terminal,
  output: TerminalOutput,
): Promise<void> {
  await child.exited;
  killGroup(child.pid);
  await output.toEnd(terminal);
  terminal.close();
}

/** Undefined where the system has none. */
function openTerminal(options: Bun.TerminalOptions): Bun.Terminal | undefined {
  try {
    return new Bun.Terminal(options);
  } catch {
    return undefined;
  }
}

function signalGroup(pid: number, signal: "SIGSTOP" | "SIGCONT" | "SIGWINCH"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone.
  }
}

function killGroup(pid: number): void {
  try {
    if (process.platform === "win32")
      Bun.spawn(["taskkill", "/T", "/F", "/PID", String(pid)], { stdio: ["ignore", "ignore", "ignore"] });
    else process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

/**
 * Runs an interactive program on our own terminal until it ends: no deadline, and no own process group, because the terminal belongs to ours.
 * Meanwhile, interrupt keys go only to the program. Undefined if it cannot be started.
 */
export async function runOnOwnTerminal(
  command: string[],
  environment: Environment,
  input?: Uint8Array<ArrayBuffer>,
): Promise<{ exitCode: number } | undefined> {
  const ignore = () => {};
  process.on("SIGINT", ignore);
  process.on("SIGQUIT", ignore);
  try {
    const output = process.stdout.isTTY ? "inherit" : STDERR;
    const child = Bun.spawn(command, {
      env: personalEnvironment(environment),
      stdio: [input === undefined ? "inherit" : new Blob([input]), output, "inherit"],
    });
    return { exitCode: await child.exited };
  } catch {
    return undefined;
  } finally {
    process.off("SIGINT", ignore);
    process.off("SIGQUIT", ignore);
  }
}

/** Starts a program of the person that outlives this one, such as a browser, and takes none of its output. False if it cannot be started. */
export function startForGood(command: string[], environment: Environment): boolean {
  try {
    Bun.spawn(command, {
      env: personalEnvironment(environment),
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    }).unref();
    return true;
  } catch {
    return false;
  }
}

/** The command that starts this very program. Compiled, the program is the executable; from source it is a file that the executable runs. */
export function ownCommand(): string[] {
  const isCompiled = Bun.main.includes("$bunfs") || Bun.main.includes("~BUN");
  return isCompiled ? [ownExecutable()] : [ownExecutable(), Bun.main];
}

/**
 * Starts another instance of this program, detached: it outlives this process and appends both outputs to a file. Returns its process ID.
 */
export function startDetached(
  args: readonly string[],
  logPath: string,
  variables: Readonly<Record<string, string>> = {},
): number {
  mkdirSync(dirname(logPath), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  const log = openSync(logPath, "a", PRIVATE_FILE_MODE);
  try {
    const child = Bun.spawn([...ownCommand(), ...args], {
      env: childEnvironment(processEnvironment(), { ...extraTrust(processEnvironment()), ...variables }),
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.unref();
    return child.pid;
  } finally {
    closeSync(log);
  }
}
