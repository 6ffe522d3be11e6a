// The pool of threads that run long work of the context server and of the command line. A thread starts with the first job.

import { openWorker } from "../kit/workers/entry.ts";
import { WorkerPool } from "../kit/workers/pool.ts";

/** Relative to the root of the repository; release/build.ts compiles it in. */
const WORKER_ENTRY = "src/context/worker.ts";

export function contextWorkers(): WorkerPool {
  return new WorkerPool(() => openWorker(WORKER_ENTRY));
}
