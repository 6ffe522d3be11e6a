// The command palette: one field and the matching commands in groups. The focus stays in the field; arrows choose, Enter runs, Escape
// closes.

import { Dialog } from "@kobalte/core/dialog";
import Search from "lucide-solid/icons/search";
import { useNavigate } from "@solidjs/router";
import { createEffect, createMemo, createSignal, For, type JSX, on, onMount, Show } from "solid-js";
import { findCommands, RECENT_MAX, rangesIn, withFound } from "./command-search.ts";
import { type Command, everyCommand } from "./command-list.tsx";
import { plural } from "../kit/format.ts";
import { MarkedText, nearFirst } from "../kit/marked-text.tsx";
import { PathText } from "../kit/path-text.tsx";
import { narrow } from "../kit/screen.ts";
import { type Everywhere, keepOpened, openedBefore, searchEverywhere } from "./everywhere.tsx";
import { keep, remember } from "../kit/storage.ts";

const RECENT_KEY = "commands.recent";
const RECENT_KEPT_MAX = 20;
/** Kept in front of a match. */
const LEAD_CHARACTERS = 8;
const LIST = "palette-list";
const optionId = (id: string) => `palette-${id}`;

export function Palette(props: {
  /** Typed while it was loading. */
  readonly typed: string;
  readonly onClose: () => void;
  /** Restores the focus. */
  readonly giveBack: () => void;
}): JSX.Element {
  const { search, setSearch, groups, flat, chosen, point, run, onKeyDown, everywhere } = createFinder(
    props.typed,
    props.onClose,
  );
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} preventScroll={false}>
      <Dialog.Portal>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content
          class="palette"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            props.giveBack();
          }}
        >
          <Dialog.Title class="visually-hidden">Search or run a command</Dialog.Title>
          <div class="palette-field">
            <Search size={16} aria-hidden="true" />
            <input
              // The dialog would focus it later, and keys in between would be lost.
              ref={(element) => onMount(() => element.focus())}
              type="text"
              role="combobox"
              aria-label="Search or run a command"
              aria-expanded="true"
              aria-controls={LIST}
              aria-autocomplete="list"
              aria-activedescendant={chosen() ? optionId(chosen()!.id) : undefined}
              placeholder="Search messages, files, agents, gears and actions"
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
          <div
            class="palette-list scroll"
            id={LIST}
            role="listbox"
            aria-label="Results"
            aria-busy={everywhere.searching()}
          >
            <Groups groups={groups()} search={search()} chosen={chosen()} onPoint={point} onRun={run} />
          </div>
          <State everywhere={everywhere} count={flat().length} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  );
}

function Groups(props: {
  readonly groups: readonly { readonly name: string; readonly items: readonly Command[] }[];
  readonly search: string;
  readonly chosen: Command | undefined;
  readonly onPoint: (command: Command) => void;
  readonly onRun: (command: Command) => void;
}): JSX.Element {
  return (
    <For each={props.groups}>
      {(group, index) => (
        <div role="group" aria-labelledby={`palette-group-${index()}`}>
          <div class="palette-group" id={`palette-group-${index()}`} role="presentation">
            {group.name}
          </div>
          <For each={group.items}>
            {(command) => (
              <Option
                command={command}
                search={props.search}
                chosen={props.chosen === command}
                onPoint={() => props.onPoint(command)}
                onRun={() => props.onRun(command)}
              />
            )}
          </For>
        </div>
      )}
    </For>
  );
}

/** Says what the list cannot show: that nothing was found, that the server is still asked, or that its index is not complete. */
function State(props: { readonly everywhere: Everywhere; readonly count: number }): JSX.Element {
  const { searching, indexing, problem } = props.everywhere;
  const nothing = () => (searching() ? "Searching…" : "No results. Try part of a word.");
  return (
    <div role="status">
      <Show
        when={props.count === 0}
        fallback={<span class="visually-hidden">{plural(props.count, "result")}</span>}
      >
        <p class="palette-nothing muted">{nothing()}</p>
      </Show>
      <Show when={problem()}>
        {(why) => <p class="palette-foot small">Only names were searched: {why().message}</p>}
      </Show>
      <Show when={!problem() && indexing() > 0}>
        <p class="palette-foot small muted">
          Still indexing: {plural(indexing(), "text is", "texts are")} not searched yet.
        </p>
      </Show>
    </div>
  );
}

/** The typed text, its results, and the chosen one. */
function createFinder(typed: string, close: () => void) {
  const [search, setSearch] = createSignal(typed);
  const recent = remember<string[]>(RECENT_KEY) ?? [];
  const navigate = useNavigate();
  // The time makes the address open again, also if it is the current one.
  const go = (path: string) => () => void navigate(path, { state: { at: Date.now() } });
  const commands = everyCommand();
  const everywhere = searchEverywhere(search, go);
  const again = openedBefore(go);
  const known = createMemo(() => new Map(commands().map((command) => [command.id, command])));
  /** The facts beside a name are the same, whoever found it. */
  const found = () =>
    everywhere.commands().map((one) => ({ ...one, note: known().get(one.id)?.note ?? one.note }));
  const groups = createMemo(() => {
    if (search().trim() !== "") return withFound(findCommands(commands(), search(), recent), found());
    const opened = again.filter(({ id }) => !known().has(id) && recent.slice(0, RECENT_MAX).includes(id));
    return findCommands([...commands(), ...opened], "", recent);
  });
  const flat = createMemo(() => groups().flatMap(({ items }) => items));
  // By id, because results of the server arrive later and between the others.
  const [chosenId, setChosenId] = createSignal<string>();
  createEffect(on(search, () => setChosenId(undefined), { defer: true }));
  const at = createMemo(() =>
    Math.max(
      0,
      flat().findIndex(({ id }) => id === chosenId()),
    ),
  );
  const setAt = (index: number) => setChosenId(flat()[index]?.id);
  const chosen = () => flat()[at()];
  createEffect(() => {
    const id = chosen()?.id;
    if (id !== undefined) document.getElementById(optionId(id))?.scrollIntoView({ block: "nearest" });
  });

  const run = (command: Command | undefined) => {
    if (!command || command.disabled) return;
    keepOpened(command);
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
  return { search, setSearch, groups, flat, chosen, point, run, onKeyDown, everywhere };
}

/** In one column, a match far into the text would be cut off. */
const inSight = ({ text, ranges }: NonNullable<Command["snippet"]>) =>
  narrow() ? nearFirst(text, ranges, LEAD_CHARACTERS) : { text, ranges };

function Option(props: {
  readonly command: Command;
  readonly search: string;
  readonly chosen: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}): JSX.Element {
  const label = () => (
    <MarkedText
      text={props.command.label}
      ranges={props.command.ranges ?? rangesIn(props.command.label, props.search)}
    />
  );
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
      <span class="palette-text">
        <Show
          when={props.command.isPath}
          fallback={
            <span class="ellipsis" dir="auto">
              {label()}
            </span>
          }
        >
          <PathText path={props.command.label}>{label()}</PathText>
        </Show>
        <Show when={props.command.snippet}>
          {(snippet) => (
            <span class="palette-snippet small muted ellipsis" dir="auto">
              <MarkedText {...inSight(snippet())} />
            </span>
          )}
        </Show>
      </span>
      <Show when={props.command.note}>
        <span class="palette-note small muted ellipsis" dir="auto">
          {props.command.note}
        </span>
      </Show>
    </div>
  );
}
