// What this browser remembers for a person: sizes of panes, drafts, the theme. Nothing secret, and nothing that can't be lost.

import { createSignal, type Accessor } from "solid-js";

const PREFIX = "cairn.";

/** A signal that is kept under this name. A browser that forbids storage only forgets. */
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

/** Undefined: forget it. False when the browser is full or forbids it: then what was there before stays. */
export function keep(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
