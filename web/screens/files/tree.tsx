// The file tree, after the ARIA tree pattern with one tab stop: up and down move, right and left open and close, Enter opens a file and focuses
// it, letters jump. Only visible rows are in the page.

import ChevronRight from "lucide-solid/icons/chevron-right";
import FilePlus from "lucide-solid/icons/file-plus";
import FileText from "lucide-solid/icons/file-text";
import FileX from "lucide-solid/icons/file-x";
import Folder from "lucide-solid/icons/folder";
import RefreshCw from "lucide-solid/icons/refresh-cw";
import {
  createEffect,
  createMemo,
  createSignal,
  createUniqueId,
  For,
  type JSX,
  Match,
  on,
  onCleanup,
  Show,
  Switch,
} from "solid-js";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import { IconButton } from "../../kit/button.tsx";
import { bytes } from "../../kit/format.ts";
import { narrow } from "../../kit/screen.ts";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import type { Directories } from "./levels.ts";
import { move, rowsOf, type TreeRow } from "./tree-rows.ts";

const ROW_PX = 26;
/** For touch. */
const ROW_NARROW_PX = 36;
const ROWS_BEYOND = 8;

interface TreeProps {
  readonly directories: Directories;
  readonly chosen: string | undefined;
  readonly drafts: ReadonlySet<string>;
  readonly onOpen: (path: string, byKey: boolean) => void;
  readonly onNew: () => void;
}

export function FileTree(props: TreeProps): JSX.Element {
  const { directories } = props;
  createEffect(
    on(
      () => props.chosen,
      (path) => path !== undefined && directories.reveal(path),
    ),
  );
  const root = () => directories.levels().get("");
  return (
    <div class="files-side">
      <div class="files-head">
        <h2 class="heading">Files</h2>
        <IconButton small label="Refresh" onClick={directories.readAll}>
          <RefreshCw aria-hidden="true" />
        </IconButton>
        <IconButton small label="Create file" onClick={props.onNew}>
          <FilePlus aria-hidden="true" />
        </IconButton>
      </div>
      <Show when={directories.problem()}>
        {(problem) => (
          <div class="files-problem">
            <ProblemNotice problem={problem()} onRetry={directories.readAll} />
          </div>
        )}
      </Show>
      <Switch fallback={<Show when={!directories.problem()}>{<Skeleton label="Loading files" />}</Show>}>
        <Match when={root()?.length === 0}>
          <p class="files-none">None yet</p>
        </Match>
        <Match when={root()}>
          <Rows {...props} />
        </Match>
      </Switch>
    </div>
  );
}

/** The row that the keys act on. It follows the chosen file. */
function createCursor(props: TreeProps, rows: () => readonly TreeRow[], shown: RowWindow) {
  const { open, toggle } = props.directories;
  const { sized, scrollTo } = shown;
  const [active, setActive] = createSignal<string>();
  const indexOf = (path: string | undefined) => rows().findIndex(({ entry }) => entry.path === path);
  const activeIndex = createMemo(() => Math.max(0, indexOf(active() ?? props.chosen)));
  // Reveals a file that was opened from elsewhere, once its directories are loaded.
  const chosenIsThere = createMemo(() => (indexOf(props.chosen) < 0 ? undefined : props.chosen));
  createEffect(
    on([chosenIsThere, sized], ([path, isSized]) => {
      if (path === undefined || !isSized) return;
      setActive(path);
      scrollTo(indexOf(path));
    }),
  );
  const activate = ({ kind, path }: FileEntry, byKey: boolean) => {
    setActive(path);
    if (kind === "directory") toggle(path);
    else if (kind === "file") props.onOpen(path, byKey);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows()[activeIndex()];
    if (!row) return;
    const enters = event.key === "Enter" || event.key === " ";
    const moved = move(event.key, rows(), activeIndex(), open());
    if (!enters && moved === undefined) return;
    event.preventDefault();
    if (enters || moved === "toggle") activate(row.entry, event.key === "Enter");
    else {
      setActive(rows()[moved!.to]?.entry.path);
      scrollTo(moved!.to);
    }
  };
  return { activeIndex, activate, onKeyDown };
}

function Rows(props: TreeProps): JSX.Element {
  const { levels, open } = props.directories;
  const prefix = createUniqueId();
  const rows = createMemo(() => rowsOf(levels(), open()));
  const shown = createRowWindow(rows);
  const { first, inSight, rowPx, setTree, setTop } = shown;
  const { activeIndex, activate, onKeyDown } = createCursor(props, rows, shown);
  const activeInSight = () =>
    activeIndex() >= first() && activeIndex() < first() + inSight().length
      ? `${prefix}-${activeIndex()}`
      : undefined;
  return (
    <div
      class="files-tree"
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={activeInSight()}
      ref={setTree}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="files-all" role="none" style={{ height: `${rows().length * rowPx()}px` }}>
        <For each={inSight()}>
          {(row, at) => (
            <Row
              row={row}
              id={`${prefix}-${first() + at()}`}
              top={(first() + at()) * rowPx()}
              open={open().has(row.entry.path)}
              chosen={row.entry.path === props.chosen}
              active={first() + at() === activeIndex()}
              draft={props.drafts.has(row.entry.path)}
              onPress={() => activate(row.entry, false)}
            />
          )}
        </For>
      </div>
    </div>
  );
}

type RowWindow = ReturnType<typeof createRowWindow>;

/** The part of the rows that is rendered: those in sight and a few beyond. */
function createRowWindow(rows: () => readonly TreeRow[]) {
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
  readonly onPress: () => void;
}): JSX.Element {
  const { entry, level } = props.row;
  const directory = entry.kind === "directory";
  return (
    <div
      role="treeitem"
      id={props.id}
      class="files-row"
      classList={{ chosen: props.chosen, active: props.active, other: entry.kind === "other" }}
      aria-level={level}
      aria-posinset={props.row.position}
      aria-setsize={props.row.of}
      aria-expanded={directory ? props.open : undefined}
      aria-selected={props.chosen}
      aria-disabled={entry.kind === "other" ? true : undefined}
      style={{ "--level": level, top: `${props.top}px` }}
      title={titleOf(entry)}
      onClick={() => props.onPress()}
    >
      <Show
        when={directory}
        fallback={
          entry.kind === "file" ? (
            <FileText class="files-icon" size={14} aria-hidden="true" />
          ) : (
            <FileX class="files-icon" size={14} aria-hidden="true" />
          )
        }
      >
        <ChevronRight class="files-arrow" size={13} aria-hidden="true" />
        <Folder class="files-icon" size={14} aria-hidden="true" />
      </Show>
      <bdi class="ellipsis">{entry.name}</bdi>
      <Show when={props.draft}>
        <span class="dot wait" />
        <span class="visually-hidden">, unsaved</span>
      </Show>
    </div>
  );
}

function titleOf({ path, kind, size }: FileEntry): string {
  if (kind === "other") return `${path}: cannot be opened here`;
  return size === null ? path : `${path}, ${bytes(size)}`;
}
