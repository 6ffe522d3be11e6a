// The views of a document, in the order of their tabs, and what its pane gets.

import type { JSX } from "solid-js";
import type { ContextFile } from "../../../src/service/memory/schema.ts";
import type { Drafts } from "../../parts/document/drafts.ts";

export const documentViews = ["read", "source", "edit", "history"] as const;
export type DocumentView = (typeof documentViews)[number];

export const VIEW_NAMES: Readonly<Record<DocumentView, string>> = {
  read: "Read",
  source: "Source",
  edit: "Edit",
  history: "History",
};

export interface PaneProps {
  readonly path: string;
  /** As the list has it; undefined: not there, or not known yet. */
  readonly file: ContextFile | undefined;
  readonly view: DocumentView;
  readonly onView: (view: DocumentView) => void;
  readonly drafts: Drafts;
  /** Set when the document was opened by keyboard or has just been created. */
  readonly autofocus: boolean;
  /** Registers the save action; undefined on unmount. */
  readonly onSaver: (save: (() => void) | undefined) => void;
  readonly onCreate: () => void;
  /** Drops a document that was never saved. */
  readonly onDrop: () => void;
  /** At the start of the head. */
  readonly before: JSX.Element;
}
