// The filters of the list of turns, and the links that export what they leave.

import Download from "lucide-solid/icons/download";
import { createMemo, For, type JSX } from "solid-js";
import type { Turn, TurnFilter } from "../../../src/service/turns/schema.ts";
import { capitalized } from "../../kit/format.ts";
import { compareNames } from "../../kit/names.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { useHere } from "../../state/here.ts";
import { STATUS_NAMES } from "./turn-status.tsx";

export function TurnFilters(props: {
  readonly filter: TurnFilter;
  readonly onChange: (filter: TurnFilter) => void;
}): JSX.Element {
  const here = useHere();
  const names = createMemo(() => [...here.state().agentNames].toSorted(([, a], [, b]) => compareNames(a, b)));
  const set = (change: { readonly [K in keyof TurnFilter]: TurnFilter[K] | undefined }) =>
    props.onChange(
      Object.fromEntries(
        Object.entries({ ...props.filter, ...change }).filter(
          ([, value]) => value !== undefined && value !== "",
        ),
      ),
    );
  return (
    <div class="activity-filters" role="group" aria-label="Filter turns">
      <SearchBox label="Filter by text" value={props.filter.text ?? ""} onInput={(text) => set({ text })} />
      <select
        class="input"
        aria-label="Status"
        onChange={({ currentTarget: { value } }) => set({ status: (value || undefined) as Turn["status"] })}
      >
        <option value="" selected={props.filter.status === undefined}>
          Any status
        </option>
        <For each={Object.entries(STATUS_NAMES)}>
          {([value, name]) => (
            <option value={value} selected={props.filter.status === value}>
              {capitalized(name)}
            </option>
          )}
        </For>
      </select>
      <select
        class="input"
        aria-label="Agent"
        onChange={({ currentTarget: { value } }) => set({ agent_id: Number(value) || undefined })}
      >
        <option value="" selected={props.filter.agent_id === undefined}>
          Any agent
        </option>
        <For each={names()}>
          {([id, name]) => (
            <option value={id} selected={props.filter.agent_id === id}>
              {name}
            </option>
          )}
        </For>
      </select>
      <ExportLinks filter={props.filter} />
    </div>
  );
}

function ExportLinks(props: { readonly filter: TurnFilter }): JSX.Element {
  const here = useHere();
  const address = (format: "csv" | "json") => {
    const query = new URLSearchParams({ format });
    for (const [name, value] of Object.entries(props.filter)) query.set(name, String(value));
    return `/api/v1/workspaces/${here.id}/turns/export?${query.toString()}`;
  };
  return (
    <span class="end row">
      <For each={["csv", "json"] as const}>
        {(format) => (
          <a class="btn" href={address(format)} download="" target="_self">
            <Download aria-hidden="true" />
            Download {format.toUpperCase()}
          </a>
        )}
      </For>
    </span>
  );
}
