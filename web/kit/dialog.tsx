// Dialogs, and the confirmation before something is lost. The browser's own `confirm` and `prompt` are not used.

import { Dialog as Kobalte } from "@kobalte/core/dialog";
import { useLocation } from "@solidjs/router";
import { type Accessor, createComputed, createEffect, createSignal, type JSX, on, Show } from "solid-js";
import { Button } from "./button.tsx";
import { holdFocus, keepFocus } from "./focus.ts";
import { TextInput } from "./form.tsx";

interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** `full`: as much of the window as there is. */
  readonly wide?: boolean | "full";
  readonly children: JSX.Element;
}

/** Escape and a click outside close it; the focus is restored. */
export function Dialog(props: DialogProps): JSX.Element {
  let giveBack = () => {};
  createComputed(() => {
    if (props.open) giveBack = keepFocus();
  });
  return (
    <Kobalte open={props.open} onOpenChange={(open) => !open && props.onClose()} preventScroll={false}>
      <Kobalte.Portal>
        <Kobalte.Overlay class="overlay" />
        <Kobalte.Content
          // The library gives the focus back to what is being removed, and the browser then sends every key there.
          ref={holdFocus}
          class={`dialog ${props.wide ? "wide" : ""} ${props.wide === "full" ? "full" : ""}`}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            giveBack();
          }}
        >
          <Kobalte.Title as="h2">{props.title}</Kobalte.Title>
          {props.children}
        </Kobalte.Content>
      </Kobalte.Portal>
    </Kobalte>
  );
}

interface Question {
  readonly title: string;
  /** The consequences; a function if they change while the question is asked. */
  readonly text: JSX.Element | (() => JSX.Element);
  /** The verb on the button. */
  readonly action: string;
  readonly danger?: boolean;
  /** Text to type before the button is enabled. */
  readonly typed?: string;
  /** False while the consequences are still being read. */
  readonly known?: Accessor<boolean>;
  /** Closes the dialog once the question is out of date. */
  readonly until?: AbortSignal;
}

const [question, setQuestion] = createSignal<Question & { answer: (yes: boolean) => void }>();

/** Resolves with the answer; closing the dialog is a no. */
export function confirm(asked: Question): Promise<boolean> {
  question()?.answer(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const shown = {
    ...asked,
    answer: (yes: boolean) => {
      if (question() === shown) setQuestion(undefined);
      resolve(yes);
    },
  };
  asked.until?.addEventListener("abort", () => shown.answer(false), { once: true });
  setQuestion(shown);
  return promise;
}

/** Renders the questions of `confirm`; mounted once. A question does not outlive the page that asked it: Back answers no. */
export function ConfirmHost(): JSX.Element {
  const [typed, setTyped] = createSignal("");
  const location = useLocation();
  const address = () => location.pathname + location.search;
  createEffect(on(address, () => question()?.answer(false), { defer: true }));
  return (
    <Show when={question()} keyed>
      {(asked) => {
        setTyped("");
        const ready = () =>
          (asked.known?.() ?? true) && (asked.typed === undefined || typed().trim() === asked.typed);
        return (
          <Dialog open onClose={() => asked.answer(false)} title={asked.title}>
            <form
              class="form"
              onSubmit={(event) => {
                event.preventDefault();
                if (ready()) asked.answer(true);
              }}
            >
              <div class="wrap">{typeof asked.text === "function" ? asked.text() : asked.text}</div>
              <Show when={asked.typed}>
                <TextInput
                  label={`Type ${asked.typed} to confirm`}
                  value={typed()}
                  onInput={setTyped}
                  autocomplete="off"
                />
              </Show>
              <div class="actions">
                <Button onClick={() => asked.answer(false)}>Cancel</Button>
                <Button
                  type="submit"
                  kind={asked.danger === false ? "primary" : "danger-primary"}
                  disabled={!ready()}
                >
                  {asked.action}
                </Button>
              </div>
            </form>
          </Dialog>
        );
      }}
    </Show>
  );
}
