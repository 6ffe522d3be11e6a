// The command palette: one field and the matching commands in groups. The focus stays in the field; arrows choose, Enter runs, Escape
// closes.

import { Dialog } from "@kobalte/core/dialog";
import Search from "lucide-solid/icons/search";
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from "solid-js";
import { findCommands } from "./command-search.ts";
import { type Command, everyCommand } from "./command-list.tsx";
import { keepFocus } from "../kit/focus.ts";
import { keep, remember } from "../kit/storage.ts";
import "./palette.css";

const RECENT_KEY = "commands.recent";
const RECENT_KEPT_MAX = 20;
const LIST = "palette-list";
const optionId = (id: string) => `palette-${id}`;

export function Palette(props: { readonly onClose: () => void }): JSX.Element {
  const giveBack = keepFocus();
  const { search, setSearch, groups, flat, chosen, point, run, onKeyDown } = createFinder(props.onClose);
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} preventScroll={false}>
      <Dialog.Portal>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content
          class="palette"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            giveBack();
          }}
        >
          <Dialog.Title class="visually-hidden">Search or run a command</Dialog.Title>
          <div class="palette-field">
            <Search size={16} aria-hidden="true" />
            <input
              type="text"
              role="combobox"
              aria-label="Search or run a command"
              aria-expanded="true"
              aria-controls={LIST}
              aria-autocomplete="list"
              aria-activedescendant={chosen() ? optionId(chosen()!.id) : undefined}
              placeholder="Search pages, workspaces, agents, gears and actions"
              autocomplete="off"
              spellcheck={false}
              dir="auto"
              value={search()}
              onInput={(event) => setSearch(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
            <span class="kbd" aria-hidden="true">
              Esc
            </span>
          </div>
          <div class="palette-list scroll" id={LIST} role="listbox" aria-label="Results">
            <For each={groups()}>
              {(group, index) => (
                <div role="group" aria-labelledby={`palette-group-${index()}`}>
                  <div class="palette-group" id={`palette-group-${index()}`} role="presentation">
                    {group.name}
                  </div>
                  <For each={group.items}>
                    {(command) => (
                      <Option
                        command={command}
                        chosen={chosen() === command}
                        onPoint={() => point(command)}
                        onRun={() => run(command)}
                      />
                    )}
                  </For>
                </div>
              )}
            </For>
          </div>
          <Show when={flat().length === 0}>
            <p class="palette-nothing muted" role="status">
              No results. Try part of a name.
            </p>
          </Show>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  );
}

/** The typed text, its results, and the chosen one. */
function createFinder(close: () => void) {
  const [search, setSearch] = createSignal("");
  const recent = remember<string[]>(RECENT_KEY) ?? [];
  const commands = everyCommand();
  const groups = createMemo(() => findCommands(commands(), search(), recent));
  const flat = createMemo(() => groups().flatMap(({ items }) => items));
  const [at, setAt] = createSignal(0);
  createEffect(on(search, () => setAt(0), { defer: true }));
  const chosen = () => flat()[Math.min(at(), flat().length - 1)];
  createEffect(() => {
    const id = chosen()?.id;
    if (id !== undefined) document.getElementById(optionId(id))?.scrollIntoView({ block: "nearest" });
  });

  const run = (command: Command | undefined) => {
    if (!command || command.disabled) return;
    keep(RECENT_KEY, [command.id, ...recent.filter((id) => id !== command.id)].slice(0, RECENT_KEPT_MAX));
    close();
    // The dialog restores the focus first; the command may then move it.
    queueMicrotask(() => command.run());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const last = flat().length - 1;
    const target = {
      ArrowDown: at() >= last ? 0 : at() + 1,
      ArrowUp: at() <= 0 ? last : at() - 1,
      PageDown: Math.min(last, at() + 10),
      PageUp: Math.max(0, at() - 10),
    }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, target));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(chosen());
    }
  };
  const point = (command: Command) => setAt(flat().indexOf(command));
  return { search, setSearch, groups, flat, chosen, point, run, onKeyDown };
}

function Option(props: {
  readonly command: Command;
  readonly chosen: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}): JSX.Element {
  return (
    <div
      id={optionId(props.command.id)}
      role="option"
      class="menu-item palette-option"
      classList={{ danger: props.command.danger ?? false }}
      aria-selected={props.chosen}
      aria-disabled={props.command.disabled ? "true" : undefined}
      data-active={props.chosen ? "" : undefined}
      data-disabled={props.command.disabled ? "" : undefined}
      onPointerMove={() => !props.chosen && props.onPoint()}
      onClick={() => props.onRun()}
    >
      {props.command.icon?.()}
      <span class="ellipsis" dir="auto">
        {props.command.label}
      </span>
      <Show when={props.command.note}>
        <span class="palette-note small muted ellipsis" dir="auto">
          {props.command.note}
        </span>
      </Show>
    </div>
  );
}
