// A list whose rows survive updates of their records.

import { type Accessor, createMemo, For, type JSX } from "solid-js";

/**
 * Keeps a row for as long as its key is in the list, so that an updated record keeps focus and open menus. `For` alone would create a new
 * row for each new record object.
 */
export function Keyed<T>(props: {
  readonly each: readonly T[];
  readonly key: (item: T) => string | number;
  readonly children: (item: Accessor<T>) => JSX.Element;
}): JSX.Element {
  const byKey = createMemo(() => new Map(props.each.map((item) => [props.key(item), item])));
  const keys = createMemo(() => [...byKey().keys()]);
  return (
    <For each={keys()}>
      {(key) => {
        // A row that is being removed keeps its last record.
        const item = createMemo<T>((last) => byKey().get(key) ?? last, byKey().get(key)!);
        return props.children(item);
      }}
    </For>
  );
}
