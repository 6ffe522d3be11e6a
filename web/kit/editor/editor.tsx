// The text editor: CodeMirror with languages, find, undo and our look, loaded when the first one is shown. It shows `value` whenever that is
// another text than its own, and tells every change. Tab indents in it; Escape, then Tab, leaves it.

import { createMemo, type JSX } from "solid-js";
import { MountedText } from "./mounted-text.tsx";

export interface EditorProps {
  readonly value: string;
  readonly onChange?: (value: string) => void;
  /** Its ending chooses the language. */
  readonly fileName: string;
  /** The accessible name. */
  readonly label: string;
  readonly readOnly?: boolean;
  /** Ctrl S, ⌘ S. */
  readonly onSave?: () => void;
  readonly onCursor?: (line: number, column: number) => void;
  /** The focus goes into it as soon as it is there. */
  readonly autofocus?: boolean;
}

export function Editor(props: EditorProps): JSX.Element {
  // Another file, or another right to write, is another editor.
  const kind = createMemo(() => `${props.readOnly ?? false} ${props.fileName}\n${props.label}`);
  return (
    <MountedText
      value={props.value}
      onChange={props.onChange}
      identity={kind()}
      pending="Opening the editor"
      mount={({ mountEditor }, { host, text, onChange, gone }) =>
        mountEditor(
          host,
          {
            text,
            fileName: props.fileName,
            label: props.label,
            readOnly: props.readOnly ?? false,
            onSave: props.onSave && (() => props.onSave?.()),
            onCursor: props.onCursor && ((line, column) => props.onCursor?.(line, column)),
            onChange,
          },
          gone,
        )
      }
      onMounted={(editor) => props.autofocus && editor.focus()}
    />
  );
}
