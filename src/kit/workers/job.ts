// Declares a kind of work for worker threads, shared by both threads. A feature declares its jobs beside their functions; the worker of a
// program maps jobs to functions.

import { AppError, messageOf, type ErrorCode, type ErrorDetails } from "../error.ts";

/** `Input` and `Output` cross threads, so they are data: no functions, no classes. */
export interface Job<Input, Output> {
  readonly name: string;
  /** The limit of one run, without the time in the queue, the start of a thread and the loading of the function. */
  readonly deadlineMs: number;
  readonly inputBytesMax: number;
  /** The most that one run may add to the memory of the process; undefined: its input bounds it. */
  readonly memoryBytesMax?: number;
  /** It may take seconds, so a caller runs one at a time, and leaves a worker to others. */
  readonly perCaller?: "one";
  /** The cost to transfer and hold, in bytes, or UTF-16 units for text. */
  readonly sizeOf: (input: Input) => number;
  /** Only for the types. */
  readonly output?: Output;
}

type Perform<Input, Output> = (input: Input) => Output | Promise<Output>;

/** A job and the loader of its function. */
interface Implementation {
  readonly name: string;
  readonly load: () => Promise<Perform<unknown, unknown>>;
}

export function implement<Input, Output>(
  { name }: Job<Input, Output>,
  load: () => Promise<Perform<Input, Output>>,
): Implementation {
  return {
    name,
    load: async () => {
      const run = await load();
      return (input) => run(input as Input);
    },
  };
}

export interface Request {
  readonly name: string;
  readonly input: unknown;
}

export type Outcome =
  | { readonly kind: "done"; readonly output: unknown }
  | {
      readonly kind: "refused";
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails | undefined;
    }
  | { readonly kind: "failed"; readonly message: string };

/** `begun`: the function is loaded and runs from now on. */
export type Reply = { readonly kind: "begun" } | Outcome;

/** For the entry file of a worker: runs one job at a time, and only listed jobs. */
export function serveJobs(implementations: readonly Implementation[]): void {
  const known = new Map(implementations.map(({ name, load }) => [name, load]));
  globalThis.addEventListener("message", ({ data }: MessageEvent<Request>) => {
    void perform(known, data).then((reply) => postMessage(reply));
  });
}

let isTolerant = false;

/**
 * In a worker: keeps errors that a library raises and nobody awaits from ending the thread, perhaps during the next job. The job itself still
 * fails by its own promise, or at its deadline.
 */
export function tolerateStrayErrors(): void {
  if (isTolerant) return;
  isTolerant = true;
  process.on("unhandledRejection", () => {});
  process.on("uncaughtException", () => {});
}

async function perform(
  known: ReadonlyMap<string, Implementation["load"]>,
  { name, input }: Request,
): Promise<Outcome> {
  try {
    const load = known.get(name);
    if (!load) throw new Error(`no job "${name}"`);
    const run = await load();
    postMessage({ kind: "begun" } satisfies Reply);
    return { kind: "done", output: await run(input) };
  } catch (error) {
    if (!(error instanceof AppError)) return { kind: "failed", message: messageOf(error) };
    const { code, message, details } = error;
    return { kind: "refused", code, message, details };
  }
}
