// Formulas, footnotes and diagrams in Markdown. Loads with the first text that has one of them (../rich.ts).

import type { MarkedExtension } from "marked";
import type { Component } from "solid-js";
import { Diagram } from "./diagram.tsx";
import { footnotes, mountFootnotes, withNotes } from "./footnotes.ts";
import { formulas, mountFormulas } from "./formulas.ts";
import "./rich.css";

export interface Rich {
  readonly extension: MarkedExtension;
  /** Parses with these labels of footnotes, one per line. */
  readonly withNotes: <T>(notes: string, parse: () => T) => T;
  /** Fills placeholders in rendered HTML. Returns a function that ends it. */
  readonly mount: (root: HTMLElement) => () => void;
  readonly Diagram: Component<{ readonly source: string }>;
}

export const rich: Rich = {
  extension: { extensions: [...formulas, ...footnotes] },
  withNotes,
  mount(root) {
    mountFootnotes(root);
    return mountFormulas(root);
  },
  Diagram,
};
