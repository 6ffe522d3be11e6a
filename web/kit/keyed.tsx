// A list whose rows outlive their records.

import { type Accessor, createMemo, For, type JSX } from "solid-js";

/**
 * A row lives as long as its key is in the list, whatever record stands for it: news about it changes the
 * row and leaves focus and open menus where they are. `For` alone makes a new row for a new record.
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
        // The last record stays until the row itself has gone.
        const item = createMemo<T>((last) => byKey().get(key) ?? last, byKey().get(key)!);
        return props.children(item);
      }}
    </For>
  );
}
