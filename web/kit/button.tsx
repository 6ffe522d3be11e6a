// Buttons. A busy button is disabled and announces it, and a disabled one keeps the focus that it has; an icon button has a name.

import { createMemo, createSignal, type JSX, Show, splitProps } from "solid-js";
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

/**
 * Browsers take the focus from a disabled button, so that the next Tab would begin at the top of the page. One that has the focus when it becomes
 * disabled says so to screen readers, ignores clicks, and is disabled for the browser once the focus leaves it.
 */
export function PlainButton(props: JSX.ButtonHTMLAttributes<HTMLButtonElement>): JSX.Element {
  const [own, rest] = splitProps(props, ["disabled", "aria-disabled", "ref"]);
  let button: HTMLButtonElement | undefined;
  const [left, setLeft] = createSignal(undefined, { equals: false });
  const isHeld = createMemo(() => {
    left();
    return own.disabled === true && button !== undefined && document.activeElement === button;
  });
  const watch = (element: HTMLButtonElement) => {
    button = element;
    element.addEventListener("blur", () => setLeft());
    const ignore = (event: Event) => {
      if (!isHeld()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    element.addEventListener("click", ignore, { capture: true });
    (own.ref as ((element: HTMLButtonElement) => void) | undefined)?.(element);
  };
  return (
    <button
      type="button"
      {...rest}
      ref={watch}
      disabled={own.disabled === true && !isHeld()}
      aria-disabled={isHeld() ? "true" : own["aria-disabled"]}
      data-disabled={own.disabled ? "" : undefined}
    />
  );
}

export function Button(props: ButtonProps): JSX.Element {
  const [look, rest] = splitProps(props, ["kind", "small", "busy", "children", "disabled"]);
  return (
    <PlainButton
      {...rest}
      class={classOf(look)}
      disabled={(look.disabled ?? false) || (look.busy ?? false)}
      aria-busy={look.busy ? "true" : undefined}
    >
      <Show when={look.busy}>
        <span class="spinner" />
      </Show>
      {look.children}
    </PlainButton>
  );
}

/** A button with an icon only: `label` is its accessible name and tooltip. */
export function IconButton(props: ButtonProps & { readonly label: string }): JSX.Element {
  const [look, rest] = splitProps(props, ["kind", "small", "busy", "children", "disabled", "label"]);
  return (
    <Tip text={look.label}>
      <PlainButton
        {...rest}
        class={classOf({ kind: look.kind ?? "quiet", small: look.small ?? false }, "icon")}
        aria-label={look.label}
        disabled={(look.disabled ?? false) || (look.busy ?? false)}
        aria-busy={look.busy ? "true" : undefined}
      >
        <Show when={look.busy} fallback={look.children}>
          <span class="spinner" />
        </Show>
      </PlainButton>
    </Tip>
  );
}
