// The pane with the tree of a workspace's files, and the buttons above it.

import FilePlus from "lucide-solid/icons/file-plus";
import RefreshCw from "lucide-solid/icons/refresh-cw";
import Search from "lucide-solid/icons/search";
import { createEffect, type JSX, Match, on, Show, Switch } from "solid-js";
import type { FileEntry } from "../../../src/service/files/schema.ts";
import { IconButton } from "../../kit/button.tsx";
import { bytes } from "../../kit/format.ts";
import { ProblemNotice, Skeleton } from "../../kit/states.tsx";
import { type OpenedBy, Tree } from "../../parts/tree/tree.tsx";
import type { Directories } from "./levels.ts";

interface TreeProps {
  readonly directories: Directories;
  readonly chosen: string | undefined;
  readonly drafts: ReadonlySet<string>;
  readonly onOpen: (path: string, by: OpenedBy) => void;
  readonly onNew: () => void;
  readonly onFind: () => void;
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
        <IconButton small label="Find in files" onClick={props.onFind}>
          <Search aria-hidden="true" />
        </IconButton>
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
          <Tree
            label="Files"
            levels={directories.levels()}
            open={directories.open()}
            onToggle={directories.toggle}
            chosen={props.chosen}
            drafts={props.drafts}
            onOpen={props.onOpen}
            titleOf={titleOf}
          />
        </Match>
      </Switch>
    </div>
  );
}

function titleOf({ path, kind, size }: FileEntry): string {
  if (kind === "other") return `${path}: cannot be opened here`;
  return size === null ? path : `${path}, ${bytes(size)}`;
}
