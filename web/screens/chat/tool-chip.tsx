// A tool call: one line with its state. Unfolded, it shows arguments, live output, result and links.

import Ban from "lucide-solid/icons/ban";
import Check from "lucide-solid/icons/check";
import ChevronRight from "lucide-solid/icons/chevron-right";
import CircleQuestion from "lucide-solid/icons/circle-question-mark";
import Clock from "lucide-solid/icons/clock";
import Unplug from "lucide-solid/icons/unplug";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, createUniqueId, type JSX, Match, Show, Switch } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { count, duration } from "../../kit/format.ts";
import { indented, objectOf } from "../../kit/json.ts";
import { later } from "../../kit/later.tsx";
import { useHere } from "../../state/here.ts";
import { TAINT_LABEL } from "../../state/taint.ts";
import { chipDuration, type ChipState, chipState, chipWords } from "../../state/tool-state.ts";
import { summaryOf } from "../../state/tool-summary.ts";
import type { Bubble, Chip } from "../../state/transcript.ts";
import { EntryMenu } from "./entry-menu.tsx";
import { createMemoryWrite } from "../../parts/memory/writes.ts";
import { elapsed, useRoom } from "./room.ts";
import { ToolLinks } from "./tool-links.tsx";
import "./tool-chip.css";

const MemoryChange = later(async () => (await import("../../parts/memory/memory-change.tsx")).MemoryChange);

const RESULT_CHARACTERS_SHOWN = 4_000;
const OUTPUT_CHARACTERS_SHOWN = 20_000;

export function ToolChip(props: { readonly chip: Chip; readonly bubble: Bubble }): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const bodyId = createUniqueId();
  const live = createMemo(() => here.state().tools.get(props.chip.key));
  const state = createMemo(() => chipState(props.chip, props.bubble, here.state()));
  const opened = () => room.isOpened(props.chip.key);
  const written = createMemoryWrite(() =>
    isMemoryWrite(props.chip) && state() === "ok"
      ? { turnId: props.chip.turnId, callId: props.chip.key }
      : undefined,
  );
  const summary = createMemo(() => summaryOf(props.chip.tool, props.chip.arguments));
  const took = createMemo(() => chipDuration(props.chip, here.state()));
  return (
    <div
      class="chat-tool"
      classList={{ opened: opened(), "chat-forgotten": props.chip.result?.forgotten ?? false }}
      data-entry={props.chip.result?.id}
    >
      <button
        type="button"
        class="chat-chip"
        aria-expanded={opened()}
        aria-controls={opened() ? bodyId : undefined}
        onClick={({ currentTarget }) => room.toggle(props.chip.key, currentTarget)}
      >
        <StateIcon state={state()} />
        <b class="chat-tool-name">{props.chip.tool}</b>
        <span class="chat-summary" title={summary()} dir="auto">
          {summary()}
        </span>
        <Show when={written()}>{(write) => <span class="chat-version">v{write().version}</span>}</Show>
        <span class="chat-took">
          <Ending
            state={state()}
            word={isMemoryWrite(props.chip) && state() === "error" ? "not written" : chipWords[state()]}
            took={took()}
            since={live()?.askedAt}
          />
        </span>
        <ChevronRight class="chat-chevron" aria-hidden="true" />
      </button>
      <Show when={opened()}>
        <div class="chat-tool-body" id={bodyId}>
          <Body {...props} state={state()} output={live()?.output ?? ""} took={took()} />
        </div>
      </Show>
    </div>
  );
}

const isMemoryWrite = ({ tool }: Chip) => tool === "memory_write";

function Ending(props: {
  readonly state: ChipState;
  readonly word: string;
  readonly took: number | undefined;
  readonly since: string | undefined;
}): JSX.Element {
  const room = useRoom();
  const time = () => (props.took === undefined ? "" : duration(props.took));
  return (
    <Switch fallback={time() === "" ? props.word : `${props.word} · ${time()}`}>
      <Match when={props.state === "ok"}>
        <span class="visually-hidden">done </span>
        {time()}
      </Match>
      <Match when={props.state === "running"}>
        <span class="visually-hidden">running </span>
        {props.since === undefined ? "" : elapsed(props.since, room.now())}
      </Match>
    </Switch>
  );
}

function StateIcon(props: { readonly state: ChipState }): JSX.Element {
  return (
    <span class={`chat-state ${props.state}`} aria-hidden="true">
      <Switch>
        <Match when={props.state === "running"}>
          <span class="spinner" />
        </Match>
        <Match when={props.state === "ok"}>
          <Check />
        </Match>
        <Match when={props.state === "error"}>
          <X />
        </Match>
        <Match when={props.state === "waiting" || props.state === "expired"}>
          <Clock />
        </Match>
        <Match when={props.state === "cancelled" || props.state === "rejected"}>
          <Ban />
        </Match>
        <Match when={props.state === "interrupted"}>
          <Unplug />
        </Match>
        <Match when={props.state === "unknown"}>
          <CircleQuestion />
        </Match>
      </Switch>
    </span>
  );
}

function Body(props: {
  readonly chip: Chip;
  readonly state: ChipState;
  readonly output: string;
  readonly took: number | undefined;
}): JSX.Element {
  const written = createMemo(() => indented(props.chip.arguments));
  return (
    <>
      <Show
        when={isMemoryWrite(props.chip) && objectOf(props.chip.arguments)}
        fallback={<Part title="Arguments" text={written()} limit={RESULT_CHARACTERS_SHOWN} />}
      >
        <MemoryChange
          turnId={props.chip.turnId}
          callId={props.chip.key}
          arguments={props.chip.arguments}
          outcome={props.chip.result?.outcome ?? undefined}
        />
      </Show>
      <Show when={props.chip.result === undefined && props.output !== ""}>
        <Part
          title="Output"
          text={props.output.slice(-OUTPUT_CHARACTERS_SHOWN)}
          limit={OUTPUT_CHARACTERS_SHOWN}
          live
        />
      </Show>
      <Show when={props.chip.result}>
        {(result) => (
          <Part
            title={props.state === "ok" ? "Result" : `Result, ${chipWords[props.state]}`}
            text={result().text}
            limit={RESULT_CHARACTERS_SHOWN}
            bad={props.state === "error"}
          />
        )}
      </Show>
      <div class="chat-tool-foot">
        <span>
          {chipWords[props.state]}
          {props.took === undefined ? "" : ` in ${duration(props.took)}`}
        </span>
        <Show when={props.chip.result?.forgotten}>
          <span class="tag">result not sent to the model</span>
        </Show>
        <Show when={props.chip.result?.tainted}>
          <span class="tag wait">{TAINT_LABEL}</span>
        </Show>
        <ToolLinks chip={props.chip} />
        <Show when={props.chip.result}>
          {(result) => <EntryMenu entry={result()} of={`the result of ${props.chip.tool}`} />}
        </Show>
      </div>
    </>
  );
}

function Part(props: {
  readonly title: string;
  readonly text: string;
  readonly limit: number;
  readonly live?: boolean;
  readonly bad?: boolean;
}): JSX.Element {
  const [all, setAll] = createSignal(false);
  const long = () => props.text.length > props.limit;
  return (
    <section class="chat-part" aria-label={props.title}>
      <div class="chat-part-title">{props.title}</div>
      <pre classList={{ bad: props.bad ?? false }} tabindex="0" dir="auto">
        {props.text === ""
          ? "(empty)"
          : all() || !long()
            ? props.text
            : `${props.text.slice(0, props.limit)}…`}
      </pre>
      <Show when={long()}>
        <Button small kind="quiet" onClick={() => setAll(!all())}>
          {all() ? "Show less" : `Show all ${count(props.text.length)} characters`}
        </Button>
      </Show>
    </section>
  );
}
