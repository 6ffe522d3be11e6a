// Mounts editors and merge views. Everything that needs CodeMirror is behind this module, which loads with the first of them.

import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { editorSetup, languageOf, type SetupOptions } from "./setup.ts";
import { editorRoot } from "./shadow.ts";
import { changeBetween, lineEndOf } from "./text-change.ts";

/** Beyond these limits the diff is by line only, so that the page never freezes. */
const DIFF_MS_MAX = 400;
const DIFF_CHARACTERS_SCANNED = 500;
const LINES_AROUND = 3;
const FOLDED_FROM_LINES = 8;

export interface Mounted {
  /** Changes the text to this one as one undoable edit of the part that differs. */
  readonly show: (text: string) => void;
  readonly focus: () => void;
  /** Scrolls to a line, from 1, selects it and takes the focus. */
  readonly goTo: (line: number) => void;
  readonly destroy: () => void;
}

interface MountOptions extends Omit<SetupOptions, "language"> {
  /** Its ending chooses the language. */
  readonly fileName: string;
}

/** Resolves with undefined if `gone` is true once the language has loaded. */
export async function mountEditor(
  host: HTMLElement,
  options: MountOptions,
  gone: () => boolean,
): Promise<Mounted | undefined> {
  const language = await languageOf(options.fileName);
  if (gone()) return undefined;
  const root = editorRoot(host);
  const stateOf = (text: string) =>
    EditorState.create({ doc: text, extensions: editorSetup({ ...options, text, language }) });
  const view = new EditorView({ parent: root, root, state: stateOf(options.text) });
  return {
    ...mounted(view),
    show: (text) => {
      // Other line endings need a new state.
      if (lineEndOf(text) !== lineEndOf(view.state.sliceDoc())) view.setState(stateOf(text));
      else replaceText(view, text);
    },
  };
}

interface MergeOptions extends MountOptions {
  readonly before: string;
  readonly beforeLabel: string;
  /** The label of the button that takes a piece of the first text. */
  readonly takeLabel: string;
  /** One text with the differences inline, for narrow screens. */
  readonly unified: boolean;
}

/** `show` changes the second text. */
export async function mountMerge(
  host: HTMLElement,
  options: MergeOptions,
  gone: () => boolean,
): Promise<Mounted | undefined> {
  const language = await languageOf(options.fileName);
  if (gone()) return undefined;
  const after = editorSetup({ ...options, language });
  const merge = options.unified ? mountUnified : mountSides;
  return merge(host, options, after, language);
}

type Setup = ReturnType<typeof editorSetup>;

const shared = {
  diffConfig: { scanLimit: DIFF_CHARACTERS_SCANNED, timeout: DIFF_MS_MAX },
  collapseUnchanged: { margin: LINES_AROUND, minSize: FOLDED_FROM_LINES },
};

function mountSides(
  host: HTMLElement,
  options: MergeOptions,
  after: Setup,
  language: SetupOptions["language"],
): Mounted {
  const root = editorRoot(host);
  const before = editorSetup({ label: options.beforeLabel, readOnly: true, text: options.before, language });
  const view = new MergeView({
    parent: root,
    root,
    a: { doc: options.before, extensions: before },
    b: { doc: options.text, extensions: after },
    revertControls: "a-to-b",
    renderRevertControl: () => controlButton("→", options.takeLabel),
    ...shared,
  });
  return { ...mounted(view.b), destroy: () => view.destroy() };
}

function mountUnified(host: HTMLElement, options: MergeOptions, after: Setup): Mounted {
  const root = editorRoot(host);
  const { takeLabel } = options;
  const merge = unifiedMergeView({
    original: options.before,
    // Accepting would change the original.
    mergeControls: (type, act) => {
      if (type === "accept") return document.createElement("span");
      const button = controlButton(takeLabel, takeLabel);
      button.addEventListener("mousedown", act);
      return button;
    },
    ...shared,
  });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: options.text, extensions: [...after, merge] }),
  });
  return mounted(view);
}

function mounted(view: EditorView): Mounted {
  return {
    show: (text) => replaceText(view, text),
    focus: () => view.focus(),
    goTo: (line) => goToLine(view, line),
    destroy: () => view.destroy(),
  };
}

function controlButton(text: string, label: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.title = label;
  button.setAttribute("aria-label", label);
  return button;
}

function goToLine(view: EditorView, number: number): void {
  const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
  view.dispatch({
    selection: { anchor: line.from, head: line.to },
    effects: EditorView.scrollIntoView(line.from, { y: "center" }),
  });
  view.focus();
}

function replaceText(view: EditorView, text: string): void {
  const { state } = view;
  const change = changeBetween(state.doc.toString(), state.toText(text).toString());
  if (!change) return;
  view.dispatch({ changes: { ...change, insert: Text.of(change.insert.split("\n")) } });
}
