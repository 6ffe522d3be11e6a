// Buttons. A busy button is disabled and announces it, and gets back the focus that this takes from it; an icon button has a name.

import { createEffect, type JSX, on, Show, splitProps } from "solid-js";
import { Tip } from "./tip.tsx";

interface Look {
  readonly kind?: "plain" | "primary" | "quiet" | "danger" | "danger-primary";
  readonly small?: boolean;
  readonly busy?: boolean;
}

export type ButtonProps = Look & Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, "class">;

function classOf(look: Look, extra = ""): string {
  const kind = look.kind === "plain" ? "" : (look.kind ?? "").replace("-", " ");
  return `btn ${kind} ${look.small ? "small" : ""} ${extra}`;
}

/** Browsers take the focus from a disabled button, so that the next Tab would begin at the top of the page. */
function keepFocusWhile(busy: () => boolean | undefined, button: () => HTMLButtonElement): void {
  let had = false;
  createEffect(
    on(busy, (isBusy) => {
      if (isBusy) had = document.activeElement === button();
      else if (had && document.activeElement === document.body)
        restingPlace(button())?.focus({ preventScroll: true });
    }),
  );
}

/** Itself, or the first field of its form if it stays disabled: nothing is left to save. */
function restingPlace(button: HTMLButtonElement): HTMLElement | null | undefined {
  if (!button.disabled) return button;
  return button.form?.querySelector<HTMLElement>(":is(input, select, textarea):enabled");
}

export function Button(props: ButtonProps): JSX.Element {
  const [look, rest] = splitProps(props, ["kind", "small", "busy", "children", "disabled", "ref"]);
  let button!: HTMLButtonElement;
  keepFocusWhile(
    () => look.busy,
    () => button,
  );
  return (
    <button
      type="button"
      {...rest}
      ref={(element) => {
        button = element;
        (look.ref as ((element: HTMLButtonElement) => void) | undefined)?.(element);
      }}
      class={classOf(look)}
      disabled={look.disabled || look.busy}
      aria-busy={look.busy ? "true" : undefined}
    >
      <Show when={look.busy}>
        <span class="spinner" />
      </Show>
      {look.children}
    </button>
  );
}

/** A button with an icon only: `label` is its accessible name and tooltip. */
export function IconButton(props: ButtonProps & { readonly label: string }): JSX.Element {
  const [look, rest] = splitProps(props, ["kind", "small", "busy", "children", "disabled", "label"]);
  return (
    <Tip text={look.label}>
      <button
        type="button"
        {...rest}
        class={classOf({ kind: look.kind ?? "quiet", ...(look.small ? { small: true } : {}) }, "icon")}
        aria-label={look.label}
        disabled={look.disabled || look.busy}
        aria-busy={look.busy ? "true" : undefined}
      >
        <Show when={look.busy} fallback={look.children}>
          <span class="spinner" />
        </Show>
      </button>
    </Tip>
  );
}
