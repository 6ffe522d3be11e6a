// How every editor of ours behaves: keys, find, languages, line ends. Loaded with the first editor that is opened. What it looks like is in
// look.css.

import { indentWithTab } from "@codemirror/commands";
import { LanguageDescription, type LanguageSupport, syntaxHighlighting } from "@codemirror/language";
import { search } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { lineEndOf } from "./text-change.ts";

export interface SetupOptions {
  /** The accessible name. */
  readonly label: string;
  readonly readOnly: boolean;
  /** Its kind of line ends is kept, whatever is typed or pasted. */
  readonly text: string;
  readonly language?: LanguageSupport | undefined;
  readonly onSave?: (() => void) | undefined;
  /** The text as it would be saved, after each change. */
  readonly onChange?: ((text: string) => void) | undefined;
  readonly onCursor?: ((line: number, column: number) => void) | undefined;
}

/** The words of the find panel, as buttons of ours are worded. */
const PHRASES = {
  next: "Next",
  previous: "Previous",
  all: "Select all",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace one",
  "replace all": "Replace all",
  close: "Close the search",
};

/** Tab indents; Escape, then Tab, leaves the editor (the editor's own rule for whoever uses the keyboard alone). */
export const LEAVING_HINT = "Tab indents. Escape, then Tab, leaves the editor.";

export function editorSetup(options: SetupOptions): Extension[] {
  const { label, readOnly, language, onSave, onChange, onCursor } = options;
  const save = {
    key: "Mod-s",
    scope: "editor search-panel",
    preventDefault: true,
    run: () => {
      onSave?.();
      return true;
    },
  };
  return [
    // First: before the keys of the basic setup.
    keymap.of([...(onSave ? [save] : []), ...(readOnly ? [] : [indentWithTab])]),
    basicSetup,
    search({ top: true }),
    EditorState.phrases.of(PHRASES),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    syntaxHighlighting(classHighlighter),
    lineEnds(options.text),
    EditorState.readOnly.of(readOnly),
    // What can't be changed can still be reached, scrolled, searched and copied by keyboard.
    EditorView.contentAttributes.of({
      "aria-label": label,
      ...(readOnly ? { "aria-readonly": "true" } : { "aria-description": LEAVING_HINT }),
      spellcheck: "false",
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange?.(update.state.sliceDoc());
      if (onCursor && (update.docChanged || update.selectionSet)) {
        const { head } = update.state.selection.main;
        const line = update.state.doc.lineAt(head);
        onCursor(line.number, head - line.from + 1);
      }
    }),
    ...(language ? [language] : []),
  ];
}

/** Without it a file with foreign line ends would be changed in every line by a save. */
function lineEnds(text: string): Extension {
  const end = lineEndOf(text);
  if (end === undefined) return [];
  return [
    EditorState.lineSeparator.of(end),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?|\n/g, end)),
  ];
}

/** What to call the language of a file of this name; undefined: plain text. */
export async function describeLanguage(fileName: string): Promise<LanguageDescription | undefined> {
  const { languages } = await import("@codemirror/language-data");
  const name = fileName.slice(fileName.lastIndexOf("/") + 1);
  return LanguageDescription.matchFilename(languages, name) ?? undefined;
}

/** Undefined: none that we know, or it could not be loaded; then the text has no colours. */
export async function languageOf(fileName: string): Promise<LanguageSupport | undefined> {
  try {
    return await (await describeLanguage(fileName))?.load();
  } catch {
    return undefined;
  }
}
