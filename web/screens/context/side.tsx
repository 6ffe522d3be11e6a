// The pane beside the document: a search field over the tree, which gives way to the results while there is a query.

import Eye from "lucide-solid/icons/eye";
import EyeOff from "lucide-solid/icons/eye-off";
import FilePlus from "lucide-solid/icons/file-plus";
import RefreshCw from "lucide-solid/icons/refresh-cw";
import { createEffect, createMemo, createSignal, type JSX, on, Show } from "solid-js";
import type { ContextFile, ContextStatus } from "../../../src/service/memory/schema.ts";
import { useActions } from "../../frame/offered-actions.ts";
import { IconButton } from "../../kit/button.tsx";
import { bytes, count, plural } from "../../kit/format.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { stored } from "../../kit/storage.ts";
import { parentsOf } from "../../parts/tree/tree-rows.ts";
import { type OpenedBy, Tree } from "../../parts/tree/tree.tsx";
import { type DocumentEntry, foldersOf } from "./folders.ts";
import { Results } from "./results.tsx";

interface SideProps {
  readonly files: readonly ContextFile[];
  readonly status: ContextStatus;
  readonly chosen: string | undefined;
  readonly drafts: ReadonlySet<string>;
  readonly onOpen: (path: string, by: OpenedBy) => void;
  readonly onNew: () => void;
  readonly onRefresh: () => Promise<void>;
}

const [withDeleted, setWithDeleted] = stored("context.deleted", false);
/** Outlives the pane, which narrow screens close. */
const [open, setOpen] = createSignal<ReadonlySet<string>>(new Set());
const [search, setSearch] = createSignal("");

const SEARCH = "Search documents";

export function Side(props: SideProps): JSX.Element {
  let side: HTMLElement | undefined;
  const focusSearch = () => side?.querySelector<HTMLInputElement>("input[type=search]")?.focus();
  const deletedLabel = () => (withDeleted() ? "Hide deleted documents" : "Show deleted documents");
  useActions(() => [
    { label: SEARCH, run: focusSearch },
    { label: deletedLabel(), run: () => setWithDeleted(!withDeleted()) },
  ]);
  const live = createMemo(() => props.files.filter(({ state }) => state !== "deleted").length);
  const focusResult = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" || !(event.target instanceof HTMLInputElement)) return;
    const first = side?.querySelector<HTMLElement>(".context-result > a, [role=tree]");
    if (!first) return;
    event.preventDefault();
    first.focus();
  };
  return (
    <div class="context-side" ref={(element) => (side = element)}>
      <div class="context-head">
        <h2 class="heading">
          Documents <span class="faint num">{count(live())}</span>
        </h2>
        <IconButton
          small
          label={deletedLabel()}
          aria-pressed={withDeleted()}
          onClick={() => setWithDeleted(!withDeleted())}
        >
          {withDeleted() ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
        </IconButton>
        <IconButton small label="Refresh documents" onClick={() => void props.onRefresh()}>
          <RefreshCw aria-hidden="true" />
        </IconButton>
        <IconButton small label="Create document" onClick={() => props.onNew()}>
          <FilePlus aria-hidden="true" />
        </IconButton>
      </div>
      <div class="context-search" onKeyDown={focusResult}>
        <SearchBox label={SEARCH} value={search()} onInput={setSearch} />
      </div>
      <Show
        when={search().trim() === ""}
        fallback={
          <Results
            query={search().trim()}
            files={props.files}
            chosen={props.chosen}
            onOpen={props.onOpen}
            onBack={focusSearch}
          />
        }
      >
        <DocumentTree {...props} />
      </Show>
      <SpaceLine status={props.status} />
    </div>
  );
}

function DocumentTree(props: SideProps): JSX.Element {
  const levels = createMemo(() => foldersOf(props.files, withDeleted()));
  createEffect(
    on(
      () => props.chosen,
      (path) => path !== undefined && setOpen((before) => new Set([...before, ...parentsOf(path)])),
    ),
  );
  const toggle = (path: string) =>
    setOpen((before) =>
      before.has(path)
        ? new Set([...before].filter((one) => one !== path && !one.startsWith(`${path}/`)))
        : new Set(before).add(path),
    );
  return (
    <Show when={levels().get("")!.length > 0} fallback={<p class="context-none">None yet</p>}>
      <Tree
        label="Documents"
        levels={levels()}
        open={open()}
        onToggle={toggle}
        chosen={props.chosen}
        drafts={props.drafts}
        onOpen={props.onOpen}
        titleOf={titleOf}
        markOf={markOf}
      />
    </Show>
  );
}

function titleOf({ path, file, documents }: DocumentEntry): string {
  if (!file) return `${path}, ${plural(documents, "document")}`;
  if (file.state === "refused") return `${path}: not a document`;
  return `${path}, ${bytes(file.size)}, by ${file.author}`;
}

function markOf({ file }: DocumentEntry) {
  if (file?.state === "deleted") return { word: "deleted", gone: true };
  if (file?.state === "missing") return { word: "missing", gone: true };
  return undefined;
}

/** Which space this is, and where. */
function SpaceLine(props: { readonly status: ContextStatus }): JSX.Element {
  const place = () => props.status.place ?? "";
  return (
    <p class="context-space small" title={`${props.status.space ?? ""}: ${place()}`}>
      <bdi class="strong ellipsis">{props.status.space}</bdi>
      <bdi class="muted ellipsis">{place()}</bdi>
    </p>
  );
}
