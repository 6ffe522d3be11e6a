// A pane whose record someone else deletes while it is open: it stays with what was typed, and says so.

import { type Accessor, createMemo, type JSX } from "solid-js";

interface Kept<T> {
  /** As it was last found; undefined if it never was. */
  readonly record: Accessor<T | undefined>;
  readonly deleted: Accessor<boolean>;
}

/** For a component that shows one record only. */
export function keptRecord<T>(find: () => T | undefined): Kept<T> {
  const found = createMemo(find);
  const record = createMemo<T | undefined>((before) => found() ?? before);
  return { record, deleted: () => found() === undefined && record() !== undefined };
}

export function DeletedNotice(props: { readonly name: string }): JSX.Element {
  return (
    <div class="section">
      <div class="notice bad" role="alert">
        <div>
          <bdi>{props.name}</bdi> was deleted. Copy what you need before you close it.
        </div>
      </div>
    </div>
  );
}
