// The one place that starts processes. Every child has a deadline, bounded output, an allow-listed environment and its own group,
// which is killed as a whole: killing only the child would leave its grandchildren, and whoever waits for their pipes, behind.

import { childEnvironment, type Environment } from "./environment.ts";

export interface RunOptions {
  readonly environment: Environment;
  readonly deadlineMs: number;
  /** Kept of each stream; the rest is read and dropped. */
  readonly outputBytesMax: number;
}

export interface RunOutcome {
  /** Null when the child was killed or could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Runs a program to its end or its deadline. Never throws for what the program does; a missing program is exitCode null. */
export async function runProcess(command: string[], options: RunOptions): Promise<RunOutcome> {
  const child = spawn(command, options.environment);
  if (!child) return { exitCode: null, stdout: "", stderr: `${command[0]}: not found`, timedOut: false };
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child.pid);
  }, options.deadlineMs);
  try {
    const [stdout, stderr, exitCode] = await Promise.all([
      readBounded(child.stdout, options.outputBytesMax),
      readBounded(child.stderr, options.outputBytesMax),
      child.exited,
    ]);
    return { exitCode: timedOut ? null : exitCode, stdout, stderr, timedOut };
  } finally {
    clearTimeout(timer);
  }
}

function spawn(command: string[], environment: Environment) {
  try {
    return Bun.spawn(command, {
      env: childEnvironment(environment),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch {
    return undefined;
  }
}

function killGroup(pid: number): void {
  try {
    if (process.platform === "win32") Bun.spawn(["taskkill", "/T", "/F", "/PID", String(pid)]);
    else process.kill(-pid, "SIGKILL");
  } catch {
    // The group is gone already, which is what was wanted.
  }
}

async function readBounded(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (length < bytesMax) chunks.push(chunk.subarray(0, bytesMax - length));
    length += chunk.byteLength;
  }
  return Buffer.concat(chunks).toString("utf8");
}
