// The memory of a workspace's agents: its branch as a tree, and the open document with its versions. Agents write here while it is open.

import { useSearchParams } from "@solidjs/router";
import Brain from "lucide-solid/icons/brain";
import FolderTree from "lucide-solid/icons/folder-tree";
import Paperclip from "lucide-solid/icons/paperclip";
import RefreshCw from "lucide-solid/icons/refresh-cw";
import { createEffect, createMemo, createSignal, type JSX, Match, on, Show, Switch } from "solid-js";
import type { ContextFile } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { createQuery } from "../../api/query.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { ago, bytes } from "../../kit/format.ts";
import { now } from "../../kit/pieces.tsx";
import { narrow } from "../../kit/screen.ts";
import { Split } from "../../kit/split.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { Tree } from "../../parts/tree/tree.tsx";
import { useHere, useSelection } from "../../state/here.ts";
import { spaceQuery } from "../../state/lists.ts";
import { SpaceAbsent } from "../../parts/memory/space-absent.tsx";
import { pathInBranch } from "../../parts/memory/paths.ts";
import { type BranchEntry, directoriesOf, levelsOf } from "./branch.ts";
import { DocumentPane } from "./document-pane.tsx";
import "./memory.css";

export function Memory(): JSX.Element {
  const memory = createMemory();
  const { files, problem, refresh } = memory;
  return (
    <div class="memory">
      <h1 class="visually-hidden">Memory</h1>
      <Switch fallback={<Show when={!problem()}>{<Skeleton label="Loading memory" />}</Show>}>
        <Match when={files.data() === undefined && problem()?.code === "unavailable" && problem()}>
          {(why) => <NoMemory problem={why()} onRetry={refresh} />}
        </Match>
        <Match when={files.data() === undefined && problem()}>
          {(why) => (
            <div class="section">
              <ProblemNotice problem={why()} onRetry={refresh} />
            </div>
          )}
        </Match>
        <Match when={files.data()?.length === 0 && memory.chosen() === undefined}>
          <NothingYet onBound={memory.showBound} />
        </Match>
        <Match when={files.data()}>
          <Documents memory={memory} />
        </Match>
      </Switch>
    </div>
  );
}

type MemoryModel = ReturnType<typeof createMemory>;

/** The documents, which of them is open, and the address that names it. */
function createMemory() {
  const here = useHere();
  const [, select] = useSelection();
  const [params, setParams] = useSearchParams<{ document: string; version: string }>();
  const branch = () => here.state().workspace.branch;
  const files = createQuery(() => ({
    key: ["memory", here.id],
    read: () => take(api.workspaces({ id: here.id }).memory.get()),
  }));
  const refresh = () => void files.refresh();
  // Without the memo, every event of the workspace would read them again.
  const writes = createMemo(() => here.state().memoryWrites);
  createEffect(on(writes, refresh, { defer: true }));
  const front = () => here.view() === "memory";
  const [chosen, setChosen] = createSignal<string>();
  const [version, setVersion] = createSignal<number>();
  // The address belongs to the view in front; when this view returns, it sets its document again.
  createEffect(
    on(
      () => [front(), params.document, params.version] as const,
      ([inFront, path, at]) => {
        if (!inFront) return;
        if (typeof path === "string" && path !== "") {
          setChosen(path);
          setVersion(/^[1-9]\d{0,14}$/.test(at ?? "") ? Number(at) : undefined);
        } else if (chosen() !== undefined) show(chosen(), version());
      },
    ),
  );
  const show = (path: string | undefined, at?: number) =>
    setParams({ document: path, version: at }, { replace: path === chosen(), scroll: false });
  const close = () => {
    setChosen(undefined);
    show(undefined);
  };
  return {
    here,
    branch,
    files,
    problem: files.problem,
    refresh,
    chosen,
    version,
    show,
    close,
    showBound: () => select({ kind: "workspace", id: here.id }),
  };
}

function Documents(props: { readonly memory: MemoryModel }): JSX.Element {
  const { branch, files, chosen, version, show } = props.memory;
  const [treeOpen, setTreeOpen] = createSignal(false);
  const levels = createMemo(() => levelsOf(branch(), files.data() ?? []));
  const found = createMemo(() => files.data()?.find(({ path }) => pathInBranch(branch(), path) === chosen()));
  const treeIsPage = () => narrow() && chosen() === undefined;
  const open = (path: string) => {
    setTreeOpen(false);
    show(path);
  };
  const side = () => <Side memory={props.memory} levels={levels()} onOpen={open} />;
  return (
    <Split
      name="memory"
      at="start"
      size={272}
      min={180}
      max={520}
      sideLabel="Documents in memory"
      open={!narrow() || (treeOpen() && !treeIsPage())}
      onClose={() => setTreeOpen(false)}
      side={side()}
      main={
        <div class="memory-main">
          <Show when={treeIsPage()}>{side()}</Show>
          <Show when={chosen() === undefined && !narrow()}>
            <Empty title="No document open" icon={<Brain aria-hidden="true" />}>
              Select a document to read it and to see which turn wrote it.
            </Empty>
          </Show>
          <Show when={chosen()} keyed>
            {(path) => (
              <DocumentPane
                path={`${branch()}/${path}`}
                name={path}
                file={found()}
                version={version()}
                onVersion={(at) => show(path, at)}
                onClose={props.memory.close}
                before={
                  <Show when={narrow()}>
                    <IconButton small label="Show documents" onClick={() => setTreeOpen(true)}>
                      <FolderTree aria-hidden="true" />
                    </IconButton>
                  </Show>
                }
              />
            )}
          </Show>
        </div>
      }
    />
  );
}

function Side(props: {
  readonly memory: MemoryModel;
  readonly levels: ReturnType<typeof levelsOf>;
  readonly onOpen: (path: string) => void;
}): JSX.Element {
  const { files, problem, refresh, chosen, showBound } = props.memory;
  /** Directories that the person closed; all others are open. */
  const [closed, setClosed] = createSignal<ReadonlySet<string>>(new Set());
  const open = createMemo(
    () => new Set([...directoriesOf(props.levels)].filter((path) => !closed().has(path))),
  );
  const toggle = (path: string) =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  return (
    <div class="memory-side">
      <div class="memory-head">
        <h2 class="heading">Memory</h2>
        <IconButton small label="Refresh" onClick={refresh}>
          <RefreshCw aria-hidden="true" />
        </IconButton>
        <IconButton small label="Show bound documents" onClick={showBound}>
          <Paperclip aria-hidden="true" />
        </IconButton>
      </div>
      <Show when={files.data() !== undefined && problem()}>
        {(why) => (
          <div class="memory-problem">
            <ProblemNotice problem={why()} onRetry={refresh} />
          </div>
        )}
      </Show>
      <Tree
        label="Memory"
        levels={props.levels}
        open={open()}
        onToggle={toggle}
        chosen={chosen()}
        drafts={NO_DRAFTS}
        onOpen={props.onOpen}
        titleOf={titleOf}
        markOf={({ file }) => {
          const word = file && STATES[file.state];
          return word === undefined ? undefined : { word };
        }}
      />
    </div>
  );
}

const NO_DRAFTS: ReadonlySet<string> = new Set();

/** States of documents that somebody changed in the folder of the space. */
const STATES: Readonly<Record<string, string>> = {
  modified: "edited by hand",
  untracked: "not recorded",
  missing: "missing",
  refused: "refused",
};

function titleOf({ path, file }: BranchEntry): string {
  return file === undefined ? path : `${path}, ${about(file)}`;
}

function about({ version, size, updated_at, author }: ContextFile): string {
  const at = version === null ? "not recorded yet" : `version ${version}`;
  return `${at}, ${bytes(size)}, by ${author}, ${ago(updated_at, now())}`;
}

function NothingYet(props: { readonly onBound: () => void }): JSX.Element {
  return (
    <Empty
      title="Nothing remembered yet"
      icon={<Brain aria-hidden="true" />}
      actions={<Button onClick={props.onBound}>Show bound documents</Button>}
    >
      Agents write documents here that outlive the conversation: for all agents of this workspace, or for
      themselves. Ask one to remember something.
    </Empty>
  );
}

/** There is no space, or it does not answer. It is found again without a reload. */
function NoMemory(props: { readonly problem: Problem; readonly onRetry: () => void }): JSX.Element {
  const status = spaceQuery();
  createEffect(
    on(
      () => status.data()?.available,
      (available) => available && props.onRetry(),
    ),
  );
  const absent = () => (status.data()?.available === false ? status.data() : undefined);
  return (
    <Show
      when={absent()}
      fallback={
        <div class="section">
          <ProblemNotice problem={props.problem} onRetry={props.onRetry} />
        </div>
      }
    >
      {(told) => <SpaceAbsent status={told()} onRetry={status.refresh} />}
    </Show>
  );
}
