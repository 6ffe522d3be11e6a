// The form of a model: label, sizes and prices. Only admins can edit it.

import { createEffect, createSignal, For, type JSX, on } from "solid-js";
import type { Model } from "../../../src/service/catalog/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { FormActions } from "../../kit/form-actions.tsx";
import { followed } from "../../kit/followed.ts";
import { createSubmission, Select, TextInput } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { tell } from "../../kit/toast.tsx";
import {
  type Ability,
  changesOf,
  figureFields,
  type FigureField,
  type FigureTexts,
  type ModelTexts,
  modelTextsOf,
} from "./figures.ts";

const SIZES: readonly (readonly [FigureField, string, string])[] = [
  ["context_tokens", "Context size", "Maximum input, in tokens"],
  ["output_tokens", "Output limit", "In tokens; empty for the provider's default"],
];
const ABILITIES = [
  ["images", "Reads images"],
  ["pdfs", "Reads PDFs"],
] as const;
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
      <div class="catalog-pair">
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
        <legend class="label">
          Prices in $ per million tokens. Leave unknown prices empty; 0 means free.
        </legend>
        <div class="catalog-prices">
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
export function ModelSettings(props: { readonly model: Model; readonly disabled: boolean }): JSX.Element {
  const [before, setBefore] = createSignal(modelTextsOf(props.model));
  const [typed, setTyped] = createSignal(before());
  const change = (texts: Partial<ModelTexts>) => setTyped({ ...typed(), ...texts });
  // Follows saves made elsewhere, except for edited fields.
  createEffect(
    on(
      () => props.model,
      (model) => {
        const now = modelTextsOf(model);
        setTyped(followed(typed(), before(), now));
        setBefore(now);
      },
      { defer: true },
    ),
  );
  const edited = () =>
    Object.entries(typed()).some(([field, text]) => text !== before()[field as keyof ModelTexts]);
  guardLeaving(edited);
  const form = createSubmission(["model_name", "label", ...figureFields], async () => {
    const sent = typed();
    const saved = await take(api.models({ id: props.model.id }).patch(changesOf(sent, before())));
    const now = modelTextsOf(saved);
    // Edits since then stay.
    setTyped(followed(typed(), sent, now));
    setBefore(now);
    await refresh("models");
    tell(`${saved.label} saved.`);
  });
  return (
    <form class="form" noValidate onSubmit={(event) => void form.submit(event)}>
      <TextInput
        label="Label"
        value={typed().label}
        onInput={(label) => change({ label })}
        hint="Shown to people and agents. Defaults to the name."
        problem={form.of("label")}
      />
      <TextInput
        label="Name at the provider"
        value={typed().model_name}
        onInput={(model_name) => change({ model_name })}
        mono
        problem={form.of("model_name")}
      />
      <div class="catalog-pair">
        <For each={ABILITIES}>
          {([field, label]) => (
            <Select
              label={label}
              value={typed()[field]}
              choices={[
                { value: "default", label: `Default (${props.model.accepts[field] ? "yes" : "no"})` },
                { value: "yes", label: "Yes" },
                { value: "no", label: "No" },
              ]}
              onChange={(value) => change({ [field]: value as Ability })}
            />
          )}
        </For>
      </div>
      <FigureInputs texts={typed()} onChange={change} problemOf={form.of} />
      <FormActions form={form} action="Save" disabled={props.disabled} />
    </form>
  );
}
