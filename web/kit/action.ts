// The action of a button: at most once at a time, with its problem in a toast. A second click while the server works sends nothing.

import { type Accessor, createSignal } from "solid-js";
import { attempt } from "./toast.tsx";

interface Action<Arguments extends readonly unknown[]> {
  /** For the button. */
  readonly busy: Accessor<boolean>;
  /** Resolves with whether it succeeded; with false, and without running, while it runs already. */
  readonly run: (...given: Arguments) => Promise<boolean>;
}

export function createAction<Arguments extends readonly unknown[] = []>(
  action: (...given: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [busy, setBusy] = createSignal(false);
  return {
    busy,
    run: async (...given) => {
      if (busy()) return false;
      setBusy(true);
      const done = await attempt(() => action(...given));
      setBusy(false);
      return done;
    },
  };
}
