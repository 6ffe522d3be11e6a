// A code block with its language and a copy button. It is highlighted once the text is complete and the parser is loaded.

import {
  type Component,
  createContext,
  createEffect,
  createSignal,
  For,
  type JSX,
  on,
  onCleanup,
  Show,
  useContext,
} from "solid-js";
import { Dynamic, render } from "solid-js/web";
import { highlightedBefore, highlightLines, type Line } from "./highlight.ts";
import { CopyButton } from "./pieces.tsx";

/** The actions that a screen offers for code, beside copying. */
export const CodeActionContext =
  createContext<Component<{ readonly code: string; readonly language: string }>>();

export function CodeBlock(props: {
  readonly code: string;
  readonly language: string;
  /** More text is being streamed. */
  readonly growing?: boolean;
}): JSX.Element {
  const action = useContext(CodeActionContext);
  const [lines, setLines] = createSignal<readonly Line[]>();
  createEffect(
    on(
      [() => props.code, () => props.language, () => props.growing ?? false],
      ([code, language, growing]) => {
        setLines(growing ? undefined : highlightedBefore(code, language));
        if (growing || lines() || language === "") return;
        let gone = false;
        onCleanup(() => (gone = true));
        void highlightLines(code, language).then((found) => {
          if (!gone && found.some((line) => line.some((span) => span.class !== ""))) setLines(found);
        });
      },
    ),
  );
  return (
    <figure class="md-code" aria-label={props.language === "" ? "Code" : `Code, ${props.language}`}>
      <figcaption class="md-code-head">
        <span class="ellipsis">{props.language === "" ? "text" : props.language}</span>
        <span class="md-code-actions">
          <Show when={!props.growing && action}>
            {(component) => <Dynamic component={component()} code={props.code} language={props.language} />}
          </Show>
          <CopyButton text={props.code} label="Copy code" />
        </span>
      </figcaption>
      <pre tabindex="0">
        <code>
          <Show when={lines()} fallback={props.code}>
            {(coloured) => <Coloured lines={coloured()} />}
          </Show>
        </code>
      </pre>
    </figure>
  );
}

function Coloured(props: { readonly lines: readonly Line[] }): JSX.Element {
  return (
    <For each={props.lines}>
      {(line, index) => (
        <>
          {index() > 0 ? "\n" : ""}
          <For each={line}>
            {(span) => (span.class === "" ? span.text : <span class={span.class}>{span.text}</span>)}
          </For>
        </>
      )}
    </For>
  );
}

/** Replaces code in rendered HTML, inside lists and quotes, with code blocks. Returns a function that unmounts them. */
export function mountCodeBlocks(root: HTMLElement): () => void {
  const disposers = [...root.querySelectorAll("pre")].map((pre) => {
    const language = /language-([^\s"]+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
    const code = (pre.textContent ?? "").replace(/\n$/, "");
    const host = document.createElement("div");
    pre.replaceWith(host);
    return render(() => <CodeBlock code={code} language={language} />, host);
  });
  return () => disposers.forEach((dispose) => dispose());
}
