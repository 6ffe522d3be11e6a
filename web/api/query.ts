// The query cache. Cached data shows at once and is refetched when a component mounts, on `refresh`, and when the window regains focus.
// Reading never suspends a screen: `data` is undefined until the first response.

import { QueryClient, QueryObserver, type QueryKey } from "@tanstack/query-core";
import { type Accessor, createEffect, createSignal, onCleanup } from "solid-js";
import { asProblem, type Problem } from "./problem.ts";
import { onReachedAgain } from "./reach.ts";

const FRESH_MS = 2_000;
const RETRIES_MAX = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The server may be this machine, so the browser's offline state says nothing about it.
      networkMode: "always",
      // Only a lost connection is worth a retry: the server would repeat a refusal.
      retry: (failures, error) => asProblem(error).code === "offline" && failures < RETRIES_MAX,
    },
  },
});
client.mount();
// Reads again, since some reads failed and some records changed meanwhile.
onReachedAgain(() => void refresh());

export interface Query<T> {
  /** Undefined until the first response; kept while it is refetched. */
  readonly data: Accessor<T | undefined>;
  /** Why reading failed; undefined while there is data to show. */
  readonly problem: Accessor<Problem | undefined>;
  /** The server no longer has it; `data` is its last answer. */
  readonly gone: Accessor<boolean>;
  /** Neither data nor a problem yet. */
  readonly loading: Accessor<boolean>;
  readonly refresh: () => Promise<void>;
}

interface QueryOptions {
  /** Refetch interval in milliseconds, while the page is visible. */
  readonly every?: number;
  /** Whether to refetch while the page is hidden, too. Tracked. */
  readonly hidden?: () => boolean;
  /** Keeps the former record until that of the new key is read. Both must be of the same thing. */
  readonly keep?: boolean;
}

/** `ask` is tracked and returns the key and the reader, or undefined while there is nothing to read. */
export function createQuery<T>(
  ask: () => { key: QueryKey; read: () => Promise<T> } | undefined,
  options: QueryOptions = {},
): Query<T> {
  const [data, setData] = createSignal<T>();
  const [problem, setProblem] = createSignal<Problem>();
  const [gone, setGone] = createSignal(false);
  const [loading, setLoading] = createSignal(true);
  let observer: QueryObserver<T, Error> | undefined;
  createEffect(() => {
    const asked = ask();
    if (!asked) {
      setData(undefined);
      setProblem(undefined);
      setGone(false);
      return;
    }
    const current = new QueryObserver<T, Error>(client, {
      queryKey: asked.key,
      queryFn: asked.read,
      ...(options.every === undefined ? {} : { refetchInterval: options.every }),
      refetchIntervalInBackground: options.hidden?.() ?? false,
    });
    observer = current;
    const show = () => {
      const result = current.getCurrentResult();
      if (!options.keep || !result.isPending) setData(() => result.data);
      const failure = result.error ? asProblem(result.error) : undefined;
      setProblem(result.data === undefined ? failure : undefined);
      setGone(result.data !== undefined && failure?.code === "not_found");
      setLoading(result.isPending);
    };
    show();
    onCleanup(current.subscribe(show));
  });
  return {
    data,
    problem,
    gone,
    loading,
    refresh: async () => {
      const joins = observer?.getCurrentResult().isLoading;
      await observer?.refetch();
      if (joins) await observer?.refetch();
    },
  };
}

/** Whether any record is being read. */
export function isReading(): boolean {
  return client.isFetching() > 0;
}

/**
 * Refetches every mounted query whose key starts with this, and drops the others. Without a key: all queries. A first read that is still on its way
 * may be older than the change, and the cache joins it, so it is followed by another one.
 */
export async function refresh(...key: QueryKey): Promise<void> {
  const reading = client.getQueryCache().findAll({ queryKey: key, fetchStatus: "fetching" });
  const first = reading.filter(({ state }) => state.data === undefined);
  await client.invalidateQueries({ queryKey: key });
  await Promise.all(first.map(({ queryKey }) => client.invalidateQueries({ queryKey, exact: true })));
}

/** Stores the record that a response returned, which saves a read. */
export function put<T>(key: QueryKey, data: T): void {
  client.setQueryData(key, data);
}

/** Clears the cache when another person signs in. */
export function forgetAll(): void {
  client.clear();
}
