// The files of a workspace: the tree on the left, the open files beside it. Agents write here, too: their saves show at once and never
// overwrite edits.

import { useSearchParams } from "@solidjs/router";
import FileText from "lucide-solid/icons/file-text";
import FolderTree from "lucide-solid/icons/folder-tree";
import X from "lucide-solid/icons/x";
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from "solid-js";
import { Button, IconButton } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { later } from "../../kit/later.tsx";
import { narrow } from "../../kit/screen.ts";
import { Split } from "../../kit/split.tsx";
import { Empty } from "../../kit/states.tsx";
import { saveByKey } from "../../parts/document/save-by-key.ts";
import { useHere } from "../../state/here.ts";
import { me } from "../../state/session.ts";
import { type Drafts, draftsOf } from "../../parts/document/drafts.ts";
import { NewDocument } from "../../parts/document/new-document.tsx";
import type { OpenedBy } from "../../parts/tree/tree.tsx";
import { FilePane, type LineOfFile } from "./file-pane.tsx";
import "./files.css";
import { createOpenFiles, type OpenFiles, shortNames } from "./open-files.ts";
import { createDirectories } from "./levels.ts";
import { FileTree } from "./tree.tsx";
import { workspaceFile } from "./workspace-file.ts";

/** Loads when it is opened. */
const FindPane = later(async () => (await import("./find-pane.tsx")).FindPane);

/** The files of the workspace in view, and the directories that list them. */
function createFiles() {
  const here = useHere();
  const drafts = draftsOf(me()?.id ?? 0, here.id);
  const files = createOpenFiles(me()?.id ?? 0, here.id);
  const directories = createDirectories(here.id, () => here.state().savedFiles);
  const empty = () => directories.levels().get("")?.length === 0;
  const savers = new Map<string, () => void>();
  const [naming, setNaming] = createSignal(false);
  /** On narrow screens, over the open file. */
  const [treeOpen, setTreeOpen] = createSignal(false);
  const [finding, setFinding] = createSignal(false);
  const [target, setTarget] = createSignal<LineOfFile>();
  const front = () => here.view() === "files";
  const tabs = createTabs(front, files, drafts, () => narrow() && setTreeOpen(false));
  const create = (path: string) => {
    setNaming(false);
    tabs.create(path);
  };
  saveByKey(front, () => savers.get(files.current() ?? "")?.());
  /** On narrow screens without an open file, the tree is the page. */
  const treeIsPage = () => narrow() && files.current() === undefined;
  const openFrom = (path: string, by: OpenedBy) => {
    tabs.setWanted(by === "key" ? path : undefined);
    setTreeOpen(false);
    tabs.show(path);
  };
  const openLine = (path: string, line: number) => {
    setTarget({ path, line });
    openFrom(path, "pointer");
  };
  const isTreeOpen = () => !narrow() || (treeOpen() && !treeIsPage());
  const tree = { isOpen: isTreeOpen, isPage: treeIsPage, turn: setTreeOpen };
  return {
    here,
    drafts,
    files,
    directories,
    empty,
    savers,
    naming,
    setNaming,
    tabs,
    create,
    openFrom,
    openLine,
    finding,
    setFinding,
    target,
    tree,
  };
}

/** The tree, or what was found in files. */
function Side(props: { readonly all: ReturnType<typeof createFiles> }): JSX.Element {
  const { all } = props;
  return (
    <Show
      when={all.finding()}
      fallback={
        <FileTree
          directories={all.directories}
          chosen={all.files.current()}
          drafts={all.drafts.paths()}
          onOpen={all.openFrom}
          onNew={() => all.setNaming(true)}
          onFind={() => all.setFinding(true)}
        />
      }
    >
      <FindPane onOpen={all.openLine} onClose={() => all.setFinding(false)} />
    </Show>
  );
}

export function Files(): JSX.Element {
  const all = createFiles();
  const { here, drafts, files, empty, savers, naming, setNaming, create } = all;
  const { wanted, mounted, show, close } = all.tabs;
  const tree = () => <Side all={all} />;
  return (
    <>
      <Split
        name="files"
        at="start"
        size={256}
        min={168}
        max={520}
        sideLabel="Workspace files"
        open={all.tree.isOpen()}
        onClose={() => all.tree.turn(false)}
        side={tree()}
        main={
          <div class="files-main">
            <h1 class="visually-hidden">Files</h1>
            <Show when={files.paths().length > 0}>
              <OpenFileList
                paths={files.paths()}
                current={files.current()}
                drafts={drafts.paths()}
                onShow={show}
                onClose={(path) => void close(path)}
                onTree={() => all.tree.turn(true)}
              />
            </Show>
            <div class="files-panes">
              <Show when={all.tree.isPage() && !empty()}>{tree()}</Show>
              <Show when={files.current() === undefined && (empty() || !narrow())}>
                <NothingOpen empty={empty()} onNew={() => setNaming(true)} />
              </Show>
              <For each={mounted()}>
                {(path) => (
                  <FilePane
                    path={path}
                    drafts={drafts}
                    front={files.current() === path}
                    autofocus={wanted() === path}
                    goTo={all.target()?.path === path ? all.target() : undefined}
                    onSaver={(save) => (save ? savers.set(path, save) : savers.delete(path))}
                    onCreate={() => create(path)}
                  />
                )}
              </For>
            </div>
          </div>
        }
      />
      <NewDocument
        open={naming()}
        noun="file"
        read={(path) => workspaceFile(here.id, path).read()}
        directory={directoryOf(files.current())}
        onClose={() => setNaming(false)}
        onNamed={create}
      />
    </>
  );
}

/** Which files are open in tabs, which of them is shown, and the address that names it. */
function createTabs(front: () => boolean, files: OpenFiles, drafts: Drafts, onShown: () => void) {
  const [params, setParams] = useSearchParams<{ path: string }>();
  const [visited, setVisited] = createSignal<ReadonlySet<string>>(new Set());
  /** The file that takes the focus once it is loaded. */
  const [wanted, setWanted] = createSignal<string>();
  const mounted = createMemo(() => files.paths().filter((path) => visited().has(path)));
  const show = (path: string | undefined) => setParams({ path }, { scroll: false });
  const bring = (path: string) => {
    files.open(path, (one) => !drafts.paths().has(one));
    setVisited((before) => new Set(before).add(path));
    onShown();
  };
  // The address belongs to the view in front; when this view returns, it sets its file again.
  createEffect(
    on(
      () => [front(), params.path] as const,
      ([inFront, path]) => {
        if (!inFront) return;
        const remembered = files.current();
        if (typeof path === "string" && path !== "") bring(path);
        else if (remembered !== undefined) setParams({ path: remembered }, { replace: true, scroll: false });
      },
    ),
  );
  const create = (path: string) => {
    drafts.set(path, { text: "", version: null });
    // It may be open already as a missing file.
    setVisited((before) => new Set([...before].filter((one) => one !== path)));
    setWanted(path);
    bring(path);
    show(path);
  };
  const close = async (path: string) => {
    if (drafts.paths().has(path) && !(await mayDrop(path))) return;
    drafts.drop(path);
    files.close(path);
    setVisited((before) => new Set([...before].filter((one) => one !== path)));
    show(files.current());
  };
  return { wanted, setWanted, mounted, show, create, close };
}

function directoryOf(path: string | undefined): string {
  return path?.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

function mayDrop(path: string): Promise<boolean> {
  return confirm({
    title: "Close without saving?",
    text: (
      <>
        Your unsaved changes to <bdi class="mono">{path}</bdi> will be lost.
      </>
    ),
    action: "Close without saving",
  });
}

function OpenFileList(props: {
  readonly paths: readonly string[];
  readonly current: string | undefined;
  readonly drafts: ReadonlySet<string>;
  readonly onShow: (path: string) => void;
  readonly onClose: (path: string) => void;
  readonly onTree: () => void;
}): JSX.Element {
  const names = createMemo(() => shortNames(props.paths));
  return (
    <nav class="files-open" aria-label="Open files">
      <Show when={narrow()}>
        <IconButton small label="Show files" onClick={props.onTree}>
          <FolderTree aria-hidden="true" />
        </IconButton>
      </Show>
      <ul>
        <For each={props.paths}>
          {(path) => (
            <li classList={{ current: path === props.current }}>
              <button
                type="button"
                class="files-tab"
                title={path}
                aria-current={path === props.current ? "page" : undefined}
                ref={(element) => createEffect(() => path === props.current && intoView(element))}
                onClick={() => props.onShow(path)}
                onAuxClick={(event) => event.button === 1 && props.onClose(path)}
              >
                <bdi class="ellipsis">{names().get(path)?.name}</bdi>
                <Show when={names().get(path)?.directory}>
                  {(directory) => <bdi class="faint ellipsis">{directory()}</bdi>}
                </Show>
                <Show when={props.drafts.has(path)}>
                  <span class="dot wait" />
                  <span class="visually-hidden">, unsaved</span>
                </Show>
              </button>
              <button
                type="button"
                class="files-close"
                aria-label={`Close ${path}`}
                onClick={() => props.onClose(path)}
              >
                <X size={13} aria-hidden="true" />
              </button>
            </li>
          )}
        </For>
      </ul>
    </nav>
  );
}

/** Scrolls only the list itself. */
function intoView(element: HTMLElement): void {
  const item = element.parentElement;
  const list = item?.parentElement;
  if (!item || !list) return;
  const end = item.offsetLeft + item.offsetWidth;
  if (item.offsetLeft < list.scrollLeft) list.scrollLeft = item.offsetLeft;
  else if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
}

function NothingOpen(props: { readonly empty: boolean; readonly onNew: () => void }): JSX.Element {
  return (
    <Empty
      title={props.empty ? "No files yet" : "No file open"}
      icon={<FileText aria-hidden="true" />}
      actions={
        <Button kind={props.empty ? "primary" : "plain"} onClick={props.onNew}>
          Create file
        </Button>
      }
    >
      People and agents of this workspace share these files.
    </Empty>
  );
}
