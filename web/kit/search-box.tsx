// The field that filters a table as you type. Escape clears it.

import Search from "lucide-solid/icons/search";
import type { JSX } from "solid-js";

export function SearchBox(props: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  return (
    <div class="search-box">
      <Search size={14} aria-hidden="true" />
      <input
        class="input"
        type="search"
        dir="auto"
        aria-label={props.label}
        placeholder={props.label}
        autocomplete="off"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || props.value === "") return;
          event.preventDefault();
          event.stopPropagation();
          props.onInput("");
        }}
      />
    </div>
  );
}
