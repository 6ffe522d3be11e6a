// The palette of gears and instructions, to drag onto an agent or bind by name. It lists no agents: the orchestrator creates those.

import X from "lucide-solid/icons/x";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import { A } from "@solidjs/router";
import { Button, IconButton } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { TextInput } from "../../kit/form.tsx";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { found } from "../../kit/table.tsx";
import { gearsQuery, instructionsQuery } from "../../state/lists.ts";
import type { Editing } from "../../parts/editing/editing.ts";
import type { Shown } from "./graph.ts";
import { ICONS } from "./pill.tsx";
import { Dynamic } from "solid-js/web";
import "./palette.css";

export interface Item {
  readonly kind: "gear" | "instruction";
  readonly id: number;
  readonly name: string;
  /** A notable status. */
  readonly note: string;
}

/** The number of rows drawn; a search finds the rest. */
const ITEMS_DRAWN_MAX = 100;
const ALL = "all";

interface PaletteProps {
  readonly shown: Shown;
  readonly editing: Editing;
  readonly onCarry: (item: Item | undefined) => void;
  readonly onClose: () => void;
}

function createItems() {
  const gears = gearsQuery();
  const instructions = instructionsQuery();
  const items = createMemo((): readonly Item[] => [
    ...(gears.data() ?? []).map(({ id, name, status }): Item => ({
      kind: "gear",
      id,
      name,
      note: status === "approved" ? "" : status,
    })),
    ...(instructions.data() ?? []).map(({ id, name }): Item => ({ kind: "instruction", id, name, note: "" })),
  ]);
  const loading = () => gears.data() === undefined || instructions.data() === undefined;
  const problem = () => gears.problem() ?? instructions.problem();
  return { items, loading, problem, retry: () => void gears.refresh() };
}

export function Palette(props: PaletteProps): JSX.Element {
  const { items, loading, problem, retry } = createItems();
  return (
    <section
      class="blueprint-palette"
      aria-label="Add to this blueprint"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        props.onClose();
      }}
    >
      <header class="row">
        <h2>Add to this blueprint</h2>
        <span class="end">
          <IconButton small label="Close" onClick={() => props.onClose()}>
            <X aria-hidden="true" />
          </IconButton>
        </span>
      </header>
      <Show when={!problem()} fallback={<ProblemNotice problem={problem()!} onRetry={retry} />}>
        <Show when={!loading()} fallback={<Skeleton />}>
          <Show when={items().length > 0} fallback={<NothingYet />}>
            <Items {...props} items={items()} />
          </Show>
        </Show>
      </Show>
    </section>
  );
}

/** The items, searched, and the form that binds the chosen one. */
function Items(props: PaletteProps & { readonly items: readonly Item[] }): JSX.Element {
  const [search, setSearch] = createSignal("");
  const [chosen, setChosen] = createSignal<Item>();
  const matching = createMemo(() => found(props.items, search(), ({ kind, name }) => `${kind} ${name}`));
  return (
    <>
      <TextInput
        label="Search gears and instructions"
        value={search()}
        onInput={setSearch}
        type="search"
        autofocus
      />
      <ul class="blueprint-palette-items" aria-label="Gears and instructions">
        <For each={matching().slice(0, ITEMS_DRAWN_MAX)} fallback={<li class="muted small">No matches.</li>}>
          {(item) => (
            <li>
              <ItemButton
                item={item}
                chosen={chosen() === item}
                onChoose={() => setChosen(item)}
                onCarry={props.onCarry}
              />
            </li>
          )}
        </For>
      </ul>
      <Show when={chosen()} fallback={<p class="muted small">Drag one onto an agent, or select it here.</p>}>
        {(item) => <BindForm item={item()} shown={props.shown} editing={props.editing} />}
      </Show>
    </>
  );
}

function ItemButton(props: {
  readonly item: Item;
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly onCarry: (item: Item | undefined) => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="blueprint-palette-item"
      draggable="true"
      aria-pressed={props.chosen}
      onClick={() => props.onChoose()}
      onDragStart={(event) => {
        event.dataTransfer?.setData("text/plain", props.item.name);
        props.onCarry(props.item);
      }}
      onDragEnd={() => props.onCarry(undefined)}
    >
      <Dynamic
        component={ICONS[`${props.item.kind}-binding`]}
        size={14}
        aria-hidden="true"
        class={props.item.kind}
      />
      <span class="ellipsis" dir="auto" title={props.item.name}>
        {props.item.name}
      </span>
      <span class="visually-hidden">{props.item.kind}</span>
      <Show when={props.item.note}>
        <span class="tag wait end">{props.item.note}</span>
      </Show>
    </button>
  );
}

function BindForm(props: {
  readonly item: Item;
  readonly shown: Shown;
  readonly editing: Editing;
}): JSX.Element {
  const [target, setTarget] = createSignal(ALL);
  let busy = false;
  const choices = () => [
    { value: ALL, label: "All agents" },
    ...props.shown.agents.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  const bind = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    const { kind, id, name } = props.item;
    await props.editing.bind(kind, id, target() === ALL ? null : Number(target()), name);
    busy = false;
  };
  return (
    <form class="blueprint-palette-bind" onSubmit={(event) => void bind(event)}>
      <Combobox
        label={`Bind ${props.item.name} to`}
        value={target()}
        choices={choices()}
        onChange={setTarget}
      />
      {/* Never disabled, to keep the focus. */}
      <Button type="submit" kind="primary">
        Bind
      </Button>
      <Show when={props.item.note}>
        <p class="muted small">It is {props.item.note}; agents can use it once it is approved.</p>
      </Show>
    </form>
  );
}

function NothingYet(): JSX.Element {
  return (
    <p class="muted">
      No gears or instructions yet. <A href="/gears">Gears</A> are small programs that agents call;{" "}
      <A href="/library">instructions</A> are texts in their prompts.
    </p>
  );
}
