// Local storage: pane sizes, drafts, the theme. Nothing secret, and nothing that must not be lost.

import { createSignal, type Accessor } from "solid-js";

const PREFIX = "cairn.";

/** A signal persisted under this name. Without storage it lasts as long as the page. */
export function stored<T>(name: string, initial: T): [Accessor<T>, (value: T) => void] {
  const [value, setValue] = createSignal<T>(remember(name) ?? initial);
  return [
    value,
    (next) => {
      setValue(() => next);
      keep(name, next);
    },
  ];
}

export function remember<T>(name: string): T | undefined {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** The names with this prefix under which something is stored. */
export function namesUnder(prefix: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX + prefix))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** Stores a value; undefined removes it. Returns false when storage is full or forbidden, which keeps the previous value. */
export function keep(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** The draft of one page. Other tabs may store their own under the same name. */
interface TabDraft<T> {
  readonly before: T | undefined;
  readonly keep: (value: T) => void;
  /** Removes what this tab stored; what another tab has stored since stays. */
  readonly drop: () => void;
  /** Stops keeping it. */
  readonly end: () => void;
}

/** The draft is stored again when the page is left, because another tab may have stored or dropped its own meanwhile. */
export function tabDraft<T>(name: string): TabDraft<T> {
  const before = remember<T>(name);
  /** As stored or read here last. */
  let own = before;
  const isOwn = () => JSON.stringify(remember(name)) === JSON.stringify(own);
  const restore = () => {
    if (own !== undefined && !isOwn()) keep(name, own);
  };
  addEventListener("pagehide", restore);
  return {
    before,
    keep: (value) => void keep(name, (own = value)),
    drop: () => {
      if (isOwn()) keep(name, undefined);
      own = undefined;
    },
    end: () => removeEventListener("pagehide", restore),
  };
}

/** Calls `hear` when another tab stores a value under this name, or removes it. Returns a function that unsubscribes. */
export function onKept<T>(name: string, hear: (value: T | undefined) => void): () => void {
  const listen = ({ key }: StorageEvent) => {
    // Null: everything was removed.
    if (key === PREFIX + name || key === null) hear(remember<T>(name));
  };
  addEventListener("storage", listen);
  return () => removeEventListener("storage", listen);
}
