// The visible workspaces, latest activity first: search, sort, open, and a menu for each. Built for ten thousand of them.

import { A } from "@solidjs/router";
import Archive from "lucide-solid/icons/archive";
import ArchiveRestore from "lucide-solid/icons/archive-restore";
import Copy from "lucide-solid/icons/copy";
import Download from "lucide-solid/icons/download";
import Ellipsis from "lucide-solid/icons/ellipsis";
import Pencil from "lucide-solid/icons/pencil";
import Trash from "lucide-solid/icons/trash";
import Users from "lucide-solid/icons/users";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { WorkspaceActivity } from "../../../src/service/overview/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { Button } from "../../kit/button.tsx";
import { costText, plural } from "../../kit/format.ts";
import { keptScroll } from "../../kit/kept-scroll.ts";
import { type Action, Menu } from "../../kit/menu.tsx";
import { Time } from "../../kit/pieces.tsx";
import { compareNames } from "../../kit/names.ts";
import { type Column, found, Table } from "../../kit/table.tsx";
import { me } from "../../state/session.ts";
import type { Activities } from "./activity.ts";
import type { Names } from "./people-names.ts";
import { mayShare, owns } from "./rights.ts";
import { WorkspaceTags } from "./workspace-state.tsx";

const TEAMS_SHOWN_MAX = 3;

/** The actions of a menu on a workspace; the screen shows the dialogs. */
export type WorkspaceAct = "rename" | "clone" | "share" | "export" | "archive" | "unarchive" | "delete";

interface ListProps {
  readonly workspaces: readonly Workspace[];
  readonly activities: Activities | undefined;
  readonly names: Names;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly onAct: (act: WorkspaceAct, workspace: Workspace) => void;
}

export function WorkspaceList(props: ListProps): JSX.Element {
  const activity = (one: Workspace) => props.activities?.get(one.id);
  const lastActive = (one: Workspace) => activity(one)?.last_activity_at ?? one.created_at;
  // No row moves while someone is about to use one.
  const [inUse, setInUse] = createSignal(false);
  const inOrder = createMemo<readonly Workspace[]>((before) => {
    const known = new Map(props.workspaces.map((one) => [one.id, one]));
    if (inUse() && before.length === known.size && before.every(({ id }) => known.has(id)))
      return before.map(({ id }) => known.get(id)!);
    return props.workspaces.toSorted(
      (a, b) => compareTimes(lastActive(b), lastActive(a)) || compareNames(a.display_name, b.display_name),
    );
  }, []);
  const fitting = createMemo(() =>
    found(
      inOrder(),
      props.search,
      (one) =>
        `${one.display_name} ${one.name} ${one.description} ${props.names.owner(one)} ${props.names.sharedWith(one).join(" ")}`,
    ),
  );
  const columns = columnsOf(props, activity, lastActive);
  return (
    <>
      <Show
        when={fitting().length > 0}
        fallback={
          <div class="empty">
            <h2>No workspace matches “{props.search}”</h2>
            <div class="actions">
              <Button onClick={() => props.onSearch("")}>Show all</Button>
            </div>
          </div>
        }
      >
        <div
          class="workspaces-list"
          ref={keptScroll}
          onKeyDown={moveByArrow}
          onPointerEnter={() => setInUse(true)}
          onPointerLeave={() => setInUse(false)}
          onFocusIn={() => setInUse(true)}
          onFocusOut={() => setInUse(false)}
        >
          <Table label="Workspaces" rows={fitting()} columns={columns} key={({ id }) => id} many />
        </div>
      </Show>
      <p class="small muted num workspaces-count" role="status">
        {props.search.trim() === ""
          ? plural(props.workspaces.length, "workspace")
          : `${fitting().length} of ${plural(props.workspaces.length, "workspace")}`}
      </p>
    </>
  );
}

function columnsOf(
  props: ListProps,
  activity: (one: Workspace) => WorkspaceActivity | undefined,
  lastActive: (one: Workspace) => string,
): readonly Column<Workspace>[] {
  return [
    {
      title: "Name",
      sortBy: ({ display_name: name }) => name,
      cell: (one) => <Name workspace={one} activity={activity(one)} />,
    },
    {
      title: "Last activity",
      sortBy: lastActive,
      tight: true,
      cell: (one) => (
        <>
          <Time time={lastActive(one)} relative />
          <Show when={spentToday(activity(one))}>
            {(cost) => (
              <div class="compact small muted num ellipsis">
                <span class="visually-hidden">Cost today: </span>
                {cost()}
              </div>
            )}
          </Show>
        </>
      ),
    },
    {
      title: "Cost today",
      optional: true,
      number: true,
      sortBy: (one) => activity(one)?.today.cost ?? -1,
      cell: (one) => spentToday(activity(one)),
    },
    {
      title: "Owner",
      optional: true,
      sortBy: (one) => props.names.owner(one),
      cell: (one) => (
        <div class="ellipsis" dir="auto" title={props.names.owner(one)}>
          {props.names.owner(one)}
        </div>
      ),
    },
    { title: "Shared with", optional: true, cell: (one) => <Teams names={props.names.sharedWith(one)} /> },
    {
      title: <span class="visually-hidden">Actions</span>,
      cell: (one) => (
        <Menu
          label={`Actions for ${one.display_name}`}
          actions={actionsFor(one, props)}
          class="btn quiet icon small"
        >
          <Ellipsis aria-hidden="true" />
        </Menu>
      ),
    },
  ];
}

/** Empty if nothing was spent; an unknown cost is said to be unknown. */
function spentToday(activity: WorkspaceActivity | undefined): string {
  if (!activity || (activity.today.tokens === 0 && activity.today.unpriced_calls === 0)) return "";
  return costText(activity.today);
}

function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function Name(props: {
  readonly workspace: Workspace;
  readonly activity: WorkspaceActivity | undefined;
}): JSX.Element {
  return (
    <div class="workspaces-name">
      <div class="row">
        <A
          href={`/workspaces/${props.workspace.id}`}
          class="ellipsis workspaces-link"
          title={props.workspace.display_name}
          dir="auto"
        >
          {props.workspace.display_name}
        </A>
        <WorkspaceTags activity={props.activity} />
      </div>
      <Show when={props.workspace.description !== ""}>
        <div class="small muted ellipsis" dir="auto" title={props.workspace.description}>
          {props.workspace.description}
        </div>
      </Show>
    </div>
  );
}

function Teams(props: { readonly names: readonly string[] }): JSX.Element {
  const more = () => props.names.slice(TEAMS_SHOWN_MAX);
  return (
    <Show when={props.names.length > 0} fallback={<span class="muted">no one</span>}>
      <div class="workspaces-tags">
        <For each={props.names.slice(0, TEAMS_SHOWN_MAX)}>
          {(name) => (
            <span class="tag" title={name} dir="auto">
              <span class="ellipsis">{name}</span>
            </span>
          )}
        </For>
        <Show when={more().length > 0}>
          <span class="tag" title={more().join(", ")}>
            {more().length} more
          </span>
        </Show>
      </div>
    </Show>
  );
}

function actionsFor(one: Workspace, { onAct }: ListProps): readonly Action[] {
  const who = me()!;
  const shares = who.role === "admin" || who.team_ids.some((id) => mayShare(who, one, id));
  const isOwn = owns(who, one);
  const isArchived = one.archived_at !== null;
  const act = (name: WorkspaceAct) => () => onAct(name, one);
  const actions: (Action | false)[] = [
    isOwn && !isArchived && { label: "Rename", icon: <Pencil aria-hidden="true" />, run: act("rename") },
    { label: "Clone", icon: <Copy aria-hidden="true" />, run: act("clone") },
    {
      label: shares && !isArchived ? "Share" : "Shared with",
      icon: <Users aria-hidden="true" />,
      run: act("share"),
    },
    isOwn && { label: "Export", icon: <Download aria-hidden="true" />, run: act("export") },
    isOwn &&
      (isArchived
        ? { label: "Unarchive", icon: <ArchiveRestore aria-hidden="true" />, run: act("unarchive") }
        : { label: "Archive", icon: <Archive aria-hidden="true" />, run: act("archive") }),
    isOwn && {
      label: "Delete",
      icon: <Trash aria-hidden="true" />,
      danger: true,
      apart: true,
      run: act("delete"),
    },
  ];
  return actions.filter((action) => action !== false);
}

/** The up and down keys move between names. */
function moveByArrow(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (!(event.target instanceof HTMLElement) || !event.target.matches(".workspaces-link")) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>(".workspaces-link")];
  links[links.indexOf(event.target) + step]?.focus();
}
