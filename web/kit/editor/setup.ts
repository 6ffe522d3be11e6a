// The behaviour of every editor: keys, find, languages, line endings. Loads with the first editor. look.css has its look.

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
  /** Its line endings are kept, whatever is typed or pasted. */
  readonly text: string;
  readonly language?: LanguageSupport | undefined;
  readonly onSave?: (() => void) | undefined;
  /** Receives the text as it would be saved, after each change. */
  readonly onChange?: ((text: string) => void) | undefined;
  readonly onCursor?: ((line: number, column: number) => void) | undefined;
}

/** Labels of the find panel. */
const PHRASES = {
  next: "Next",
  previous: "Previous",
  all: "Select all",
  "match case": "Match case",
  regexp: "Regular expression",
  "by word": "Whole words",
  replace: "Replace one",
  "replace all": "Replace all",
  close: "Close search",
};

/** CodeMirror's own rule for keyboard users. */
const LEAVING_HINT = "Tab indents. Escape, then Tab, leaves the editor.";

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
    // Before the keys of the basic setup.
    keymap.of([...(onSave ? [save] : []), ...(readOnly ? [] : [indentWithTab])]),
    basicSetup,
    search({ top: true }),
    EditorState.phrases.of(PHRASES),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    syntaxHighlighting(classHighlighter),
    lineEnds(options.text),
    EditorState.readOnly.of(readOnly),
    // Read-only text can still be reached, scrolled, searched and copied by keyboard.
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

/** Keeps foreign line endings, which a save would otherwise change in every line. */
function lineEnds(text: string): Extension {
  const end = lineEndOf(text);
  if (end === undefined) return [];
  return [
    EditorState.lineSeparator.of(end),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?|\n/g, end)),
  ];
}

/** Returns the language for a file name; undefined for plain text. */
async function describeLanguage(fileName: string): Promise<LanguageDescription | undefined> {
  const { languages } = await import("@codemirror/language-data");
  const name = fileName.slice(fileName.lastIndexOf("/") + 1);
  return LanguageDescription.matchFilename(languages, name) ?? undefined;
}

/** Loads the language for a file name; undefined if it is unknown or fails to load. */
export async function languageOf(fileName: string): Promise<LanguageSupport | undefined> {
  try {
    return await (await describeLanguage(fileName))?.load();
  } catch {
    return undefined;
  }
}
