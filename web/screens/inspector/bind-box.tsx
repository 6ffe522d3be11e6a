// A button that becomes a combobox, to bind one more thing. A choice takes effect at once.

import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { focusOn, mayTakeFocus } from "../../kit/focus.ts";

interface BindChoice {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
}

export function BindBox(props: {
  readonly action: string;
  readonly icon: JSX.Element;
  readonly label: string;
  readonly choices: readonly BindChoice[];
  /** Shown when there is nothing to choose from. */
  readonly empty: JSX.Element;
  /** Resolves with whether it succeeded; problems are shown elsewhere. */
  readonly onChoose: (choice: BindChoice) => Promise<boolean>;
}): JSX.Element {
  const [open, setOpen] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  let box: HTMLElement | undefined;
  const close = () => {
    const takesFocus = mayTakeFocus(box);
    setOpen(false);
    if (takesFocus) queueMicrotask(() => button?.focus());
  };
  const choose = async (value: string) => {
    const choice = props.choices.find((one) => one.value === value);
    if (choice && (await props.onChoose(choice))) close();
  };
  return (
    <Show
      when={open()}
      fallback={
        <div class="inspector-bind">
          <Button ref={(made) => (button = made)} kind="quiet" small onClick={() => setOpen(true)}>
            {props.icon}
            {props.action}
          </Button>
        </div>
      }
    >
      <div
        ref={(element) => {
          box = element;
          focusOn("input, button")(element);
        }}
        class="inspector-bind open"
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.defaultPrevented) return;
          event.preventDefault();
          close();
        }}
      >
        <Show when={props.choices.length > 0} fallback={<p class="small muted">{props.empty}</p>}>
          <Combobox
            label={props.label}
            value={undefined}
            choices={props.choices}
            placeholder="Type to search"
            onChange={(value) => void choose(value)}
          />
        </Show>
        <Button small onClick={close}>
          Cancel
        </Button>
      </div>
    </Show>
  );
}
