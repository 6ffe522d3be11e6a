// Adds models of one provider: fetches its list, and lets a person pick several or type a name that is not listed.

import CircleCheck from "lucide-solid/icons/circle-check";
import X from "lucide-solid/icons/x";
import { createEffect, createMemo, createSignal, For, type JSX, onMount, Show } from "solid-js";
import type { Model, Provider, ProviderTest } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { asProblem, type Problem } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { ProblemNotice } from "../../kit/states.tsx";
import { found } from "../../kit/table.tsx";
import { isAdmin } from "../../state/session.ts";
import { bestModel } from "./best-model.ts";
import { failureWords, isExample } from "./provider-words.ts";
import { figuresOf, type FigureTexts, figureFields, noFigures } from "./figures.ts";
import { FigureInputs } from "./model-form.tsx";
import "./catalog.css";

const SHOWN_MAX = 200;

interface PickerProps {
  readonly provider: Provider;
  /** Models already in the catalogue. */
  readonly models: readonly Model[];
  readonly onAdded: (added: readonly Model[]) => void;
  /** Offered when the provider cannot be used. */
  readonly onChangeProvider?: () => void;
  /** Fetches the list on mount. */
  readonly askNow?: boolean;
  readonly disabled?: boolean;
}

export function ModelPicker(props: PickerProps): JSX.Element {
  const [answer, setAnswer] = createSignal<ProviderTest>();
  const [refused, setRefused] = createSignal<Problem>();
  const [asking, setAsking] = createSignal(false);
  const ask = async () => {
    setAsking(true);
    setRefused(undefined);
    try {
      setAnswer(await take(api.providers({ id: props.provider.id }).test.post()));
    } catch (error) {
      setRefused(asProblem(error));
    } finally {
      setAsking(false);
    }
  };
  onMount(() => props.askNow && isAdmin() && void ask());
  return (
    <div class="form">
      <Show when={isAdmin()}>
        <Asked
          provider={props.provider}
          answer={answer()}
          refused={refused()}
          asking={asking()}
          disabled={props.disabled === true}
          onAsk={() => void ask()}
          onChangeProvider={props.onChangeProvider}
        />
      </Show>
      <Choose {...props} listed={answer()?.models ?? []} suggested={suggestion(props, answer())} />
    </div>
  );
}

/** For the first model of all. */
function suggestion(props: PickerProps, answer: ProviderTest | undefined): string | undefined {
  const first = props.models.every(({ provider_type: type }) => isExample(type));
  return props.askNow && first ? bestModel(answer?.models ?? []) : undefined;
}

/** The result of the test; a refusal in the provider's own words. */
function Asked(props: {
  readonly provider: Provider;
  readonly answer: ProviderTest | undefined;
  readonly refused: Problem | undefined;
  readonly asking: boolean;
  readonly disabled: boolean;
  readonly onAsk: () => void;
  readonly onChangeProvider: (() => void) | undefined;
}): JSX.Element {
  const failed = () => (props.answer && !props.answer.ok ? props.answer : undefined);
  return (
    <div class="stack" role="status" aria-live="polite">
      <Show when={props.asking}>
        <div class="row muted">
          <span class="spinner" />
          <span class="wrap">Fetching models from {props.provider.name}</span>
        </div>
      </Show>
      <Show when={!props.asking}>
        <Show when={props.answer?.ok}>
          <div class="row">
            <span class="catalog-good">
              <CircleCheck size={16} aria-hidden="true" />
            </span>
            <span class="wrap">
              {props.provider.name} responded
              {props.answer!.models.length === 0
                ? ", but lists no models. Type a name."
                : `: ${props.answer!.message}.`}
            </span>
            <span class="end">
              <Button small onClick={props.onAsk}>
                Retry
              </Button>
            </span>
          </div>
        </Show>
        <Show when={failed()}>
          {(answer) => (
            <Failure
              provider={props.provider}
              words={failureWords(props.provider, answer())}
              onAsk={props.onAsk}
              onChangeProvider={props.onChangeProvider}
            />
          )}
        </Show>
        <Show when={props.refused}>
          {(problem) => <ProblemNotice problem={problem()} onRetry={props.onAsk} />}
        </Show>
        <Show when={!props.answer && !props.refused}>
          <div class="row">
            <span class="small muted">Fetches the provider's list with the stored key.</span>
            <span class="end">
              <Button small disabled={props.disabled} onClick={props.onAsk}>
                Test
              </Button>
            </span>
          </div>
        </Show>
      </Show>
    </div>
  );
}

function Failure(props: {
  readonly provider: Provider;
  readonly words: ReturnType<typeof failureWords>;
  readonly onAsk: () => void;
  readonly onChangeProvider: (() => void) | undefined;
}): JSX.Element {
  return (
    <div class="notice bad">
      <div class="stack">
        <div class="strong">Cannot use {props.provider.name}</div>
        <div class="wrap">{props.words[0]}</div>
        <div>{props.words[1]}</div>
        <div class="row catalog-wrap">
          <Button small onClick={props.onAsk}>
            Retry
          </Button>
          <Show when={props.onChangeProvider}>
            <Button small onClick={() => props.onChangeProvider?.()}>
              Edit provider
            </Button>
          </Show>
        </div>
      </div>
    </div>
  );
}

/** The chosen models, and the meaning of the search text: part of a listed name, or a name that is not listed. */
function createChoice(props: ChooseProps) {
  const [search, setSearch] = createSignal("");
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  createEffect(() => {
    const { suggested } = props;
    if (suggested !== undefined) setChosen((before) => (before.length === 0 ? [suggested] : before));
  });
  const known = createMemo(
    () =>
      new Set(
        props.models
          .filter((model) => model.provider_id === props.provider.id)
          .map((model) => model.model_name),
      ),
  );
  const fitting = createMemo(() => found(props.listed, search(), (name) => name));
  const typed = () => search().trim();
  const isNew = () => typed() !== "" && !props.listed.includes(typed()) && !known().has(typed());
  const toggle = (name: string) =>
    setChosen((before) => (before.includes(name) ? before.filter((one) => one !== name) : [...before, name]));
  const takeTyped = () => {
    if (!chosen().includes(typed())) toggle(typed());
    setSearch("");
  };
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.isComposing || typed() === "") return;
    event.preventDefault();
    const first = fitting().find((name) => !known().has(name));
    if (first !== undefined) toggle(first);
    else if (isNew()) takeTyped();
  };
  return { search, setSearch, chosen, setChosen, known, fitting, typed, isNew, toggle, takeTyped, onEnter };
}

/** The form that adds the chosen models, with the details of a single one. */
function createAddition(
  props: PickerProps,
  { chosen, setChosen }: Pick<ReturnType<typeof createChoice>, "chosen" | "setChosen">,
) {
  const [label, setLabel] = createSignal("");
  const [figures, setFigures] = createSignal<FigureTexts>(noFigures);
  const form = createSubmission(["model_name", "label", ...figureFields], async () => {
    const one = chosen().length === 1;
    const details = one ? { label: label(), ...figuresOf(figures()) } : {};
    const added: Model[] = [];
    try {
      for (const name of chosen()) {
        added.push(
          await take(api.models.post({ provider_id: props.provider.id, model_name: name, ...details })),
        );
        // Models added so far stay added if the next one fails.
        setChosen((before) => before.filter((each) => each !== name));
      }
      setLabel("");
      setFigures(noFigures);
    } finally {
      await refresh("models");
    }
    props.onAdded(added);
  });
  return { form, label, setLabel, figures, setFigures };
}

interface ChooseProps extends PickerProps {
  readonly listed: readonly string[];
  /** Chosen at first. */
  readonly suggested: string | undefined;
}

function Choose(props: ChooseProps): JSX.Element {
  const choice = createChoice(props);
  const { search, setSearch, chosen, known, fitting, typed, isNew, toggle, takeTyped, onEnter } = choice;
  const { form, label, setLabel, figures, setFigures } = createAddition(props, choice);
  const suggestedOnly = () => chosen().every((name) => name === props.suggested);
  // In a list, the text is a search.
  const named = () => props.listed.length === 0 && typed() !== "";
  guardLeaving(() => named() || label() !== "" || figures() !== noFigures || !suggestedOnly());
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <div onKeyDown={onEnter}>
        <TextInput
          label={props.listed.length > 0 ? "Search or type a name" : "Model name"}
          value={search()}
          onInput={setSearch}
          hint={
            props.listed.length > 0 ? undefined : "Exactly as the provider calls it. Press Enter to add it."
          }
          problem={form.of("model_name")}
        />
      </div>
      <Listed
        names={fitting()}
        known={known()}
        chosen={chosen()}
        total={props.listed.length}
        onToggle={toggle}
      />
      <Show when={isNew()}>
        <Button small onClick={takeTyped}>
          <span class="ellipsis">Add “{typed()}”</span>
        </Button>
      </Show>
      <Show when={chosen().length > 0}>
        <Show when={chosen().length === 1 && chosen()[0] === props.suggested}>
          <p class="small muted">Suggested because of its name. Keep it, remove it, or add others.</p>
        </Show>
        <Chosen names={chosen()} onRemove={toggle} />
      </Show>
      <Show when={chosen().length === 1}>
        <details class="catalog-details">
          <summary>Label, sizes and prices</summary>
          <div class="form">
            <TextInput
              label="Label"
              value={label()}
              onInput={setLabel}
              placeholder={chosen()[0] ?? ""}
              problem={form.of("label")}
            />
            <FigureInputs texts={figures()} onChange={setFigures} problemOf={form.of} />
          </div>
        </details>
      </Show>
      <FormActions
        form={form}
        action={chosen().length === 0 ? "Add models" : `Add ${plural(chosen().length, "model")}`}
        disabled={chosen().length === 0 || props.disabled === true}
      />
    </form>
  );
}

function Chosen(props: {
  readonly names: readonly string[];
  readonly onRemove: (name: string) => void;
}): JSX.Element {
  return (
    <ul class="catalog-chosen" aria-label="Chosen">
      <For each={props.names}>
        {(name) => (
          <li class="tag ok">
            <span class="ellipsis">{name}</span>
            <button type="button" aria-label={`Remove ${name}`} onClick={() => props.onRemove(name)}>
              <X size={12} aria-hidden="true" />
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

function Listed(props: {
  readonly names: readonly string[];
  readonly known: ReadonlySet<string>;
  readonly chosen: readonly string[];
  readonly total: number;
  readonly onToggle: (name: string) => void;
}): JSX.Element {
  return (
    <Show when={props.total > 0}>
      <Show
        when={props.names.length > 0}
        fallback={<p class="small muted">No models match ({props.total} available).</p>}
      >
        <fieldset class="catalog-list scroll">
          <legend class="visually-hidden">Models of the provider</legend>
          <For each={props.names.slice(0, SHOWN_MAX)}>
            {(name) => (
              <label class="check catalog-listed">
                <input
                  type="checkbox"
                  checked={props.known.has(name) || props.chosen.includes(name)}
                  disabled={props.known.has(name)}
                  onChange={() => props.onToggle(name)}
                />
                <span class="mono wrap">{name}</span>
                <Show when={props.known.has(name)}>
                  <span class="small muted end">added</span>
                </Show>
              </label>
            )}
          </For>
          <Show when={props.names.length > SHOWN_MAX}>
            <p class="small muted">
              Showing {SHOWN_MAX} of {props.names.length}. Search to find the others.
            </p>
          </Show>
        </fieldset>
      </Show>
    </Show>
  );
}
