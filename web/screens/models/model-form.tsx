// What can be said about a model besides its name at the provider: a label, sizes, prices. Admins change it; others read it.

import { createSignal, For, type JSX } from "solid-js";
import type { Model } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { tell } from "../../kit/toast.tsx";
import { figureFields, figuresOf, type FigureField, type FigureTexts, textsOf } from "./figures.ts";

const SIZES: readonly (readonly [FigureField, string, string])[] = [
  ["context_tokens", "Context size", "Tokens in front of the model at most"],
  ["output_tokens", "Longest answer", "Tokens; empty: as the provider has it"],
];
const PRICES: readonly (readonly [FigureField, string])[] = [
  ["input_price", "Input"],
  ["cached_input_price", "Cached input"],
  ["output_price", "Output"],
];

export function FigureInputs(props: {
  readonly texts: FigureTexts;
  readonly onChange: (texts: FigureTexts) => void;
  readonly problemOf: (field: string) => string | undefined;
}): JSX.Element {
  const set = (field: FigureField) => (value: string) => props.onChange({ ...props.texts, [field]: value });
  return (
    <>
      <div class="models-pair">
        <For each={SIZES}>
          {([field, label, hint]) => (
            <TextInput
              label={label}
              hint={hint}
              placeholder="unknown"
              value={props.texts[field]}
              onInput={set(field)}
              problem={props.problemOf(field)}
            />
          )}
        </For>
      </div>
      <fieldset class="stack">
        <legend class="label">Prices in $ for a million tokens. Nothing means unknown; 0 means free.</legend>
        <div class="models-prices">
          <For each={PRICES}>
            {([field, label]) => (
              <TextInput
                label={label}
                placeholder="unknown"
                value={props.texts[field]}
                onInput={set(field)}
                problem={props.problemOf(field)}
              />
            )}
          </For>
        </div>
      </fieldset>
    </>
  );
}

/** Admin. */
export function ModelSettings(props: { readonly model: Model }): JSX.Element {
  const [name, setName] = createSignal(props.model.model_name);
  const [label, setLabel] = createSignal(props.model.label);
  const [figures, setFigures] = createSignal(textsOf(props.model));
  const form = createSubmission(["model_name", "label", ...figureFields], async () => {
    const saved = await take(
      api
        .models({ id: props.model.id })
        .patch({ model_name: name(), label: label(), ...figuresOf(figures()) }),
    );
    setName(saved.model_name);
    setLabel(saved.label);
    setFigures(textsOf(saved));
    await refresh("models");
    tell(`${saved.label} is saved.`);
  });
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <TextInput
        label="Label"
        value={label()}
        onInput={setLabel}
        hint="As people and agents see it. Empty: the name."
        problem={form.of("label")}
      />
      <TextInput
        label="Name at the provider"
        value={name()}
        onInput={setName}
        mono
        problem={form.of("model_name")}
      />
      <FigureInputs texts={figures()} onChange={setFigures} problemOf={form.of} />
      <FormActions form={form} action="Save" />
    </form>
  );
}
