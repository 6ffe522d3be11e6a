// The documents of the space: the tree or the search results on the left, the chosen document beside them. The address names the document and the
// view.

import { useSearchParams } from "@solidjs/router";
import FilePlus from "lucide-solid/icons/file-plus";
import FolderTree from "lucide-solid/icons/folder-tree";
import NotebookText from "lucide-solid/icons/notebook-text";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import type { ContextFile, ContextStatus } from "../../../src/service/memory/schema.ts";
import { useActions } from "../../frame/offered-actions.ts";
import { documentMeant } from "../../kit/document-links.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { narrow } from "../../kit/screen.ts";
import { Split } from "../../kit/split.tsx";
import { Empty } from "../../kit/states.tsx";
import { draftsOf } from "../../parts/document/drafts.ts";
import { NewDocument } from "../../parts/document/new-document.tsx";
import { saveByKey } from "../../parts/document/save-by-key.ts";
import type { OpenedBy } from "../../parts/tree/tree.tsx";
import { me } from "../../state/session.ts";
import { spaceDocument } from "./documents.ts";
import { DocumentPane } from "./pane.tsx";
import { Side } from "./side.tsx";
import { type DocumentView, documentViews } from "./views.ts";

interface DocumentsProps {
  readonly files: readonly ContextFile[];
  readonly status: ContextStatus;
  readonly onRefresh: () => Promise<void>;
}

export function Documents(props: DocumentsProps): JSX.Element {
  const all = createDocuments(props);
  const { path, drafts } = all;
  const side = () => (
    <Side
      files={props.files}
      status={props.status}
      chosen={path()}
      drafts={drafts.paths()}
      onOpen={all.open}
      onNew={() => all.setNaming(true)}
      onRefresh={props.onRefresh}
    />
  );
  return (
    <>
      <Split
        name="context"
        at="start"
        size={300}
        min={200}
        max={620}
        sideLabel="Documents"
        open={all.isTreeOpen()}
        onClose={() => all.setTreeOpen(false)}
        side={side()}
        main={
          <div class="context-main">
            <Show when={all.treeIsPage() && !all.isEmpty()}>{side()}</Show>
            <Main {...props} all={all} />
          </div>
        }
      />
      <NewDocument
        open={all.naming()}
        noun="document"
        read={(wanted) => spaceDocument(wanted).read()}
        directory={folderOf(path())}
        onClose={() => all.setNaming(false)}
        onNamed={all.create}
      />
    </>
  );
}

function Main(props: DocumentsProps & { readonly all: ReturnType<typeof createDocuments> }): JSX.Element {
  const { all } = props;
  return (
    <>
      <Show when={all.path() === undefined && (all.isEmpty() || !narrow())}>
        <NothingOpen
          empty={all.isEmpty()}
          name={props.status.space ?? ""}
          onNew={() => all.setNaming(true)}
        />
      </Show>
      <Show when={all.path()} keyed>
        {(path) => (
          <DocumentPane
            path={path}
            file={all.file()}
            view={all.view()}
            onView={all.show}
            drafts={all.drafts}
            autofocus={all.wanted() === path}
            onSaver={all.setSaver}
            onCreate={() => all.create(path)}
            onDrop={() => all.drop(path)}
            before={<ShowTree onOpen={() => all.setTreeOpen(true)} />}
          />
        )}
      </Show>
    </>
  );
}

/** On narrow screens, where the tree is a sheet. */
function ShowTree(props: { readonly onOpen: () => void }): JSX.Element {
  return (
    <Show when={narrow()}>
      <IconButton small label="Show documents" onClick={() => props.onOpen()}>
        <FolderTree aria-hidden="true" />
      </IconButton>
    </Show>
  );
}

/** The chosen document, its view, and what is open around it. */
function createDocuments(props: DocumentsProps) {
  const [params, setParams] = useSearchParams<{ path: string; view: string }>();
  const drafts = draftsOf(me()?.id ?? 0, "context");
  const [naming, setNaming] = createSignal(false);
  /** On narrow screens, over the document. */
  const [treeOpen, setTreeOpen] = createSignal(false);
  /** The document that takes the focus once it is loaded. */
  const [wanted, setWanted] = createSignal<string>();
  let saver: (() => void) | undefined;
  const states = createMemo(() => new Map(props.files.map((one) => [one.path, one.state])));
  const isLive = (one: string) => states().has(one) && states().get(one) !== "deleted";
  const path = createMemo(() => {
    const given = params.path;
    if (given === undefined || given === "") return undefined;
    return drafts.paths().has(given) || states().has(given) ? given : documentMeant(given, isLive);
  });
  const view = (): DocumentView => documentViews.find((one) => one === params.view) ?? "read";
  const file = createMemo(() => props.files.find((one) => one.path === path()));
  const isEmpty = () => props.files.every(({ state }) => state === "deleted");
  const goTo = (next: string, in_: DocumentView) => {
    setTreeOpen(false);
    setParams({ path: next, view: in_ === "read" ? undefined : in_ }, { scroll: false });
  };
  const open = (next: string, by: OpenedBy) => {
    setWanted(by === "key" ? next : undefined);
    goTo(next, "read");
  };
  const show = (next: DocumentView) =>
    setParams({ view: next === "read" ? undefined : next }, { scroll: false, replace: true });
  const create = (next: string) => {
    setNaming(false);
    if (drafts.get(next) === undefined) drafts.set(next, { text: "", version: null });
    setWanted(next);
    goTo(next, "edit");
  };
  const drop = (one: string) => {
    drafts.drop(one);
    setParams({ path: undefined, view: undefined }, { scroll: false });
  };
  saveByKey(
    () => path() !== undefined,
    () => saver?.(),
  );
  useActions(() => [
    { label: "Create document", icon: <FilePlus aria-hidden="true" />, run: () => setNaming(true) },
    { label: "Refresh documents", run: () => void props.onRefresh() },
  ]);
  const treeIsPage = () => narrow() && path() === undefined;
  const isTreeOpen = () => (narrow() ? treeOpen() && !treeIsPage() : true);
  const setSaver = (save: (() => void) | undefined) => (saver = save);
  return {
    path,
    view,
    file,
    drafts,
    isEmpty,
    open,
    show,
    create,
    drop,
    wanted,
    naming,
    setNaming,
    setTreeOpen,
    isTreeOpen,
    treeIsPage,
    setSaver,
  };
}

function folderOf(path: string | undefined): string {
  return path?.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

function NothingOpen(props: {
  readonly empty: boolean;
  readonly name: string;
  readonly onNew: () => void;
}): JSX.Element {
  return (
    <Empty
      title={props.empty ? "No documents yet" : "No document open"}
      icon={<NotebookText aria-hidden="true" />}
      actions={
        <Button kind={props.empty ? "primary" : "plain"} onClick={() => props.onNew()}>
          Create document
        </Button>
      }
    >
      The space <bdi class="strong">{props.name}</bdi> holds what people write for agents, and what agents
      remember under <span class="mono">workspaces/</span>. Every change is a version.
    </Empty>
  );
}
