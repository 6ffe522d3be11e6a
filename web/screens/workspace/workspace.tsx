// One workspace: five views, each with its own address, and the inspector beside them. A view stays mounted once opened; all of them
// share one feed.

import { A, useLocation, useNavigate, useParams } from "@solidjs/router";
import {
  type Component,
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  Show,
  untrack,
} from "solid-js";
import { Dynamic } from "solid-js/web";
import { showConnection, useCrumbs } from "../../frame/top-line.tsx";
import { costText, money, tokens } from "../../kit/format.ts";
import { later } from "../../kit/later.tsx";
import { typedTexts, type TypedText } from "../../kit/leaving.ts";
import { Part } from "../../kit/part.tsx";
import { ShareBar } from "../../kit/pieces.tsx";
import { Split } from "../../kit/split.tsx";
import { Failed, Skeleton } from "../../kit/states.tsx";
import { colourOf } from "../../state/agent-look.ts";
import { createFeed } from "../../state/feed.ts";
import {
  type Here,
  HereContext,
  type Selection,
  useHere,
  useSelection,
  type WorkspaceView,
  workspaceViews,
} from "../../state/here.ts";
import { modelsQuery } from "../../state/lists.ts";
import { keep } from "../../kit/storage.ts";
import { offerWorkspaceActions, VIEW_NAMES, viewPath } from "./workspace-actions.tsx";
import "./workspace.css";

interface WorkspaceParts {
  readonly views: Readonly<Record<WorkspaceView, Component>>;
  readonly inspector: Component<{
    readonly selection: Selection;
    /** The element in the views that last had the focus. */
    readonly cameFrom: () => HTMLElement | undefined;
  }>;
}

const ArchivedNotice = later(async () => (await import("./archived-notice.tsx")).ArchivedNotice);
const Removed = later(async () => (await import("./removed.tsx")).Removed);
const UsageDialog = later(async () => (await import("./usage-dialog.tsx")).UsageDialog);

/** From here on prompts and their changes get more room beside the view. */
const WIDE_PX = 1700;

export function Workspace(props: WorkspaceParts): JSX.Element {
  const params = useParams<{ id: string; view?: string }>();
  // A change of workspace restarts the feed; a change of view does not.
  const id = createMemo(() => Number(params.id));
  return (
    <Show when={id()} keyed>
      {(workspaceId) => (
        <OneWorkspace {...props} id={workspaceId} view={() => (params.view ?? "chat") as WorkspaceView} />
      )}
    </Show>
  );
}

function OneWorkspace(
  props: WorkspaceParts & { readonly id: number; readonly view: () => WorkspaceView },
): JSX.Element {
  const { id, view } = props;
  const feed = createFeed(id);
  const navigate = useNavigate();
  showConnection(feed.connection, feed.retry);
  const name = createMemo(() => feed.state()?.workspace.display_name);
  createEffect(() => name() !== undefined && keep("workspace.last", id));
  const ready = createMemo(() => feed.state() !== undefined && !feed.state()?.gone);
  const refused = () => feed.state()?.gone || feed.problem()?.code === "not_found";
  /** The texts of forms that go with the workspace; undefined while it is there. */
  const over = createMemo<readonly TypedText[] | undefined>(
    (before) => before ?? (refused() ? untrack(typedTexts) : undefined),
  );
  useCrumbs(
    () => [{ name: "Workspaces", path: "/workspaces" }, { name: refused() ? "Not found" : (name() ?? "…") }],
    () => (refused() || view() === "chat" ? undefined : VIEW_NAMES[view()]),
  );
  const here: Here = { id, feed, state: () => feed.state()!, view };
  offerWorkspaceActions(here);
  // Beside the snapshot: the names of models are part of the chat.
  modelsQuery();
  return (
    <HereContext.Provider value={here}>
      <Show
        when={over() === undefined}
        fallback={<Removed id={id} typed={over()!} onLeave={() => navigate("/workspaces")} />}
      >
        <Show
          when={ready()}
          fallback={
            <Show when={feed.problem()} fallback={<Skeleton />}>
              {(problem) => <Failed page="Workspace" problem={problem()} onRetry={feed.retry} />}
            </Show>
          }
        >
          <Views views={props.views} inspector={props.inspector} />
        </Show>
      </Show>
    </HereContext.Provider>
  );
}

function Views(props: WorkspaceParts): JSX.Element {
  const here = useHere();
  const location = useLocation();
  const [selection, select] = useSelection();
  let focused: HTMLElement | undefined;
  const [opened, setOpened] = createSignal<readonly WorkspaceView[]>([]);
  createEffect(() => {
    const view = here.view();
    setOpened((before) => (before.includes(view) ? before : [...before, view]));
  });
  return (
    <div class="workspace">
      <nav class="views" aria-label="Workspace views">
        <For each={workspaceViews}>
          {(view) => (
            <A
              href={`${viewPath(here.id, view)}${location.search}`}
              aria-current={here.view() === view ? "page" : undefined}
              activeClass=""
              inactiveClass=""
            >
              {VIEW_NAMES[view]}
            </A>
          )}
        </For>
        <Meter />
      </nav>
      <Show when={here.state().workspace.archived_at !== null}>
        <ArchivedNotice />
      </Show>
      <Split
        name="inspector"
        size={innerWidth >= WIDE_PX ? 460 : 340}
        sideLabel="Inspector"
        open={selection() !== undefined}
        onClose={() => select(undefined)}
        main={
          <div class="workspace-views" onFocusIn={({ target }) => (focused = target as HTMLElement)}>
            <For each={opened()}>
              {(view) => (
                <section
                  class="workspace-view"
                  classList={{ behind: here.view() !== view }}
                  inert={here.view() !== view ? true : undefined}
                  aria-label={VIEW_NAMES[view]}
                >
                  <Part>
                    <Dynamic component={props.views[view]} />
                  </Part>
                </section>
              )}
            </For>
          </div>
        }
        side={
          <Part>
            <Show when={selection()}>
              {(chosen) => (
                <Dynamic component={props.inspector} selection={chosen()} cameFrom={() => focused} />
              )}
            </Show>
          </Part>
        }
      />
    </div>
  );
}

/** The usage so far, with a share for each agent. */
function Meter(): JSX.Element {
  const here = useHere();
  const usage = () => here.state().usage;
  const total = () => usage().input_tokens + usage().output_tokens;
  const shares = createMemo(() =>
    usage()
      .agents.filter(({ share }) => share !== null && share > 0)
      .map(({ agent, agent_id: id, share }) => ({
        label: agent,
        share: share ?? 0,
        colour: colourOf(here.state(), id),
      })),
  );
  const perDay = () => here.state().workspace.budget?.cost_per_day;
  const [open, setOpen] = createSignal(false);
  return (
    <>
      <button
        type="button"
        class="end workspace-meter"
        title="Usage and budget"
        onClick={() => setOpen(true)}
      >
        <span>
          <b>{tokens(total())}</b>
          <span class="workspace-unit"> tokens</span>
        </span>
        <Show when={shares().length > 0}>
          <ShareBar shares={shares()} label="Share by agent" />
        </Show>
        <Show when={usage().cost !== null || perDay()}>
          <span class="optional">
            <Show when={perDay()} fallback={<b>{costText(usage())}</b>}>
              {(limit) => (
                <>
                  <b>{costText(usage().today)}</b> of {money(limit())} today
                </>
              )}
            </Show>
          </span>
        </Show>
      </button>
      <Show when={open()}>
        <UsageDialog onClose={() => setOpen(false)} />
      </Show>
    </>
  );
}
