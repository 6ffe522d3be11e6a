// A tool call: arguments, output and result, with links to the gear version that ran, the file, and the agent.

import { A } from "@solidjs/router";
import { createMemo, type JSX, Show } from "solid-js";
import type { TurnToolStep } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { duration } from "../../kit/format.ts";
import { indented, objectOf } from "../../kit/json.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { FoldedText } from "../../kit/prompt-parts.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { pathOf } from "../../state/tool-summary.ts";
import { refusalOf } from "../../state/tool-state.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { stepsQuery } from "../../state/steps.ts";
import { MemoryChange } from "../../parts/memory/memory-change.tsx";
import { Gone, InspectorHeader } from "./header.tsx";
import { useInspectHref } from "./sources.ts";
import { turnEntries } from "./turn-entries.ts";

const OUTCOMES: Readonly<
  Record<NonNullable<TurnToolStep["outcome"]>, readonly [look: string, text: string]>
> = {
  ok: ["ok", "done"],
  error: ["bad", "failed"],
  cancelled: ["", "stopped"],
  interrupted: ["bad", "interrupted"],
  unknown: ["bad", "outcome unknown"],
};

export function ToolInspector(props: { readonly turnId: number; readonly number: number }): JSX.Element {
  const query = stepsQuery(() => props.turnId);
  const steps = createMemo(() => (query.data()?.turn.id === props.turnId ? query.data() : undefined));
  const step = createMemo(() => steps()?.tools[props.number - 1]);
  return (
    <Show
      when={steps()}
      fallback={
        <Show when={query.problem()?.code !== "not_found"} fallback={<Gone what="tool call" />}>
          <InspectorHeader title="Tool call" />
          <Show when={query.problem()} fallback={<Skeleton label="Tool call" />}>
            {(problem) => (
              <div class="section">
                <ProblemNotice problem={problem()} onRetry={() => void query.refresh()} />
              </div>
            )}
          </Show>
        </Show>
      }
    >
      <Show when={step()} fallback={<Gone what="tool call" />}>
        {(found) => (
          <OneTool
            step={found()}
            turnId={props.turnId}
            asked={steps()?.runs.find((run) => run.call_id === found().call_id)?.agent_id}
          />
        )}
      </Show>
    </Show>
  );
}

function OneTool(props: {
  readonly step: TurnToolStep;
  readonly turnId: number;
  readonly asked: number | undefined;
}): JSX.Element {
  const here = useHere();
  const entries = turnEntries(() => props.turnId);
  const result = createMemo(() =>
    entries()?.find((entry) => entry.kind === "tool" && entry.call_id === props.step.call_id),
  );
  const live = () => here.state().tools.get(props.step.call_id);
  const text = () => result()?.text ?? live()?.text;
  return (
    <>
      <InspectorHeader title={props.step.tool} end={<ToolState step={props.step} />}>
        <p class="small muted">
          called by <bdi>{nameOf(here.state(), props.step.agent_id)}</bdi>
        </p>
      </InspectorHeader>
      <section class="section">
        <ToolFacts step={props.step} asked={props.asked} />
      </section>
      <Show
        when={props.step.tool === "memory_write" && objectOf(props.step.arguments)}
        fallback={<Texts title="Arguments" text={indented(props.step.arguments)} />}
      >
        <div class="section">
          <MemoryChange
            turnId={props.turnId}
            callId={props.step.call_id}
            arguments={props.step.arguments}
            outcome={props.step.outcome ?? undefined}
          />
        </div>
      </Show>
      <Output step={props.step} live={live()?.output ?? ""} />
      <Show
        when={text() !== undefined}
        fallback={
          <p class="section muted">
            {props.step.outcome === null ? "No result yet." : "No result was recorded."}
          </p>
        }
      >
        <Texts title="Result" text={text()!} empty="Empty." />
      </Show>
    </>
  );
}

function ToolState(props: { readonly step: TurnToolStep }): JSX.Element {
  const waits = useWaits(() => props.step);
  const here = useHere();
  const refusal = createMemo(() => refusalOf(props.step, here.state().decisions));
  const shown = () => {
    if (refusal() !== undefined) return ["", refusal()!] as const;
    if (props.step.outcome !== null) return OUTCOMES[props.step.outcome];
    if (waits()) return ["wait", "waiting for approval"] as const;
    return ["", props.step.state === "started" ? "running" : "not started"] as const;
  };
  return <span class={`tag ${shown()[0]}`}>{shown()[1]}</span>;
}

/** A search waits until someone decides on it. */
function useWaits(step: () => TurnToolStep): () => boolean {
  const here = useHere();
  return () =>
    step().outcome === null &&
    step().tool === "web_search" &&
    here.state().runs.get(step().run_id)?.state === "waiting";
}

function ToolFacts(props: { readonly step: TurnToolStep; readonly asked: number | undefined }): JSX.Element {
  const here = useHere();
  const inspect = useInspectHref();
  const took = () => {
    const { started_at: start, finished_at: end } = props.step;
    return start === null || end === null ? undefined : Date.parse(end) - Date.parse(start);
  };
  const path = createMemo(() => pathOf(props.step.tool, props.step.arguments));
  const waits = useWaits(() => props.step);
  return (
    <dl class="facts">
      <Show when={waits()}>
        <dt>Decide</dt>
        <dd>
          <A href="/approvals">in Approvals</A>
        </dd>
      </Show>
      <dt>Started</dt>
      <dd>
        <Show when={props.step.started_at} fallback="never">
          {(time) => <Time time={time()} />}
        </Show>
      </dd>
      <dt>Duration</dt>
      <dd>
        {took() === undefined ? (props.step.outcome === null ? "running" : "unknown") : duration(took()!)}
      </dd>
      <Show when={props.step.gear_id}>
        {(gear) => (
          <>
            <dt>Gear</dt>
            <dd>
              <A href={`/gears/${gear()}`}>
                {props.step.tool}
                {props.step.gear_version === null ? "" : ` v${props.step.gear_version}`}
              </A>
              {", "}
              <A href={`/gears/${gear()}/runs`}>run {props.step.gear_run_id}</A>
            </dd>
          </>
        )}
      </Show>
      <Show when={path()}>
        {(file) => (
          <>
            <dt>File</dt>
            <dd>
              <A href={`/workspaces/${here.id}/files?path=${encodeURIComponent(file())}`} dir="auto">
                {file()}
              </A>
            </dd>
          </>
        )}
      </Show>
      <Show when={props.asked}>
        {(id) => (
          <>
            <dt>Agent</dt>
            <dd>
              <A href={inspect({ kind: "agent", id: id() })} noScroll>
                <bdi>{nameOf(here.state(), id())}</bdi>
              </A>
            </dd>
          </>
        )}
      </Show>
    </dl>
  );
}

/** A gear's output: live while it runs, then from the record of its run. */
function Output(props: { readonly step: TurnToolStep; readonly live: string }): JSX.Element {
  const run = createQuery(() => {
    const id = props.step.gear_run_id;
    return id === null || props.step.outcome === null
      ? undefined
      : { key: ["gear-run", id], read: () => take(api["gear-runs"]({ id }).get()) };
  });
  return (
    <Show
      when={run.data()}
      fallback={
        <Show when={props.live !== ""}>
          <Texts title="Output" text={props.live} />
        </Show>
      }
    >
      {(record) => (
        <>
          <Texts title="Output" text={record().stdout ?? ""} empty="No output." />
          <Show when={record().stderr}>{(text) => <Texts title="Errors" text={text()} />}</Show>
        </>
      )}
    </Show>
  );
}

function Texts(props: {
  readonly title: string;
  readonly text: string;
  readonly empty?: string;
}): JSX.Element {
  return (
    <section class="section">
      <div class="inspector-line">
        <h3 class="heading">{props.title}</h3>
        <Show when={props.text !== ""}>
          <CopyButton text={props.text} label={`Copy ${props.title.toLowerCase()}`} />
        </Show>
      </div>
      <Show when={props.text !== ""} fallback={<p class="muted">{props.empty}</p>}>
        <FoldedText text={props.text} />
      </Show>
    </section>
  );
}
