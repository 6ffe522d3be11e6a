// People and teams. Admins manage both; team leads see teams and manage their own; members learn whom to ask.

import { useSearchParams } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import UsersIcon from "lucide-solid/icons/users";
import { createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Team, User } from "../../../src/service/people/schema.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { Avatar, NameList, Time } from "../../kit/pieces.tsx";
import { createPlaced } from "../../kit/quiet.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { Split } from "../../kit/split.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { type Column, found, Table } from "../../kit/table.tsx";
import { teamsQuery, usersQuery } from "../../state/lists.ts";
import { usePaneAddress } from "../../state/pane-address.ts";
import { isAdmin, me } from "../../state/session.ts";
import { NewPerson } from "./new-person.tsx";
import { NewTeam } from "./new-team.tsx";
import { OneTimeToken } from "./one-time-token.tsx";
import { PersonDetail } from "./person.tsx";
import { ROLE_NAMES } from "./role-names.ts";
import { TeamDetail } from "./team.tsx";
import "./people.css";

/** The content of the side pane; in the address as `?show=person-3`, or `?show=new-person` for the form. */
interface Shown {
  readonly kind: "person" | "team" | "new-person" | "new-team";
  /** 0 for a form. */
  readonly id: number;
}
const SHOWN = /^(?:(person|team)-([1-9]\d*)|(new-person|new-team))$/;

export function People(): JSX.Element {
  useCrumbs(() => [{ name: "People" }]);
  return (
    <Show when={isAdmin() || me()?.role === "team-lead"} fallback={<NotForYou />}>
      <Managed />
    </Show>
  );
}

function NotForYou(): JSX.Element {
  return (
    <Empty alone title="Only admins manage people" icon={<UsersIcon aria-hidden="true" />}>
      Ask an admin to add people, change roles or create teams. A team lead can add you to a team.
    </Empty>
  );
}

function Managed(): JSX.Element {
  const placing = createPlaced();
  const [params] = useSearchParams<{ show: string }>();
  const shown = createMemo<Shown | undefined>(
    () => {
      const match = SHOWN.exec(params.show ?? "");
      return match ? { kind: (match[1] ?? match[3]) as Shown["kind"], id: Number(match[2] ?? 0) } : undefined;
    },
    undefined,
    { equals: (a, b) => a?.kind === b?.kind && a?.id === b?.id },
  );
  const setPane = usePaneAddress(() => shown() !== undefined);
  const show = (what: string | undefined) => setPane({ show: what }, { opens: what !== undefined });
  const close = () => show(undefined);
  const showTeam = (id: number) => show(`team-${id}`);
  const showPerson = (id: number) => show(`person-${id}`);
  return (
    <>
      <Split
        name="people"
        size={400}
        min={320}
        sideLabel="Details"
        open={shown() !== undefined}
        onClose={close}
        main={
          <div class={`body people-lists ${placing()}`}>
            <Show when={isAdmin()}>
              <PeopleList shown={shown()} onShow={showPerson} onAdd={() => show("new-person")} />
            </Show>
            <TeamList shown={shown()} onShow={showTeam} onAdd={() => show("new-team")} />
          </div>
        }
        side={
          <Switch>
            <Match when={shown()?.kind === "new-person" && isAdmin()}>
              <NewPerson onMade={showPerson} onCancel={close} />
            </Match>
            <Match when={shown()?.kind === "new-team" && isAdmin()}>
              <NewTeam onMade={showTeam} onCancel={close} />
            </Match>
            <Match when={shown()?.kind === "person" && isAdmin() && shown()} keyed>
              {(person) => <PersonDetail id={person.id} onClose={close} onShowTeam={showTeam} />}
            </Match>
            <Match when={shown()?.kind === "team" && shown()} keyed>
              {(team) => <TeamDetail id={team.id} onClose={close} />}
            </Match>
          </Switch>
        }
      />
      <OneTimeToken />
    </>
  );
}

const personColumns: readonly Column<User>[] = [
  {
    title: "Name",
    cell: (user) => (
      <span class="row">
        <Avatar name={user.name} />
        <span class="people-name wrap" dir="auto">
          {user.name}
        </span>
        <Show when={user.id === me()?.id}>
          <span class="tag">you</span>
        </Show>
      </span>
    ),
    sortBy: (user) => user.name,
  },
  { title: "Role", cell: (user) => ROLE_NAMES[user.role], sortBy: (user) => user.role, tight: true },
  {
    title: "Password",
    cell: (user) => (user.has_password ? "set" : <span class="faint">none</span>),
    sortBy: (user) => Number(user.has_password),
    optional: true,
  },
  {
    title: "Tokens",
    cell: (user) => user.tokens,
    sortBy: (user) => user.tokens,
    number: true,
    optional: true,
  },
  {
    title: "Last used",
    cell: (user) => (
      <Show when={user.last_used_at} fallback={<span class="faint">never</span>}>
        {(time) => <Time time={time()} relative />}
      </Show>
    ),
    sortBy: (user) => user.last_used_at ?? "",
    optional: true,
    tight: true,
  },
];

interface ListProps {
  readonly shown: Shown | undefined;
  readonly onShow: (id: number) => void;
  readonly onAdd: () => void;
}

function PeopleList(props: ListProps): JSX.Element {
  const users = usersQuery();
  const [search, setSearch] = createSignal("");
  const rows = createMemo(() =>
    found(users.data() ?? [], search(), (user) => `${user.name} ${ROLE_NAMES[user.role]}`),
  );
  return (
    <section aria-labelledby="people-title">
      <div class="title">
        <h1 id="people-title">People</h1>
        <div class="end">
          <SearchBox label="Search people" value={search()} onInput={setSearch} />
          <Button kind="primary" onClick={() => props.onAdd()}>
            <Plus aria-hidden="true" />
            Add person
          </Button>
        </div>
      </div>
      <Loaded query={users}>
        {() => (
          <Show
            when={rows().length > 0}
            fallback={<Empty title="No matching people">No name or role contains “{search()}”.</Empty>}
          >
            <Table
              label="People"
              rows={rows()}
              columns={personColumns}
              key={(user) => user.id}
              chosen={props.shown?.kind === "person" ? props.shown.id : undefined}
              onChoose={(user) => props.onShow(user.id)}
            />
          </Show>
        )}
      </Loaded>
    </section>
  );
}

const teamColumns: readonly Column<Team>[] = [
  {
    title: "Team",
    cell: (team) => (
      <span class="row">
        <span class="people-name wrap" dir="auto">
          {team.name}
        </span>
        <Show when={me()?.team_ids.includes(team.id)}>
          <span class="tag">yours</span>
        </Show>
      </span>
    ),
    sortBy: (team) => team.name,
  },
  {
    title: "Members",
    cell: (team) => (
      <span class="muted">
        <Show when={team.members.length > 0} fallback="none yet">
          <NameList names={team.members.map(({ name }) => name)} />
        </Show>
      </span>
    ),
    sortBy: (team) => team.members.length,
  },
];

function TeamList(props: ListProps): JSX.Element {
  const teams = teamsQuery();
  return (
    <section aria-labelledby="teams-title">
      <div class="title">
        <h2 id="teams-title" class="pane-title">
          Teams
        </h2>
        <Show when={teams.data()?.length}>
          {(count) => <span class="muted">{plural(count(), "team")}</span>}
        </Show>
        <Show when={isAdmin()}>
          <div class="end">
            <Button onClick={() => props.onAdd()}>
              <Plus aria-hidden="true" />
              Create team
            </Button>
          </div>
        </Show>
      </div>
      <Loaded query={teams}>
        {(rows) => (
          <Show
            when={rows().length > 0}
            fallback={
              <p class="muted">
                No teams yet. All members of a team see the workspaces shared with it.
                <Show when={!isAdmin()}> Only admins create teams.</Show>
              </p>
            }
          >
            <Table
              label="Teams"
              rows={rows()}
              columns={teamColumns}
              key={(team) => team.id}
              chosen={props.shown?.kind === "team" ? props.shown.id : undefined}
              onChoose={(team) => props.onShow(team.id)}
            />
          </Show>
        )}
      </Loaded>
    </section>
  );
}
