// The first minute: a provider with its key, its models, the first workspace. Where one is follows from what there is already, so one can
// leave in the middle and go on. For admins; nobody else may add a provider.

import { useNavigate } from "@solidjs/router";
import Check from "lucide-solid/icons/check";
import { createEffect, createMemo, createSignal, type JSX, Match, on, Show, Switch } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { Select } from "../../kit/form.tsx";
import { ModelPicker } from "../../parts/catalog/model-picker.tsx";
import { NewProvider, ProviderSettings } from "../../parts/catalog/provider-form.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";

export function FirstRun(props: {
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}): JSX.Element {
  const navigate = useNavigate();
  const [chosenId, setChosenId] = createSignal<number>();
  const [back, setBack] = createSignal<"add" | "change">();
  /** The list is by name: the one that was made last has the highest number. */
  const newest = () => props.providers.toSorted((a, b) => a.id - b.id).at(-1);
  const provider = () => props.providers.find(({ id }) => id === chosenId()) ?? newest();
  /** Another address or another key is another question to the provider. */
  const [changes, setChanges] = createSignal(0);
  const askedAbout = () => provider() && `${provider()!.id} ${changes()}`;
  const reached = () => (provider() === undefined ? 1 : props.models.length === 0 ? 2 : 3);
  const [more, setMore] = createSignal(false);
  const step = () => (back() !== undefined ? 1 : more() ? 2 : reached());
  return (
    <div class="workspaces-first">
      <header class="stack">
        <h1>Set up Cairn</h1>
        <p class="muted">Three steps, then you talk to your first agent.</p>
      </header>
      <ol>
        <Step
          number={1}
          at={step()}
          reached={reached()}
          title="A provider"
          done={provider()?.name}
          onBack={() => setBack("change")}
        >
          <p class="muted">Where the models run that your agents think with.</p>
          <Switch>
            <Match when={back() === "change" && provider()}>
              {(current) => (
                <>
                  <ProviderSettings
                    provider={current()}
                    withKey
                    onSaved={() => {
                      setChanges((count) => count + 1);
                      setBack(undefined);
                    }}
                    onCancel={() => setBack(undefined)}
                  />
                  <div class="row">
                    <Button small kind="quiet" onClick={() => setBack("add")}>
                      Add another provider instead
                    </Button>
                  </div>
                </>
              )}
            </Match>
            <Match when={true}>
              <NewProvider
                others={props.providers}
                action="Continue"
                onMade={({ id }) => {
                  setChosenId(id);
                  setBack(undefined);
                }}
                {...(back() === "add" ? { onCancel: () => setBack(undefined) } : {})}
              />
            </Match>
          </Switch>
        </Step>
        <Step
          number={2}
          at={step()}
          reached={reached()}
          title="Its models"
          done={props.models.length > 0 ? plural(props.models.length, "model") : undefined}
          onBack={() => setMore(true)}
          backTo="Add more"
        >
          <p class="muted">Choose those that may be used here. More can be added at any time.</p>
          <Show when={props.providers.length > 1}>
            <Select
              label="Provider"
              value={String(provider()?.id)}
              choices={props.providers.map(({ id, name }) => ({ value: String(id), label: name }))}
              onChange={(value) => setChosenId(Number(value))}
            />
          </Show>
          <Show when={askedAbout()} keyed>
            <ModelPicker
              provider={provider()!}
              models={props.models}
              onAdded={() => setMore(false)}
              onChangeProvider={() => setBack("change")}
              askNow
            />
          </Show>
          <Show when={more()}>
            <div class="row">
              <Button small kind="quiet" onClick={() => setMore(false)}>
                No more models
              </Button>
            </div>
          </Show>
        </Step>
        <Step number={3} at={step()} reached={reached()} title="The first workspace">
          <p class="muted">
            A workspace holds agents, their conversation and their files. It begins with one agent, the
            orchestrator.
          </p>
          <WorkspaceForm
            models={props.models}
            action="Create the workspace"
            onMade={({ id }) => navigate(`/workspaces/${id}`)}
          />
        </Step>
      </ol>
    </div>
  );
}

function Step(props: {
  readonly number: number;
  readonly at: number;
  readonly reached: number;
  readonly title: string;
  /** What was made in it. */
  readonly done?: string | undefined;
  readonly onBack?: () => void;
  readonly backTo?: string;
  readonly children: JSX.Element;
}): JSX.Element {
  const open = createMemo(() => props.number === props.at);
  let heading: HTMLHeadingElement | undefined;
  // The button that led here is gone: one reads on at the heading.
  createEffect(on(open, (isOpen) => isOpen && heading?.focus(), { defer: true }));
  const done = () => !open() && props.number < props.reached;
  return (
    <li
      class="workspaces-step"
      classList={{ open: open(), done: done() }}
      aria-current={open() ? "step" : undefined}
    >
      <div class="row">
        <span class="workspaces-number" aria-hidden="true">
          <Show when={done()} fallback={props.number}>
            <Check size={14} />
          </Show>
        </span>
        <h2 ref={(element) => (heading = element)} tabIndex={-1}>
          <span class="visually-hidden">Step {props.number}: </span>
          {props.title}
        </h2>
        <Show when={done()}>
          <span class="muted ellipsis" dir="auto">
            {props.done}
          </span>
          <Show when={props.onBack}>
            <span class="end">
              <Button small onClick={() => props.onBack?.()}>
                {props.backTo ?? "Change"}
                <span class="visually-hidden"> in step {props.number}</span>
              </Button>
            </span>
          </Show>
        </Show>
      </div>
      <Show when={open()}>
        <div class="workspaces-body">{props.children}</div>
      </Show>
    </li>
  );
}
