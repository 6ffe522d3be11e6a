// The setup of an empty server, for admins: a provider with its key, its models, the first workspace. The current step follows from what
// exists, so setup can be interrupted and resumed.

import Check from "lucide-solid/icons/check";
import { createEffect, createMemo, createSignal, type JSX, Match, on, Show, Switch } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import { isExample } from "../../parts/catalog/provider-words.ts";
import { Button } from "../../kit/button.tsx";
import { mayDiscard } from "../../kit/leaving.ts";
import { plural } from "../../kit/format.ts";
import { Select } from "../../kit/form.tsx";
import { ModelPicker } from "../../parts/catalog/model-picker.tsx";
import { NewProvider, ProviderSettings } from "../../parts/catalog/provider-form.tsx";
import { TryExample } from "./try-example.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";

interface FirstRunProps {
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
  /** There is a workspace: somebody finished the setup, maybe in another tab. */
  readonly over: boolean;
  readonly onLeave: () => void;
}

/** The step to show, the provider that it is about, and the finished steps. Everything of the example is left out. */
function createProgress(props: FirstRunProps) {
  const [chosenId, setChosenId] = createSignal<number>();
  const [back, setBack] = createSignal<"add" | "change">();
  /** The list is sorted by name; the newest provider has the highest id. */
  const real = () => props.providers.filter(({ type }) => !isExample(type));
  const newest = () =>
    real()
      .toSorted((a, b) => a.id - b.id)
      .at(-1);
  const provider = () => real().find(({ id }) => id === chosenId()) ?? newest();
  /** Counts edits of the provider: a new address or key requires a new request for its models. */
  const [changes, setChanges] = createSignal(0);
  const askedAbout = () => provider() && `${provider()!.id} ${changes()}`;
  const models = () => props.models.filter(({ provider_type: type }) => !isExample(type));
  const reached = () => (provider() === undefined ? 1 : models().length === 0 ? 2 : 3);
  const [more, setMore] = createSignal(false);
  /** A provider that somebody else adds must not take away what is typed for this one. */
  const [typing, setTyping] = createSignal(false);
  const step = () => (back() !== undefined || typing() ? 1 : more() ? 2 : reached());
  return {
    providers: real,
    models,
    setChosenId,
    back,
    setBack,
    provider,
    setChanges,
    askedAbout,
    reached,
    more,
    setMore,
    typing,
    setTyping,
    step,
  };
}

export function FirstRun(props: FirstRunProps): JSX.Element {
  const progress = createProgress(props);
  const { models, setChosenId, back, setBack, provider, setChanges, reached, setMore, step } = progress;
  return (
    <div class="workspaces-first">
      <header class="stack">
        <h1>Set up Cairn</h1>
        <p class="muted">Three steps to your first agent.</p>
      </header>
      <Show when={props.over}>
        <Meanwhile action="Show workspaces" typing={progress.typing()} onAct={() => props.onLeave()}>
          This server is set up: it has a workspace.
          <Show when={progress.typing()}> The provider that you typed here is not added yet.</Show>
        </Meanwhile>
      </Show>
      <ol>
        <Step
          number={1}
          at={step()}
          reached={reached()}
          title="Add a provider"
          done={provider()?.name}
          onBack={() => setBack("change")}
        >
          <p class="muted">The service that runs your models.</p>
          <Show when={progress.typing() && back() === undefined && provider()}>
            {(added) => <AddedMeanwhile name={added().name} onUse={() => progress.setTyping(false)} />}
          </Show>
          <ProviderStep
            provider={provider()}
            others={props.providers}
            going={back()}
            onGo={setBack}
            onTyping={progress.setTyping}
            onAdded={setChosenId}
            onEdited={() => setChanges((count) => count + 1)}
          />
        </Step>
        <Step
          number={2}
          at={step()}
          reached={reached()}
          title="Add models"
          done={models().length > 0 ? plural(models().length, "model") : undefined}
          onBack={() => setMore(true)}
          backTo="Add more"
        >
          <ModelsStep {...props} progress={progress} />
        </Step>
        <Step number={3} at={step()} reached={reached()} title="Create a workspace">
          <p class="muted">
            A workspace holds agents, their conversation and their files. It starts with one agent, the
            orchestrator.
          </p>
          <WorkspaceForm models={props.models} />
        </Step>
      </ol>
      <Show when={step() === 1 && back() === undefined}>
        <TryExample providers={props.providers} models={props.models} />
      </Show>
    </div>
  );
}

function AddedMeanwhile(props: { readonly name: string; readonly onUse: () => void }): JSX.Element {
  const use = (
    <>
      Use <bdi>{props.name}</bdi>
    </>
  );
  return (
    <Meanwhile action={use} typing onAct={() => props.onUse()}>
      <bdi>{props.name}</bdi> was added in the meantime. Add yours as well, or continue with that one.
    </Meanwhile>
  );
}

/** Says what somebody else, or another tab, did meanwhile. The button asks before it discards what is typed here. */
function Meanwhile(props: {
  readonly children: JSX.Element;
  readonly action: JSX.Element;
  readonly typing: boolean;
  readonly onAct: () => void;
}): JSX.Element {
  const act = async () => {
    if (await mayDiscard(props.typing)) props.onAct();
  };
  return (
    <div class="notice wait" role="status">
      <div>{props.children}</div>
      <Button small onClick={() => void act()}>
        {props.action}
      </Button>
    </div>
  );
}

/** Adds models of the chosen provider. */
function ModelsStep(
  props: FirstRunProps & { readonly progress: ReturnType<typeof createProgress> },
): JSX.Element {
  const { providers, setChosenId, setBack, provider, askedAbout, more, setMore } = props.progress;
  return (
    <>
      <p class="muted">Choose the models that agents may use. You can add more at any time.</p>
      <Show when={providers().length > 1}>
        <Select
          label="Provider"
          value={String(provider()?.id)}
          choices={providers().map(({ id, name }) => ({ value: String(id), label: name }))}
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
            Done
          </Button>
        </div>
      </Show>
    </>
  );
}

/** Adds a provider, or edits the one that was added. */
function ProviderStep(props: {
  readonly provider: Provider | undefined;
  readonly others: readonly Provider[];
  /** Undefined: the step has not been reopened. */
  readonly going: "add" | "change" | undefined;
  readonly onGo: (to: "add" | undefined) => void;
  readonly onTyping: (is: boolean) => void;
  readonly onAdded: (id: number) => void;
  readonly onEdited: () => void;
}): JSX.Element {
  const end = () => {
    props.onTyping(false);
    props.onGo(undefined);
  };
  return (
    <Switch>
      <Match when={props.going === "change" && props.provider}>
        {(current) => (
          <>
            <ProviderSettings
              provider={current()}
              withKey
              onSaved={() => {
                props.onEdited();
                props.onGo(undefined);
              }}
              onCancel={() => props.onGo(undefined)}
            />
            <div class="row">
              <Button small kind="quiet" onClick={() => props.onGo("add")}>
                Add another provider instead
              </Button>
            </div>
          </>
        )}
      </Match>
      <Match when={true}>
        <div onInput={() => props.onTyping(true)}>
          <NewProvider
            others={props.others}
            action="Continue"
            onMade={({ id }) => {
              props.onAdded(id);
              end();
            }}
            {...(props.going === "add" ? { onCancel: end } : {})}
          />
        </div>
      </Match>
    </Switch>
  );
}

function Step(props: {
  readonly number: number;
  readonly at: number;
  readonly reached: number;
  readonly title: string;
  /** The result of the step. */
  readonly done?: string | undefined;
  readonly onBack?: () => void;
  readonly backTo?: string;
  readonly children: JSX.Element;
}): JSX.Element {
  const open = createMemo(() => props.number === props.at);
  let heading: HTMLHeadingElement | undefined;
  // The button that opened this step is gone, so the focus moves to its heading.
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
                {props.backTo ?? "Edit"}
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
