// The terminal of this process for a full-screen program: raw input, size, and an end that leaves the terminal as it was, also after a crash.

import { writeSync } from "node:fs";
import { processEnvironment, stdoutTakesColor } from "../environment.ts";

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;
const STDOUT = 1;
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

interface OwnTerminalEvents {
  readonly input: (chunk: Uint8Array) => void;
  readonly resized: () => void;
  /** A signal, or the terminal was closed. */
  readonly ended: () => void;
}

export class OwnTerminal {
  readonly colours = stdoutTakesColor(processEnvironment());
  #isLent = false;
  #drained = () => {};
  #stop = () => {};

  size(): { columns: number; rows: number } {
    const { columns, rows } = process.stdout;
    return { columns: columns || COLUMNS_DEFAULT, rows: rows || ROWS_DEFAULT };
  }

  write(text: string): boolean {
    return process.stdout.write(text);
  }

  onDrain(then: () => void): void {
    this.#drained = then;
  }

  /** `restoring` switches off what the program switched on, whatever ends it. */
  start({ input, resized, ended }: OwnTerminalEvents, restoring: string): void {
    const { stdin, stdout } = process;
    const signalled = (signal: NodeJS.Signals) => {
      // While another program has the terminal, the interrupt key is for that program.
      if (!(this.#isLent && signal === "SIGINT")) ended();
    };
    const drained = () => this.#drained();
    const exited = () => this.#restore(restoring);
    this.#raw(true);
    stdin.on("data", input);
    stdin.on("end", ended);
    stdout.on("resize", resized);
    stdout.on("drain", drained);
    stdout.on("error", ended);
    process.on("exit", exited);
    for (const signal of SIGNALS) process.on(signal, signalled);
    this.#stop = () => {
      for (const signal of SIGNALS) process.off(signal, signalled);
      process.off("exit", exited);
      stdin.off("data", input);
      stdin.off("end", ended);
      stdout.off("resize", resized);
      stdout.off("drain", drained);
      stdout.off("error", ended);
      this.#raw(false);
    };
  }

  stop(): void {
    this.#stop();
    this.#stop = () => {};
  }

  /** Gives the terminal to another program meanwhile. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#isLent = true;
    this.#raw(false);
    try {
      return await work();
    } finally {
      this.#isLent = false;
      this.#raw(true);
    }
  }

  #raw(on: boolean): void {
    try {
      process.stdin.setRawMode?.(on);
    } catch {
      // The terminal is gone.
    }
    if (on) process.stdin.resume();
    else process.stdin.pause();
  }

  /** Asynchronous code no longer runs here. */
  #restore(restoring: string): void {
    try {
      process.stdin.setRawMode?.(false);
      writeSync(STDOUT, restoring);
    } catch {
      // The terminal is gone.
    }
  }
}
