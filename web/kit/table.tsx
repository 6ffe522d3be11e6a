// A table with sorting and arrow-key navigation. Choosing a row shows its details elsewhere. All its rows are one stop of the Tab key, so that
// the details are one step from the row and not behind every other row.

import ArrowDown from "lucide-solid/icons/arrow-down";
import ArrowUp from "lucide-solid/icons/arrow-up";
import { createEffect, createMemo, createSignal, For, type JSX, Show, untrack } from "solid-js";
import { count } from "./format.ts";
import { onceLaidOut } from "./laid-out.ts";
import { compareNames } from "./names.ts";

export interface Column<T> {
  readonly title: JSX.Element;
  readonly cell: (row: T) => JSX.Element;
  /** Makes the column sortable. */
  readonly sortBy?: (row: T) => string | number;
  readonly number?: boolean;
  /** Hidden when the table is narrow, where cells show their `compact` parts instead of the `roomy` ones (styles/table.css). */
  readonly optional?: boolean;
  /** Never wrapped: times, states, short hashes. */
  readonly tight?: boolean;
}

/** A column of whole numbers. */
export function countColumn<T>(
  title: string,
  value: (row: T) => number,
  { optional = false }: { readonly optional?: boolean } = {},
): Column<T> {
  return { title, cell: (row) => count(value(row)), sortBy: value, number: true, optional };
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly key: (row: T) => string | number;
  readonly chosen?: string | number | undefined;
  readonly onChoose?: (row: T) => void;
  /** Hides columns as soon as a table of many columns does, because some are of fixed width. */
  readonly many?: boolean;
}

const SHOWN_AT_FIRST = 200;
/** They need more room than others before one is hidden. */
const MANY_COLUMNS = 7;

export function Table<T>(props: TableProps<T>): JSX.Element {
  const [shown, setShown] = createSignal(SHOWN_AT_FIRST);
  const { sort, sorted, turn } = createSorting(props);
  const visible = createMemo(() => sorted().slice(0, shown()));
  const [focused, setFocused] = createSignal<string | number>();
  const tabStop = createMemo(() => {
    const keys = visible().map(props.key);
    return [focused(), props.chosen].find((key) => key !== undefined && keys.includes(key)) ?? keys[0];
  });
  const rowOf = showChosen(() => props.chosen);
  return (
    <div class="table-room">
      <table
        class="table"
        classList={{ many: props.many ?? props.columns.length >= MANY_COLUMNS }}
        aria-label={props.label}
      >
        <thead>
          <tr>
            <For each={props.columns}>
              {(column, index) => (
                <th scope="col" classList={classesOf(column)} aria-sort={ariaSort(sort(), index())}>
                  <Show when={column.sortBy} fallback={column.title}>
                    <button type="button" class="row" onClick={() => turn(index())}>
                      {column.title}
                      <Show when={sort()?.column === index()}>
                        {sort()!.down ? (
                          <ArrowDown size={12} aria-hidden="true" />
                        ) : (
                          <ArrowUp size={12} aria-hidden="true" />
                        )}
                      </Show>
                    </button>
                  </Show>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={visible()}>
            {(row) => (
              <tr
                ref={(element) => rowOf(props.key(row), element)}
                classList={{ selectable: props.onChoose !== undefined }}
                tabIndex={props.onChoose && (props.key(row) === tabStop() ? 0 : -1)}
                aria-current={props.onChoose && props.key(row) === props.chosen ? "true" : undefined}
                onFocusIn={() => setFocused(() => props.key(row))}
                onClick={() => props.onChoose?.(row)}
                onKeyDown={(event) => walkRows(event, () => props.onChoose?.(row))}
              >
                <For each={props.columns}>
                  {(column) => <td classList={classesOf(column)}>{column.cell(row)}</td>}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={sorted().length > shown()}>
        <More
          shown={shown()}
          of={sorted().length}
          onMore={() => setShown((before) => before + SHOWN_AT_FIRST)}
        />
      </Show>
    </div>
  );
}

function More(props: {
  readonly shown: number;
  readonly of: number;
  readonly onMore: () => void;
}): JSX.Element {
  return (
    <div class="section row">
      <span class="muted small">
        Showing {props.shown} of {props.of}
      </span>
      <button type="button" class="btn small end" onClick={() => props.onMore()}>
        Show more
      </button>
    </div>
  );
}

/**
 * Scrolls a row into view when it becomes the chosen one: an address or a command may name one far down. Not again when the same row is rendered
 * once more. Returns what tells the rows.
 */
function showChosen(chosen: () => string | number | undefined) {
  const rows = new Map<string | number, HTMLElement>();
  let due = untrack(chosen);
  const show = (key: string | number, row: HTMLElement) => {
    if (key !== due) return;
    due = undefined;
    row.scrollIntoView({ block: "nearest" });
  };
  createEffect(() => {
    const key = (due = chosen());
    const row = key === undefined ? undefined : rows.get(key);
    if (row?.isConnected) show(key!, row);
  });
  return (key: string | number, row: HTMLElement) => {
    rows.set(key, row);
    if (key === due) onceLaidOut(row, () => show(key, row));
  };
}

interface Sort {
  readonly column: number;
  readonly down: boolean;
}

function createSorting<T>(props: TableProps<T>) {
  const [sort, setSort] = createSignal<Sort>();
  const sorted = createMemo(() => {
    const by = sort();
    const sortBy = by && props.columns[by.column]?.sortBy;
    if (!by || !sortBy) return props.rows;
    const rows = props.rows.toSorted((a, b) => order(sortBy(a), sortBy(b)));
    return by.down ? rows.toReversed() : rows;
  });
  const turn = (column: number) =>
    setSort((before) => ({ column, down: before?.column === column ? !before.down : false }));
  return { sort, sorted, turn };
}

/** Moves the focus with the arrow keys, Home and End; Enter and Space choose the row. */
function walkRows(event: KeyboardEvent & { currentTarget: HTMLTableRowElement }, choose: () => void): void {
  const row = event.currentTarget;
  const to = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: row.parentElement!.firstElementChild,
    End: row.parentElement!.lastElementChild,
  }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    (to as HTMLElement | null)?.focus();
  } else if ((event.key === "Enter" || event.key === " ") && event.target === row) {
    event.preventDefault();
    choose();
  }
}

function classesOf<T>({ number, optional, tight }: Column<T>): Record<string, boolean> {
  return { number: number ?? false, optional: optional ?? false, tight: tight ?? false };
}

function ariaSort(sort: Sort | undefined, column: number) {
  if (sort?.column !== column) return undefined;
  return sort.down ? "descending" : "ascending";
}

function order(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return compareNames(String(a), String(b));
}

/** Returns the rows that contain every word of the query. */
export function found<T>(rows: readonly T[], search: string, text: (row: T) => string): readonly T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const haystack = text(row).toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}
