// One team and its members. Admins manage every team, team leads their own; only admins rename and delete teams.

import UserMinus from "lucide-solid/icons/user-minus";
import X from "lucide-solid/icons/x";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Team } from "../../../src/service/people/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { DeletedNotice, keptRecord } from "../../kit/deleted.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { plural } from "../../kit/format.ts";
import { FormProblem } from "../../kit/form-actions.tsx";
import { mayTakeFocus } from "../../kit/focus.ts";
import { createSubmission } from "../../kit/form.tsx";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { compareNames } from "../../kit/names.ts";
import { Avatar } from "../../kit/pieces.tsx";
import { Loaded, NotFound } from "../../kit/states.tsx";
import { attempt, tell } from "../../kit/toast.tsx";
import { Undoable } from "../../kit/undoable.tsx";
import { teamsQuery, usersQuery, workspacesQuery } from "../../state/lists.ts";
import { isAdmin, loadSession, me } from "../../state/session.ts";
import { RenamableHeading } from "./rename.tsx";
import { ROLE_NAMES } from "./role-names.ts";

export function TeamDetail(props: { readonly id: number; readonly onClose: () => void }): JSX.Element {
  const teams = teamsQuery();
  return <Loaded query={teams}>{(list) => <Found list={list()} {...props} />}</Loaded>;
}

function Found(props: {
  readonly id: number;
  readonly list: readonly Team[];
  readonly onClose: () => void;
}): JSX.Element {
  const { record, deleted } = keptRecord(() => props.list.find(({ id }) => id === props.id));
  return (
    <Show
      when={record()}
      fallback={<NotFound what="team" out={{ name: "Close", go: () => props.onClose() }} />}
    >
      {(team) => <Shown team={team()} deleted={deleted()} all={props.list} onClose={props.onClose} />}
    </Show>
  );
}

async function changed(userId?: number): Promise<void> {
  await refresh("teams");
  if (userId === undefined || userId === me()?.id) await loadSession();
}

function Shown(props: {
  readonly team: Team;
  /** By someone, while it was open. */
  readonly deleted: boolean;
  readonly all: readonly Team[];
  readonly onClose: () => void;
}): JSX.Element {
  const isTheirs = () => isAdmin() || (me()?.role === "team-lead" && me()!.team_ids.includes(props.team.id));
  const mayManage = () => isTheirs() && !props.deleted;
  let heading: HTMLHeadingElement | undefined;
  const rename = async (name: string) => {
    await take(api.teams({ id: props.team.id }).patch({ name }));
    await refresh("teams");
  };
  return (
    <>
      <header class="section">
        <RenamableHeading
          name={props.team.name}
          mayRename={isAdmin()}
          deleted={props.deleted}
          onRename={rename}
          end={
            <IconButton small label="Close" onClick={() => props.onClose()}>
              <X aria-hidden="true" />
            </IconButton>
          }
        />
        <p class="small muted">
          {plural(props.team.members.length, "member")}. Members see every workspace shared with this team.
          <Show when={!isTheirs()}> Admins and its team leads manage it.</Show>
        </p>
      </header>
      <Show when={props.deleted}>
        <DeletedNotice name={props.team.name} />
      </Show>
      <section class="section">
        <h3 ref={(element) => (heading = element)} tabIndex={-1}>
          Members
        </h3>
        <ul class="people-members">
          <For each={props.team.members} fallback={<li class="muted">No members yet.</li>}>
            {(member) => (
              <Member
                team={props.team}
                member={member}
                mayManage={mayManage()}
                // The button that had the focus goes with the member.
                onRemoved={() => heading?.focus()}
              />
            )}
          </For>
        </ul>
        <Show when={mayManage()}>
          <AddMember team={props.team} all={props.all} />
        </Show>
      </section>
      <Show when={isAdmin() && !props.deleted}>
        <Deletion team={props.team} onGone={props.onClose} />
      </Show>
    </>
  );
}

function Member(props: {
  readonly team: Team;
  readonly member: Team["members"][number];
  readonly mayManage: boolean;
  readonly onRemoved: () => void;
}): JSX.Element {
  let row: HTMLLIElement | undefined;
  const removal = createAction(async () => {
    const { id: user_id, name } = props.member;
    const { id, name: team } = props.team;
    const membership = api.teams({ id }).members({ user_id });
    await take(membership.delete());
    const undo = () => attempt(() => take(membership.put()).then(() => changed(user_id)));
    tell(<Undoable words={`${name} removed from ${team}`} onUndo={() => void undo()} />);
    if (mayTakeFocus(row)) props.onRemoved();
    await changed(user_id);
  });
  return (
    <li class="row" ref={(element) => (row = element)}>
      <Avatar name={props.member.name} />
      <span class="ellipsis" dir="auto" title={props.member.name}>
        {props.member.name}
      </span>
      <span class="small muted people-role">{ROLE_NAMES[props.member.role]}</span>
      <Show when={props.mayManage}>
        <span class="end">
          <IconButton
            small
            label={`Remove ${props.member.name}`}
            busy={removal.busy()}
            onClick={() => void removal.run()}
          >
            <UserMinus aria-hidden="true" />
          </IconButton>
        </span>
      </Show>
    </li>
  );
}

/** A team lead sees the members of teams, and nobody else. */
const TEAMLESS = "Ask an admin to add people who are in no team yet.";

function AddMember(props: { readonly team: Team; readonly all: readonly Team[] }): JSX.Element {
  const users = usersQuery();
  const [chosen, setChosen] = createSignal<string>();
  // Only admins can list all people; a team lead knows the members of teams.
  const known = createMemo(() => {
    const everybody = isAdmin() ? (users.data() ?? []) : props.all.flatMap(({ members }) => members);
    const inside = new Set(props.team.members.map(({ id }) => id));
    return [...new Map(everybody.map((one) => [one.id, one])).values()]
      .filter(({ id }) => !inside.has(id))
      .toSorted((a, b) => compareNames(a.name, b.name));
  });
  const sent = createSubmission([], async () => {
    const added = chosen();
    const user_id = Number(added);
    await take(api.teams({ id: props.team.id }).members({ user_id }).put());
    // The next one may be chosen already.
    if (chosen() === added) setChosen(undefined);
    await changed(user_id);
  });
  return (
    <Show
      when={known().length > 0}
      fallback={
        <p class="small muted">Everyone you can add is already a member. {isAdmin() ? "" : TEAMLESS}</p>
      }
    >
      <form class="people-add" onSubmit={(event) => void sent.submit(event)}>
        <Combobox
          label="Add member"
          value={chosen()}
          choices={known().map(({ id, name, role }) => ({
            value: String(id),
            label: name,
            note: ROLE_NAMES[role],
          }))}
          onChange={setChosen}
        />
        <Button type="submit" busy={sent.busy()} disabled={chosen() === undefined}>
          Add
        </Button>
      </form>
      <Show when={!isAdmin()}>
        <p class="small muted">{TEAMLESS}</p>
      </Show>
      <FormProblem form={sent} />
    </Show>
  );
}

function Deletion(props: { readonly team: Team; readonly onGone: () => void }): JSX.Element {
  const workspaces = workspacesQuery();
  const shared = () =>
    workspaces.data()?.filter(({ team_ids: teams }) => teams.includes(props.team.id)) ?? [];
  const close = unlessMovedOn(() => props.onGone());
  const deletion = createAction((id: number) => take(api.teams({ id }).delete()));
  const remove = async () => {
    const names = shared()
      .map(({ name }) => name)
      .join(", ");
    const { id, name, members } = props.team;
    const lost =
      names === ""
        ? "No workspace is shared with this team."
        : `Its ${plural(members.length, "member")} lose access to: ${names}. The workspaces stay.`;
    if (!(await confirm({ title: `Delete ${name}?`, text: lost, action: "Delete team" }))) return;
    if (!(await deletion.run(id))) return;
    close();
    await Promise.all([changed(), refresh("workspaces")]);
  };
  return (
    <section class="section">
      <Button kind="danger" busy={deletion.busy()} onClick={() => void remove()}>
        Delete team
      </Button>
    </section>
  );
}
