// The blueprint as a list: every agent with its wires and bindings. Offers every edit of the canvas, for keyboards, screen readers and
// narrow windows.

import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { sameList } from "../../kit/same-list.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { found } from "../../kit/table.tsx";
import { useHere } from "../../state/here.ts";
import { useEditing } from "../../parts/editing/editing.ts";
import type { Figures } from "./figures.ts";
import type { Shown } from "./graph.ts";
import { ForAll, ListAgent } from "./list-agent.tsx";
import { liveOf } from "../../state/live.ts";
import { UndoButtons } from "./toolbar.tsx";
import "./list.css";

/** From this many agents the list has a search field. */
const SEARCH_FROM = 8;

interface ListProps {
  readonly shown: Shown;
  readonly readOnly: boolean;
  readonly figures: Figures;
  readonly gateClosed: string | undefined;
  readonly searchOn: boolean;
  readonly onCanvas: () => void;
}

export function List(props: ListProps): JSX.Element {
  const here = useHere();
  const editing = useEditing();
  const [search, setSearch] = createSignal("");
  const live = createMemo(() => liveOf(here.state()));
  const agents = createMemo(() => new Map(props.shown.agents.map((agent) => [agent.id, agent])));
  const ids = createMemo(
    () => found(props.shown.agents, search(), ({ name }) => name).map(({ id }) => id),
    undefined,
    { equals: sameList },
  );
  return (
    <div class="blueprint-list">
      <div class="blueprint-list-bar">
        <h2>
          {plural(props.shown.agents.length, "agent")}, {plural(props.shown.wires.length, "wire")}
        </h2>
        <div class="blueprint-tools still" role="toolbar" aria-label="List">
          <Show when={!props.readOnly}>
            <UndoButtons editing={editing} />
          </Show>
          <button type="button" onClick={() => props.onCanvas()}>
            Canvas
          </button>
        </div>
      </div>
      <Show when={props.shown.agents.length >= SEARCH_FROM}>
        <div class="blueprint-list-search">
          <SearchBox label="Search agents" value={search()} onInput={setSearch} />
        </div>
      </Show>
      <ul class="blueprint-list-agents" aria-label="Agents">
        <ForAll shown={props.shown} readOnly={props.readOnly} />
        <For each={ids()}>
          {(id) => (
            <ListAgent
              id={id}
              agent={agents().get(id)!}
              shown={props.shown}
              figures={props.figures}
              activity={props.readOnly ? undefined : (live().activity.get(id) ?? "idle")}
              readOnly={props.readOnly}
              gateClosed={props.gateClosed}
              searchOn={props.searchOn}
            />
          )}
        </For>
      </ul>
      <Show when={ids().length === 0}>
        <p class="section muted">
          No matching agents.{" "}
          <Button small onClick={() => setSearch("")}>
            Show all
          </Button>
        </p>
      </Show>
    </div>
  );
}
