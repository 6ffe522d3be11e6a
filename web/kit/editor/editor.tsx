// The text editor: CodeMirror with languages, find, undo and our look, loaded with the first editor. It shows `value` whenever that differs
// from its text, and reports every change. Tab indents; Escape, then Tab, leaves the editor.

import { createEffect, createMemo, createSignal, type JSX } from "solid-js";
import { isTyping } from "../focus.ts";
import type { Mounted } from "./mount.ts";
import { MountedText } from "./mounted-text.tsx";

export interface EditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Its extension selects the language. */
  readonly fileName: string;
  /** The accessible name. */
  readonly label: string;
  readonly readOnly?: boolean;
  /** Ctrl S, ⌘ S. */
  readonly onSave: () => void;
  readonly onCursor?: (line: number, column: number) => void;
  /** Focuses the editor once it is loaded, unless the person types elsewhere by then. */
  readonly autofocus?: boolean;
  /** Scrolls to this line and selects it; each new object does so again. */
  readonly goToLine?: { readonly line: number } | undefined;
}

export function Editor(props: EditorProps): JSX.Element {
  // Another file or another mode needs a new editor.
  const kind = createMemo(() => `${props.readOnly ?? false} ${props.fileName}\n${props.label}`);
  const [mounted, setMounted] = createSignal<Mounted>();
  createEffect(() => props.goToLine && mounted()?.goTo(props.goToLine.line));
  return (
    <MountedText
      value={props.value}
      onChange={props.onChange}
      identity={kind()}
      pending="Loading the editor"
      mount={({ mountEditor }, { host, text, onChange, gone }) =>
        mountEditor(
          host,
          {
            text,
            fileName: props.fileName,
            label: props.label,
            readOnly: props.readOnly ?? false,
            onSave: () => props.onSave(),
            onCursor: props.onCursor && ((line, column) => props.onCursor?.(line, column)),
            onChange,
          },
          gone,
        )
      }
      onMounted={(editor) => {
        setMounted(() => editor);
        if (props.autofocus && !isTyping()) editor.focus();
      }}
    />
  );
}
