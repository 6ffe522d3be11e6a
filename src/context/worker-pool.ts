// The pools of threads that do long work of the context server and of the command line. A thread starts with the first job.

import { openWorker } from "../kit/workers/entry.ts";
import { WorkerPool } from "../kit/workers/pool.ts";

/** Relative to the root of the repository; release/build.ts compiles them in. */
const WORKER_ENTRY = "src/context/worker.ts";
const LOOK_WORKER_ENTRY = "src/context/look-worker.ts";

export function contextWorkers(): WorkerPool {
  return new WorkerPool(() => openWorker(WORKER_ENTRY));
}

/** Threads that start in a few milliseconds, because they can do nothing but look at files. */
export function lookWorkers(): WorkerPool {
  return new WorkerPool(() => openWorker(LOOK_WORKER_ENTRY));
}
