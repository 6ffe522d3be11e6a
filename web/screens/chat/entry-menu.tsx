// The button for the actions of a conversation entry. The menu mounts when it is first opened, since a long conversation has hundreds.

import Ellipsis from "lucide-solid/icons/ellipsis";
import { createSignal, type JSX, Show } from "solid-js";
import type { Entry } from "../../../src/service/conversation/schema.ts";
import { mayTakeFocus } from "../../kit/focus.ts";
import { later } from "../../kit/later.tsx";

const EntryActions = later(async () => (await import("./entry-actions.tsx")).EntryActions);

const LOOK = "btn quiet icon small chat-entry-menu";

export function EntryMenu(props: { readonly entry: Entry; readonly of: string }): JSX.Element {
  const [wanted, setWanted] = createSignal(false);
  let element!: HTMLElement;
  const label = () => `Actions for ${props.of}`;
  // One element in both places, so that it keeps the focus while the menu loads.
  const button = (
    <button
      ref={(made) => (element = made)}
      type="button"
      class={LOOK}
      aria-label={label()}
      aria-haspopup="menu"
      onClick={() => setWanted(true)}
    >
      <Ellipsis aria-hidden="true" />
    </button>
  );
  return (
    <Show when={wanted()} fallback={button}>
      <EntryActions
        entry={props.entry}
        label={label()}
        class={LOOK}
        isAwaited={() => mayTakeFocus(element)}
        fallback={button}
      />
    </Show>
  );
}
