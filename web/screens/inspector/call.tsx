// A model call: the exact prompt in its parts, the changes since the previous call, and the answer.

import { Tabs } from "@kobalte/core/tabs";
import Maximize from "lucide-solid/icons/maximize-2";
import { createEffect, createMemo, createSignal, type JSX, on, Show } from "solid-js";
import type { Call } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { duration, money } from "../../kit/format.ts";
import { CopyButton } from "../../kit/pieces.tsx";
import { promptText } from "../../kit/prompt-part.ts";
import { PromptParts } from "../../kit/prompt-parts.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { useHere } from "../../state/here.ts";
import { modelsQuery } from "../../state/lists.ts";
import { nameOf } from "../../state/workspace-state.ts";
import { CallAnswer } from "./call-answer.tsx";
import { CallChanges } from "./call-changes.tsx";
import { CallFacts } from "./call-facts.tsx";
import { Gone, InspectorHeader } from "./header.tsx";
import { type CallContext, callContext } from "./previous-call.ts";
import { useSourceOf } from "./sources.ts";

type Tab = "prompt" | "changes" | "answer";

/** Kept from call to call, so that a person can read answer after answer. */
const [tab, setTab] = createSignal<Tab>("prompt");

export function CallInspector(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const query = createQuery(() => {
    const { id } = props;
    return { key: ["call", id], read: () => take(api.calls({ id }).get()) };
  });
  const call = createMemo(() => (query.data()?.id === props.id ? query.data() : undefined));
  // A running call may be the one whose end changed the usage. Without the memo, every event would read it again.
  const spending = createMemo(() => here.state().usageChanges);
  createEffect(on(spending, () => call()?.status === "running" && void query.refresh(), { defer: true }));
  const context = callContext(call);
  const ofThis = createMemo(() => (call() ? context.data() : undefined));
  return (
    <Show when={query.problem()?.code !== "not_found"} fallback={<Gone what="model call" />}>
      <Show
        when={call()}
        fallback={
          <>
            <InspectorHeader title="Model call" />
            <Show when={query.problem()} fallback={<Skeleton label="Model call" />}>
              {(problem) => (
                <div class="section">
                  <ProblemNotice problem={problem()} onRetry={() => void query.refresh()} />
                </div>
              )}
            </Show>
          </>
        }
      >
        {(found) => <OneCall call={found()} context={ofThis()} />}
      </Show>
    </Show>
  );
}

function OneCall(props: { readonly call: Call; readonly context: CallContext | undefined }): JSX.Element {
  const here = useHere();
  const models = modelsQuery();
  const model = () =>
    models.data()?.find(({ id }) => id === props.call.model_id)?.distinct_label ?? props.call.model_name;
  const number = () => props.context?.number ?? props.call.round;
  const title = () => `${nameOf(here.state(), props.call.agent_id)} · model call ${number()}`;
  const short = () =>
    [
      model(),
      props.call.duration_ms === null ? undefined : duration(props.call.duration_ms),
      props.call.cost === null ? undefined : money(props.call.cost),
    ]
      .filter(Boolean)
      .join(" · ");
  return (
    <Tabs value={tab()} onChange={(next) => setTab(next as Tab)}>
      <InspectorHeader title={title()}>
        <p class="small muted num ellipsis" title={short()}>
          {short()}
        </p>
        <Tabs.List class="inspector-tabs" aria-label="Parts of the model call">
          <Tabs.Trigger value="prompt" class="tag">
            Exact prompt
          </Tabs.Trigger>
          <Tabs.Trigger value="changes" class="tag">
            {changesLabel(props.call, props.context)}
          </Tabs.Trigger>
          <Tabs.Trigger value="answer" class="tag">
            Answer
          </Tabs.Trigger>
        </Tabs.List>
        <WideView title={title()} call={props.call} context={props.context} />
      </InspectorHeader>
      <CallFacts call={props.call} />
      <Tabs.Content value="prompt" class="section">
        <ExactPrompt call={props.call} context={props.context} />
      </Tabs.Content>
      <Tabs.Content value="changes" class="section">
        <CallChanges call={props.call} context={props.context} />
      </Tabs.Content>
      <Tabs.Content value="answer" class="section">
        <CallAnswer call={props.call} context={props.context} />
      </Tabs.Content>
    </Tabs>
  );
}

/** The prompt or its changes over the whole window. */
function WideView(props: {
  readonly title: string;
  readonly call: Call;
  readonly context: CallContext | undefined;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <Show when={tab() !== "answer"}>
      <Button small kind="quiet" onClick={() => setOpen(true)}>
        <Maximize aria-hidden="true" />
        Wide view
      </Button>
      <Dialog open={open()} onClose={() => setOpen(false)} title={props.title} wide="full">
        <Show when={tab() === "prompt"} fallback={<CallChanges call={props.call} context={props.context} />}>
          <ExactPrompt call={props.call} context={props.context} />
        </Show>
        <div class="actions">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </Show>
  );
}

function changesLabel(call: Call, context: CallContext | undefined): string {
  const previous = context?.previous;
  if (!previous) return "Changed since the previous call";
  if (previous.run_id === call.run_id) return `Changed since call ${context.previousNumber}`;
  return previous.turn_id === call.turn_id
    ? "Changed since its last run"
    : context.previousTurn === undefined
      ? "Changed since an earlier turn"
      : `Changed since turn ${context.previousTurn}`;
}

function ExactPrompt(props: { readonly call: Call; readonly context: CallContext | undefined }): JSX.Element {
  const sourceOf = useSourceOf();
  const before = createQuery(() => {
    const id = props.context?.previous?.id;
    return id === undefined ? undefined : { key: ["call", id], read: () => take(api.calls({ id }).get()) };
  });
  const fresh = createMemo(() => {
    const known = before.data();
    if (!known || known.id !== props.context?.previous?.id) return undefined;
    const sources = new Set(known.parts.map(({ source }) => source));
    return new Set(props.call.parts.map(({ source }) => source).filter((source) => !sources.has(source)));
  });
  return (
    <>
      <div class="inspector-line">
        <p class="small muted">Exactly what was sent, in this order. ≈ means estimated.</p>
        <CopyButton text={promptText(props.call.parts)} label="Copy all" />
      </div>
      <PromptParts parts={props.call.parts} sourceOf={sourceOf} fresh={fresh()} />
    </>
  );
}
