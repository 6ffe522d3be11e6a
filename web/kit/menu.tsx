// A button that opens a menu of actions.

import { DropdownMenu } from "@kobalte/core/dropdown-menu";
import { For, type JSX, Show } from "solid-js";
import { overDialog } from "./over-dialog.ts";

export interface Action {
  readonly label: string;
  readonly icon?: JSX.Element;
  readonly run: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** Preceded by a separator. */
  readonly apart?: boolean;
}

export function Menu(props: {
  readonly label: string;
  readonly actions: readonly Action[];
  readonly class?: string;
  /** Opens on mount, when it replaces a placeholder that was clicked. */
  readonly openAtOnce?: boolean;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <DropdownMenu gutter={4} preventScroll={false} modal={false} defaultOpen={props.openAtOnce ?? false}>
      <DropdownMenu.Trigger class={props.class ?? "btn quiet icon"} aria-label={props.label}>
        {props.children}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal ref={overDialog}>
        <DropdownMenu.Content class="menu">
          <For each={props.actions}>
            {(action) => (
              <>
                <Show when={action.apart}>
                  <DropdownMenu.Separator class="menu-separator" />
                </Show>
                <DropdownMenu.Item
                  class={`menu-item ${action.danger ? "danger" : ""}`}
                  disabled={action.disabled ?? false}
                  onSelect={action.run}
                >
                  {action.icon}
                  {action.label}
                </DropdownMenu.Item>
              </>
            )}
          </For>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  );
}
