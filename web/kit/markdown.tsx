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
import { Dynamic } from "solid-js/web";
import { Button } from "./button.tsx";
import { headingIn } from "./document-links.ts";
import { count } from "./format.ts";
import { MarkdownBlocks, type Block } from "./markdown-blocks.ts";
import { CodeBlock, mountCodeBlocks } from "./markdown-code.tsx";
import { blockHtml } from "./markdown-html.ts";
import { type Rich, richFor } from "./rich.ts";
import "./markdown.css";

/** Rendering beyond this per frame delays the next update. */
const FRAME_MS_GOOD = 8;
const PAUSE_FACTOR = 6;
const PLAIN_CHARACTERS_SHOWN = 8_000;

/** `from`: the path of the document that the text is; paths and headings in it then are links. */
export function Markdown(props: {
  readonly text: string;
  readonly streaming?: boolean;
  readonly from?: string | undefined;
}): JSX.Element {
  const cut = new MarkdownBlocks();
  const text = createPaced(
    () => props.text,
    () => props.streaming ?? false,
  );
  const rich = richFor(text.value);
  const blocks = createMemo(() => text.measured(() => cut.update(text.value(), rich()?.extension)));
  return (
    <div class="markdown" on:click={goToHeading}>
      <Index each={blocks()}>
        {(block, index) => (
          <OneBlock
            block={block()}
            rich={rich()}
            from={props.from}
            growing={(props.streaming ?? false) && index === blocks().length - 1}
            measured={text.measured}
          />
        )}
      </Index>
    </div>
  );
}

/** Ahead of the router, which would look for the heading in the whole page. */
function goToHeading(event: MouseEvent & { currentTarget: Element }): void {
  const link = (event.target as Element).closest('a[href^="#md-"]');
  if (!link) return;
  event.preventDefault();
  const heading = headingIn(event.currentTarget, link.getAttribute("href")!.slice(1));
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

function OneBlock(props: {
  readonly block: Block;
  readonly rich: Rich | undefined;
  readonly from: string | undefined;
  readonly growing: boolean;
  readonly measured: <T>(work: () => T) => T;
}): JSX.Element {
  return (
    <Switch>
      <Match when={props.block.kind === "code" && props.block}>
        {(block) => <Code {...block()} rich={props.rich} growing={props.growing} />}
      </Match>
      <Match when={props.block.kind === "plain" && props.block}>
        {(block) => <Plain text={block().raw} />}
      </Match>
      <Match when={props.block.kind === "prose" && props.block}>
        {(block) => <Prose block={block()} rich={props.rich} from={props.from} measured={props.measured} />}
      </Match>
    </Switch>
  );
}

/** A diagram is drawn once its source is complete. */
function Code(props: {
  readonly code: string;
  readonly language: string;
  readonly rich: Rich | undefined;
  readonly growing: boolean;
}): JSX.Element {
  const diagram = () => (props.language === "mermaid" && !props.growing ? props.rich?.Diagram : undefined);
  return (
    <Show when={diagram()} fallback={<CodeBlock {...props} />}>
      {(drawn) => <Dynamic component={drawn()} source={props.code} />}
    </Show>
  );
}

function Prose(props: {
  readonly block: Extract<Block, { kind: "prose" }>;
  readonly rich: Rich | undefined;
  readonly from: string | undefined;
  readonly measured: <T>(work: () => T) => T;
}): JSX.Element {
  const html = createMemo(() =>
    props.measured(() => blockHtml({ ...props.block, from: props.from }, props.rich)),
  );
  let unmount: readonly (() => void)[] = [];
  const end = () => unmount.forEach((one) => one());
  onCleanup(end);
  const fill = (element: HTMLDivElement) =>
    createEffect(
      on([html, () => props.rich], ([now, rich]) => {
        end();
        element.innerHTML = now;
        unmount = [mountCodeBlocks(element), ...(rich ? [rich.mount(element)] : [])];
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
