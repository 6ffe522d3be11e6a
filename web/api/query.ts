// What was read from the server, kept by key: shown at once when it is known, read anew when somebody looks again, says that it changed
// (`refresh`), or comes back to the window. Reading never suspends a screen: `data` is undefined until there is something.

import { QueryClient, QueryObserver, type QueryKey } from "@tanstack/query-core";
import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { asProblem, type Problem } from "./problem.ts";

const FRESH_MS = 2_000;
const RETRIES_MAX = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The server may be this machine: whether there is a network says nothing about it.
      networkMode: "always",
      // What the server refused it will refuse again; only a lost connection is worth another try.
      retry: (failures, error) => asProblem(error).code === "offline" && failures < RETRIES_MAX,
    },
  },
});
client.mount();

export interface Query<T> {
  /** Undefined until it was read; stays while it is read again. */
  readonly data: Accessor<T | undefined>;
  /** Why it could not be read; undefined while there is data to show. */
  readonly problem: Accessor<Problem | undefined>;
  /** Nothing to show yet, and no reason why. */
  readonly loading: Accessor<boolean>;
  readonly refresh: () => Promise<void>;
}

export interface QueryOptions {
  /** Read again after so many milliseconds, while somebody looks at the page. */
  readonly every?: number;
}

/** `ask` gives key and reader, tracked: another key is another thing. Undefined: nothing to read at the moment. */
export function createQuery<T>(
  ask: () => { key: QueryKey; read: () => Promise<T> } | undefined,
  options: QueryOptions = {},
): Query<T> {
  const [data, setData] = createSignal<T>();
  const [problem, setProblem] = createSignal<Problem>();
  const [loading, setLoading] = createSignal(true);
  let observer: QueryObserver<T, Error> | undefined;
  createEffect(() => {
    const asked = ask();
    if (!asked) {
      setData(undefined);
      setProblem(undefined);
      return;
    }
    const current = new QueryObserver<T, Error>(client, {
      queryKey: asked.key,
      queryFn: asked.read,
      ...(options.every === undefined ? {} : { refetchInterval: options.every }),
    });
    observer = current;
    const show = () => {
      const result = current.getCurrentResult();
      setData(() => result.data);
      setProblem(result.data === undefined && result.error ? asProblem(result.error) : undefined);
      setLoading(result.isPending);
    };
    show();
    onCleanup(current.subscribe(show));
  });
  return {
    data,
    problem,
    loading,
    refresh: async () => {
      await observer?.refetch();
    },
  };
}

/** Everything whose key begins with this (no key: everything) is read again where it is shown, and forgotten where it is not. */
export function refresh(...key: QueryKey): Promise<void> {
  return client.invalidateQueries({ queryKey: key });
}

/** Puts in what an answer has just told, so that it needs no reading. */
export function put<T>(key: QueryKey, data: T): void {
  client.setQueryData(key, data);
}

/** After another person signed in: nothing of the former one may be shown. */
export function forgetAll(): void {
  client.clear();
}
