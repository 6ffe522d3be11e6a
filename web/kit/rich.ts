// Loads what only some texts need: formulas, footnotes and diagrams. Until it is there, and if it cannot be loaded, their source is shown.

import { type Accessor, createMemo, createSignal } from "solid-js";
import type { Rich } from "./rich/rich.ts";
import { loading } from "./quiet.ts";

export type { Rich };

/** A formula, a footnote, or a diagram. A price loads it in vain, which costs a few kilobytes. */
const MARKS = /\$|\\[([]|\[\^|(?:```|~~~)[ \t]*mermaid/;

const [rich, setRich] = createSignal<Rich>();
let asked = false;

/** Undefined for a text that needs nothing of it, and until it is loaded. */
export function richFor(text: Accessor<string>): Accessor<Rich | undefined> {
  // A memo: the text changes with every word.
  return createMemo(() => {
    if (!MARKS.test(text())) return undefined;
    if (!asked) void load();
    return rich();
  });
}

async function load(): Promise<void> {
  asked = true;
  try {
    const { rich: loaded } = await loading(import("./rich/rich.ts"));
    setRich(loaded);
  } catch {
    // After an update the server has other files. The source is readable.
    asked = false;
  }
}
