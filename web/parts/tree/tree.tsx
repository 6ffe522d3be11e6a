// A tree of files, after the ARIA tree pattern with one tab stop: up and down move, right and left open and close, Enter opens a file and focuses
// it, letters jump. Only visible rows are in the page.

import ChevronRight from "lucide-solid/icons/chevron-right";
import FileText from "lucide-solid/icons/file-text";
import FileX from "lucide-solid/icons/file-x";
import Folder from "lucide-solid/icons/folder";
import {
  createEffect,
  createMemo,
  createSignal,
  createUniqueId,
  For,
  type JSX,
  on,
  onCleanup,
  Show,
} from "solid-js";
import { narrow } from "../../kit/screen.ts";
import { type Levels, move, rowsOf, type TreeEntry, type TreeRow } from "./tree-rows.ts";
import "./tree.css";

const ROW_PX = 26;
/** For touch. */
const ROW_NARROW_PX = 36;
const ROWS_BEYOND = 8;

/** With a key, the opened text gets the focus. */
export type OpenedBy = "key" | "pointer";

interface TreeProps<T extends TreeEntry> {
  readonly label: string;
  readonly levels: Levels<T>;
  readonly open: ReadonlySet<string>;
  readonly onToggle: (path: string) => void;
  readonly chosen: string | undefined;
  /** Paths with unsaved edits. */
  readonly drafts: ReadonlySet<string>;
  readonly onOpen: (path: string, by: OpenedBy) => void;
  readonly titleOf: (entry: T) => string;
  readonly markOf?: ((entry: T) => TreeMark | undefined) | undefined;
}

/** A word after the name. */
interface TreeMark {
  readonly word: string;
  /** The name is struck through. */
  readonly gone?: boolean;
}

/** The row that the keys act on. It follows the chosen file. */
function createCursor<T extends TreeEntry>(
  props: TreeProps<T>,
  rows: () => readonly TreeRow<T>[],
  shown: RowWindow<T>,
) {
  const { sized, scrollTo } = shown;
  const [active, setActive] = createSignal<string>();
  const indexOf = (path: string | undefined) => rows().findIndex(({ entry }) => entry.path === path);
  const activeIndex = createMemo(() => Math.max(0, indexOf(active() ?? props.chosen)));
  /** Whether the person has moved it since the file was chosen. */
  let hasMoved = false;
  createEffect(
    on(
      () => props.chosen,
      () => (hasMoved = false),
    ),
  );
  const moveTo = (path: string | undefined) => {
    hasMoved = true;
    setActive(path);
  };
  // Reveals a file that was opened from elsewhere, once its directories are loaded.
  const chosenIsThere = createMemo(() => (indexOf(props.chosen) < 0 ? undefined : props.chosen));
  createEffect(
    on([chosenIsThere, sized], ([path, isSized]) => {
      if (path === undefined || hasMoved || !isSized) return;
      setActive(path);
      scrollTo(indexOf(path));
    }),
  );
  const activate = ({ kind, path }: T, by: OpenedBy) => {
    moveTo(path);
    if (kind === "directory") props.onToggle(path);
    else if (kind === "file") props.onOpen(path, by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows()[activeIndex()];
    if (!row) return;
    const enters = event.key === "Enter" || event.key === " ";
    const moved = move(event.key, rows(), activeIndex(), props.open);
    if (!enters && moved === undefined) return;
    event.preventDefault();
    if (enters || moved === "toggle") activate(row.entry, event.key === "Enter" ? "key" : "pointer");
    else {
      moveTo(rows()[moved!.to]?.entry.path);
      scrollTo(moved!.to);
    }
  };
  return { activeIndex, activate, onKeyDown };
}

export function Tree<T extends TreeEntry>(props: TreeProps<T>): JSX.Element {
  const prefix = createUniqueId();
  const rows = createMemo(() => rowsOf(props.levels, props.open));
  const shown = createRowWindow(rows);
  const { first, inSight, rowPx, setTree, setTop } = shown;
  const { activeIndex, activate, onKeyDown } = createCursor(props, rows, shown);
  const activeInSight = () =>
    activeIndex() >= first() && activeIndex() < first() + inSight().length
      ? `${prefix}-${activeIndex()}`
      : undefined;
  return (
    <div
      class="tree"
      role="tree"
      aria-label={props.label}
      tabIndex={0}
      aria-activedescendant={activeInSight()}
      ref={setTree}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="tree-all" role="none" style={{ height: `${rows().length * rowPx()}px` }}>
        <For each={inSight()}>
          {(row, at) => (
            <Row
              row={row}
              id={`${prefix}-${first() + at()}`}
              top={(first() + at()) * rowPx()}
              open={props.open.has(row.entry.path)}
              chosen={row.entry.path === props.chosen}
              active={first() + at() === activeIndex()}
              draft={props.drafts.has(row.entry.path)}
              title={props.titleOf(row.entry)}
              mark={props.markOf?.(row.entry)}
              onPress={() => activate(row.entry, "pointer")}
            />
          )}
        </For>
      </div>
    </div>
  );
}

type RowWindow<T extends TreeEntry> = ReturnType<typeof createRowWindow<T>>;

/** The part of the rows that is rendered: those in sight and a few beyond. */
function createRowWindow<T extends TreeEntry>(rows: () => readonly TreeRow<T>[]) {
  const [tree, setTree] = createSignal<HTMLDivElement>();
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(0);
  const rowPx = () => (narrow() ? ROW_NARROW_PX : ROW_PX);
  const first = createMemo(() => Math.max(0, Math.floor(top() / rowPx()) - ROWS_BEYOND));
  const inSight = createMemo(() =>
    rows().slice(first(), Math.ceil((top() + height()) / rowPx()) + ROWS_BEYOND),
  );
  createEffect(() => {
    const element = tree();
    if (!element) return;
    const room = new ResizeObserver(() => setHeight(element.clientHeight));
    room.observe(element);
    onCleanup(() => room.disconnect());
  });
  const scrollTo = (index: number) => {
    const element = tree();
    if (!element || index < 0) return;
    const start = index * rowPx();
    if (start < element.scrollTop) element.scrollTop = start;
    else if (start + rowPx() > element.scrollTop + element.clientHeight)
      element.scrollTop = start + rowPx() - element.clientHeight;
  };
  return { first, inSight, rowPx, sized: () => height() > 0, setTree, setTop, scrollTo };
}

function Row(props: {
  readonly row: TreeRow;
  readonly id: string;
  readonly top: number;
  readonly open: boolean;
  readonly chosen: boolean;
  readonly active: boolean;
  readonly draft: boolean;
  readonly title: string;
  readonly mark: TreeMark | undefined;
  readonly onPress: () => void;
}): JSX.Element {
  const { entry, level } = props.row;
  const directory = entry.kind === "directory";
  return (
    <div
      role="treeitem"
      id={props.id}
      class="tree-row"
      classList={{
        chosen: props.chosen,
        active: props.active,
        other: entry.kind === "other",
        gone: props.mark?.gone ?? false,
      }}
      aria-level={level}
      aria-posinset={props.row.position}
      aria-setsize={props.row.of}
      aria-expanded={directory ? props.open : undefined}
      aria-selected={props.chosen}
      aria-disabled={entry.kind === "other" ? true : undefined}
      style={{ "--level": level, top: `${props.top}px` }}
      title={props.title}
      onClick={() => props.onPress()}
    >
      <Show
        when={directory}
        fallback={
          entry.kind === "file" ? (
            <FileText class="tree-icon" size={14} aria-hidden="true" />
          ) : (
            <FileX class="tree-icon" size={14} aria-hidden="true" />
          )
        }
      >
        <ChevronRight class="tree-arrow" size={13} aria-hidden="true" />
        <Folder class="tree-icon" size={14} aria-hidden="true" />
      </Show>
      <bdi class="ellipsis">{entry.name}</bdi>
      <Show when={props.mark}>
        {(mark) => (
          <span class="tree-mark">
            <span class="visually-hidden">, </span>
            {mark().word}
          </span>
        )}
      </Show>
      <Show when={props.draft}>
        <span class="dot wait" />
        <span class="visually-hidden">, unsaved</span>
      </Show>
    </div>
  );
}
