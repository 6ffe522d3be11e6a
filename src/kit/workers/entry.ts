// Starts the worker of a program from its entry file, from source and from the compiled program alike. release/build.ts compiles every entry
// in as an entry point of its own; there it lies under the root of the files that the program carries.

/** Set by release/build.ts. */
declare const CAIRN_VERSION: string | undefined;
const ROOT_FROM_HERE = "../../../";

/** As the runtime has it. The interface's types know the browser's, which keeps no process alive. */
export type Thread = Worker & { ref(): void; unref(): void };

/** `path`: of the entry file, from the root of the repository. */
export function openWorker(path: string): Thread {
  const isCompiled = typeof CAIRN_VERSION === "string";
  const url = isCompiled
    ? new URL(path.replace(/\.ts$/, ".js"), import.meta.url)
    : new URL(`${ROOT_FROM_HERE}${path}`, import.meta.url);
  const worker = new Worker(url.href) as Thread;
  worker.unref();
  return worker;
}
