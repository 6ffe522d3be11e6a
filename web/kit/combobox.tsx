// Picks one of many by typing: models, agents, gears, people.

import { Combobox as Kobalte } from "@kobalte/core/combobox";
import ChevronsUpDown from "lucide-solid/icons/chevrons-up-down";
import { createSignal, type JSX, Show } from "solid-js";
import type { Choice } from "./form.tsx";
import { overDialog } from "./over-dialog.ts";

interface ComboboxProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (Choice & { readonly note?: string })[];
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly problem?: string | undefined;
  readonly hint?: JSX.Element;
}

export function Combobox(props: ComboboxProps): JSX.Element {
  // Choosing the chosen one again is no change, so its name would not replace what was typed.
  const [picked, setPicked] = createSignal(undefined, { equals: false });
  const chosen = () => {
    picked();
    return props.choices.find(({ value }) => value === props.value) ?? null;
  };
  const pick = (choice: Choice | null) => {
    setPicked();
    if (choice) props.onChange(choice.value);
  };
  return (
    <Kobalte<Choice & { readonly note?: string }>
      class="field"
      options={[...props.choices]}
      optionValue="value"
      optionTextValue="label"
      optionLabel="label"
      optionDisabled="disabled"
      // The types leave out null, which stands for nothing chosen.
      value={chosen()!}
      onChange={pick}
      placeholder={props.placeholder ?? "Select"}
      validationState={props.problem === undefined ? "valid" : "invalid"}
      disallowEmptySelection
      triggerMode="focus"
      itemComponent={(item) => (
        <Kobalte.Item item={item.item} class="menu-item">
          <Kobalte.ItemLabel class="ellipsis">{item.item.rawValue.label}</Kobalte.ItemLabel>
          <Show when={item.item.rawValue.note}>
            <span class="small muted end">{item.item.rawValue.note}</span>
          </Show>
        </Kobalte.Item>
      )}
    >
      <Kobalte.Label>{props.label}</Kobalte.Label>
      <Kobalte.Control class="combobox">
        <Kobalte.Input class="input" />
        <Kobalte.Trigger class="combobox-open" aria-label="Show all">
          <ChevronsUpDown aria-hidden="true" size={14} />
        </Kobalte.Trigger>
      </Kobalte.Control>
      <Show when={props.hint}>
        <Kobalte.Description class="hint">{props.hint}</Kobalte.Description>
      </Show>
      <Kobalte.ErrorMessage class="problem">{props.problem}</Kobalte.ErrorMessage>
      <Kobalte.Portal ref={overDialog}>
        <Kobalte.Content class="menu combobox-list">
          <Kobalte.Listbox />
        </Kobalte.Content>
      </Kobalte.Portal>
    </Kobalte>
  );
}
