// Markdown of agents and documents. Each block is rendered once, so that a streamed text changes only at its end. markdown-html.ts decides
// what HTML it may contain.

import {
  createEffect,
  createMemo,
  createSignal,
  Index,
  type JSX,
  Match,
  on,
  onCleanup,
  Show,
  Switch,
} from "solid-js";
import { Button } from "./button.tsx";
import { count } from "./format.ts";
import { MarkdownBlocks, type Block } from "./markdown-blocks.ts";
import { CodeBlock, mountCodeBlocks } from "./markdown-code.tsx";
import { blockHtml } from "./markdown-html.ts";
import "./markdown.css";

/** Rendering beyond this per frame delays the next update. */
const FRAME_MS_GOOD = 8;
const PAUSE_FACTOR = 6;
const PLAIN_CHARACTERS_SHOWN = 8_000;

export function Markdown(props: { readonly text: string; readonly streaming?: boolean }): JSX.Element {
  const cut = new MarkdownBlocks();
  const text = createPaced(
    () => props.text,
    () => props.streaming ?? false,
  );
  const blocks = createMemo(() => text.measured(() => cut.update(text.value())));
  return (
    <div class="markdown">
      <Index each={blocks()}>
        {(block, index) => (
          <OneBlock
            block={block()}
            growing={(props.streaming ?? false) && index === blocks().length - 1}
            measured={text.measured}
          />
        )}
      </Index>
    </div>
  );
}

function OneBlock(props: {
  readonly block: Block;
  readonly growing: boolean;
  readonly measured: <T>(work: () => T) => T;
}): JSX.Element {
  return (
    <Switch>
      <Match when={props.block.kind === "code" && props.block}>
        {(block) => <CodeBlock code={block().code} language={block().language} growing={props.growing} />}
      </Match>
      <Match when={props.block.kind === "plain" && props.block}>
        {(block) => <Plain text={block().raw} />}
      </Match>
      <Match when={props.block.kind === "prose" && props.block}>
        {(block) => <Prose {...block()} measured={props.measured} />}
      </Match>
    </Switch>
  );
}

function Prose(props: {
  readonly raw: string;
  readonly links: string;
  readonly level: number;
  readonly measured: <T>(work: () => T) => T;
}): JSX.Element {
  const html = createMemo(() => props.measured(() => blockHtml(props.raw, props.links, props.level)));
  let unmount = () => {};
  onCleanup(() => unmount());
  const fill = (element: HTMLDivElement) =>
    createEffect(
      on(html, (now) => {
        unmount();
        element.innerHTML = now;
        unmount = mountCodeBlocks(element);
      }),
    );
  return <div class="md-block" dir="auto" ref={fill} />;
}

/** Text as written, its start first: for text that is too long or not Markdown. */
export function Plain(props: { readonly text: string }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const long = () => props.text.length > PLAIN_CHARACTERS_SHOWN;
  return (
    <div class="md-block md-plain" dir="auto">
      {all() || !long() ? props.text : `${props.text.slice(0, PLAIN_CHARACTERS_SHOWN)}…`}
      <Show when={long()}>
        <div>
          <Button small onClick={() => setAll(!all())}>
            {all() ? "Show less" : `Show all ${count(props.text.length)} characters`}
          </Button>
        </div>
      </Show>
    </div>
  );
}

/** Passes the value on, throttled while a stream is expensive to render, so that typing stays smooth. */
function createPaced(value: () => string, streaming: () => boolean) {
  const [shown, setShown] = createSignal(value());
  let cost = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    timer = undefined;
    cost = 0;
    setShown(value());
  };
  createEffect(
    on(
      [value, streaming],
      () => {
        if (!streaming() || cost <= FRAME_MS_GOOD) {
          clearTimeout(timer);
          show();
        } else timer ??= setTimeout(show, cost * PAUSE_FACTOR);
      },
      { defer: true },
    ),
  );
  onCleanup(() => clearTimeout(timer));
  return {
    value: shown,
    measured<T>(work: () => T): T {
      const started = performance.now();
      const result = work();
      cost += performance.now() - started;
      return result;
    },
  };
}
