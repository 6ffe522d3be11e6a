// The text editor: CodeMirror with languages, find, undo and our look, loaded when the first one is shown. It shows `value` whenever that is
// another text than its own, and tells every change. Tab indents in it; Escape, then Tab, leaves it.

import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import { asProblem, type Problem } from "../../api/problem.ts";
import { ProblemNotice, Skeleton } from "../states.tsx";
import "./editor.css";
import type { Mounted } from "./mount.ts";

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
  let host!: HTMLDivElement;
  let shown: string | undefined;
  const [editor, setEditor] = createSignal<Mounted>();
  const [problem, setProblem] = createSignal<Problem>();

  const open = async (gone: () => boolean) => {
    setProblem(undefined);
    try {
      const { mountEditor } = await import("./mount.ts");
      if (gone()) return;
      const text = props.value;
      const mounted = await mountEditor(
        host,
        {
          text,
          fileName: props.fileName,
          label: props.label,
          readOnly: props.readOnly ?? false,
          onSave: props.onSave && (() => props.onSave?.()),
          onCursor: props.onCursor && ((line, column) => props.onCursor?.(line, column)),
          onChange: (changed) => {
            shown = changed;
            props.onChange?.(changed);
          },
        },
        gone,
      );
      if (!mounted) return;
      // It may have changed while the language was on its way.
      shown = props.value;
      if (shown !== text) mounted.show(shown);
      setEditor(mounted);
      if (props.autofocus) mounted.focus();
    } catch (error) {
      if (!gone()) setProblem(asProblem(error));
    }
  };

  const kind = createMemo(() => `${props.readOnly ?? false} ${props.fileName}\n${props.label}`);
  onMount(() => {
    // Another file, or another right to write, is another editor: with its own history and language.
    createEffect(
      on(kind, () => {
        let over = false;
        onCleanup(() => {
          over = true;
          setEditor((before) => void before?.destroy());
        });
        void open(() => over);
      }),
    );
    createEffect(() => {
      const { value } = props;
      if (value === shown) return;
      shown = value;
      editor()?.show(value);
    });
  });
  return (
    <div class="editor">
      <div class="editor-host" ref={(element) => (host = element)} />
      <Show when={!editor()}>
        <div class="editor-pending">
          <Show when={problem()} fallback={<Skeleton label="Opening the editor" />}>
            {(why) => <ProblemNotice problem={why()} onRetry={() => void open(() => false)} />}
          </Show>
        </div>
      </Show>
    </div>
  );
}
