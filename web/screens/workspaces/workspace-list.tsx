// The visible workspaces: search, sort, open, and a menu for each. Built for ten thousand of them.

import { A } from "@solidjs/router";
import Copy from "lucide-solid/icons/copy";
import Ellipsis from "lucide-solid/icons/ellipsis";
import Trash from "lucide-solid/icons/trash";
import Users from "lucide-solid/icons/users";
import { createMemo, For, type JSX, Show } from "solid-js";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { type Action, Menu } from "../../kit/menu.tsx";
import { Time } from "../../kit/pieces.tsx";
import { type Column, found, Table } from "../../kit/table.tsx";
import { approvalsQuery } from "../../state/lists.ts";
import { me } from "../../state/session.ts";
import type { Names } from "./people-names.ts";
import { mayDelete, mayShare } from "./rights.ts";

const TEAMS_SHOWN_MAX = 3;

/** Natural order: 2 before 10. */
const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

interface ListProps {
  readonly workspaces: readonly Workspace[];
  readonly names: Names;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly onClone: (workspace: Workspace) => void;
  readonly onShare: (workspace: Workspace) => void;
  readonly onDelete: (workspace: Workspace) => void;
}

export function WorkspaceList(props: ListProps): JSX.Element {
  const approvals = approvalsQuery();
  const pending = createMemo(() => Map.groupBy(approvals.data() ?? [], ({ workspace_id: id }) => id ?? 0));
  const inOrder = createMemo(() => props.workspaces.toSorted((a, b) => byName.compare(a.name, b.name)));
  const fitting = createMemo(() =>
    found(
      inOrder(),
      props.search,
      (one) =>
        `${one.name} ${one.description} ${props.names.owner(one)} ${props.names.sharedWith(one).join(" ")}`,
    ),
  );
  const columns: readonly Column<Workspace>[] = [
    {
      title: "Name",
      sortBy: ({ name }) => name,
      cell: (one) => <Name workspace={one} pending={pending().get(one.id)?.length ?? 0} />,
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
      title: "Created",
      optional: true,
      sortBy: (one) => one.created_at,
      cell: (one) => <Time time={one.created_at} />,
    },
    {
      title: <span class="visually-hidden">Actions</span>,
      cell: (one) => (
        <Menu label={`Actions for ${one.name}`} actions={actionsFor(one, props)} class="btn quiet icon small">
          <Ellipsis aria-hidden="true" />
        </Menu>
      ),
    },
  ];
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
        <div class="workspaces-list" onKeyDown={moveByArrow}>
          <Table label="Workspaces" rows={fitting()} columns={columns} key={({ id }) => id} />
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

function Name(props: { readonly workspace: Workspace; readonly pending: number }): JSX.Element {
  return (
    <div class="workspaces-name">
      <div class="row">
        <A
          href={`/workspaces/${props.workspace.id}`}
          class="ellipsis workspaces-link"
          title={props.workspace.name}
          dir="auto"
        >
          {props.workspace.name}
        </A>
        <Show when={props.pending > 0}>
          <span class="tag wait">{props.pending} pending</span>
        </Show>
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

function actionsFor(one: Workspace, props: ListProps): readonly Action[] {
  const who = me()!;
  const shares = who.role === "admin" || who.team_ids.some((id) => mayShare(who, one, id));
  const actions: Action[] = [
    { label: "Clone", icon: <Copy aria-hidden="true" />, run: () => props.onClone(one) },
    {
      label: shares ? "Share" : "Shared with",
      icon: <Users aria-hidden="true" />,
      run: () => props.onShare(one),
    },
  ];
  if (mayDelete(who, one))
    actions.push({
      label: "Delete",
      icon: <Trash aria-hidden="true" />,
      danger: true,
      apart: true,
      run: () => props.onDelete(one),
    });
  return actions;
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
