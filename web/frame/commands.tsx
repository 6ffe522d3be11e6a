// The shortcut that opens the palette. The palette itself (palette.tsx) is loaded when it is first opened; until then, its field is there and takes
// what is typed, which would otherwise go to the page.

import Search from "lucide-solid/icons/search";
import { createComputed, createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import { keepFocus } from "../kit/focus.ts";
import { later } from "../kit/later.tsx";
import { onLeaving } from "../kit/leaving.ts";
import "./palette.css";

const Palette = later(async () => (await import("./palette.tsx")).Palette);
const [open, setOpen] = createSignal(false);

export const openCommands = () => void setOpen(true);

/** The terminal passes Ctrl K to the shell. */
const OWN_KEYS = ".xterm";

export function CommandHost(): JSX.Element {
  const onKeyDown = (event: KeyboardEvent) => {
    const wanted = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!wanted || event.altKey || event.shiftKey || event.isComposing) return;
    if (event.ctrlKey && event.target instanceof Element && event.target.closest(OWN_KEYS)) return;
    event.preventDefault();
    if (open()) cancel();
    // An open dialog keeps the focus.
    else if (document.querySelector("[role=dialog]") === null) setOpen(true);
  };
  onMount(() => document.addEventListener("keydown", onKeyDown));
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));
  onCleanup(() => setOpen(false));
  onLeaving(() => void setOpen(false));
  const [typed, setTyped] = createSignal("");
  let giveBack = () => {};
  createComputed(() => {
    if (!open()) return;
    giveBack = keepFocus();
    setTyped("");
  });
  const cancel = () => {
    setOpen(false);
    giveBack();
  };
  const waiting = (notice?: JSX.Element) => (
    <Waiting typed={typed()} notice={notice} onType={setTyped} onCancel={cancel} />
  );
  return (
    <Show when={open()}>
      <Palette
        typed={typed()}
        onClose={() => setOpen(false)}
        giveBack={() => giveBack()}
        fallback={waiting()}
        failed={waiting}
      />
    </Show>
  );
}

/** The field alone, or with the notice that the rest could not be loaded. Enter does nothing yet, because there is nothing to choose from. */
function Waiting(props: {
  readonly typed: string;
  readonly notice: JSX.Element;
  readonly onType: (text: string) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  let field!: HTMLInputElement;
  onMount(() => field.focus());
  let pane!: HTMLElement;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "Escape") props.onCancel();
    if (event.key !== "Tab") return;
    event.preventDefault();
    const retry = document.activeElement === field && pane.querySelector("button");
    (retry || field).focus();
  };
  return (
    <>
      <div class="overlay" onClick={() => props.onCancel()} />
      <div
        ref={(element) => (pane = element)}
        class="palette"
        role="dialog"
        aria-modal="true"
        aria-label="Search or run a command"
        aria-busy={props.notice === undefined}
        onKeyDown={onKeyDown}
        // A click beside the field leaves the focus in it.
        onMouseDown={(event) => event.target !== field && event.preventDefault()}
      >
        <div class="palette-field">
          <Search size={16} aria-hidden="true" />
          <input
            ref={(element) => (field = element)}
            type="text"
            value={props.typed}
            aria-label="Search or run a command"
            autocomplete="off"
            spellcheck={false}
            dir="auto"
            onInput={(event) => props.onType(event.currentTarget.value)}
          />
        </div>
        {props.notice}
      </div>
    </>
  );
}
