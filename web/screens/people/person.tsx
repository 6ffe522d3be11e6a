// One person, for admins: role, access, teams, deletion. Passwords are set through the API only.

import KeyRound from "lucide-solid/icons/key-round";
import X from "lucide-solid/icons/x";
import { createEffect, createSignal, For, type JSX, on, Show } from "solid-js";
import type { Role } from "../../../src/service/identity/schema.ts";
import type { User } from "../../../src/service/people/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { DeletedNotice, keptRecord } from "../../kit/deleted.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { plural } from "../../kit/format.ts";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, Select } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { Time } from "../../kit/pieces.tsx";
import { Loaded, NotFound } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { teamsQuery, usersQuery } from "../../state/lists.ts";
import { loadSession, me } from "../../state/session.ts";
import { DeletePerson } from "./delete-person.tsx";
import { showToken } from "./one-time-token.tsx";
import { RenamableHeading } from "./rename.tsx";
import { ROLE_MEANS, roleChoices } from "./role-names.ts";

interface PersonProps {
  readonly onClose: () => void;
  readonly onShowTeam: (id: number) => void;
}

export function PersonDetail(props: PersonProps & { readonly id: number }): JSX.Element {
  const users = usersQuery();
  return <Loaded query={users}>{(list) => <Found list={list()} {...props} />}</Loaded>;
}

function Found(props: PersonProps & { readonly id: number; readonly list: readonly User[] }): JSX.Element {
  const { record, deleted } = keptRecord(() => props.list.find(({ id }) => id === props.id));
  return (
    <Show
      when={record()}
      fallback={<NotFound what="person" out={{ name: "Close", go: () => props.onClose() }} />}
    >
      {(user) => (
        <Shown user={user()} deleted={deleted()} onClose={props.onClose} onShowTeam={props.onShowTeam} />
      )}
    </Show>
  );
}

async function changed(user: User): Promise<void> {
  await Promise.all([refresh("users"), refresh("teams")]);
  if (user.id === me()?.id) await loadSession();
}

interface Opened {
  readonly user: User;
  /** By someone, while it was open. */
  readonly deleted: boolean;
}

function Shown(props: PersonProps & Opened): JSX.Element {
  const rename = async (name: string) => {
    await take(api.users({ id: props.user.id }).patch({ name }));
    await changed(props.user);
  };
  return (
    <>
      <header class="section">
        <RenamableHeading
          name={props.user.name}
          mayRename
          deleted={props.deleted}
          onRename={rename}
          end={
            <IconButton small label="Close" onClick={() => props.onClose()}>
              <X aria-hidden="true" />
            </IconButton>
          }
        />
        <p class="small muted">
          Added <Time time={props.user.created_at} relative />
          <Show when={props.user.id === me()?.id}>. This is you</Show>.
        </p>
      </header>
      <Show when={props.deleted}>
        <DeletedNotice name={props.user.name} />
      </Show>
      <RoleForm user={props.user} deleted={props.deleted} />
      <Show when={!props.deleted}>
        <Access user={props.user} />
        <Teams user={props.user} onShowTeam={props.onShowTeam} />
        <Deletion user={props.user} onGone={props.onClose} />
      </Show>
    </>
  );
}

function RoleForm(props: Opened): JSX.Element {
  const [role, setRole] = createSignal<Role>(props.user.role);
  // Follows another admin, unless it was edited here.
  createEffect(
    on(
      () => props.user.role,
      (now, before) => role() === before && setRole(now),
    ),
  );
  guardLeaving(() => role() !== props.user.role);
  const sent = createSubmission(["role"], async () => {
    await take(api.users({ id: props.user.id }).patch({ role: role() }));
    await changed(props.user);
  });
  return (
    <section class="section">
      <form class="form" onSubmit={(event) => void sent.submit(event)}>
        <Select
          label="Role"
          value={role()}
          choices={roleChoices}
          disabled={sent.busy()}
          onChange={(value) => {
            sent.clear();
            setRole(value as Role);
          }}
          hint={ROLE_MEANS[role()]}
          problem={sent.of("role")}
        />
        <FormProblem form={sent} />
        <Show when={role() !== props.user.role}>
          <div class="actions">
            <Button
              onClick={() => {
                sent.clear();
                setRole(props.user.role);
              }}
            >
              Cancel
            </Button>
            <Button type="submit" kind="primary" busy={sent.busy()} disabled={props.deleted}>
              Save
            </Button>
          </div>
        </Show>
      </form>
    </section>
  );
}

function Access(props: { readonly user: User }): JSX.Element {
  const creation = createAction(async () => {
    const { user, token } = await take(api.users({ id: props.user.id }).tokens.post());
    showToken({ userId: user.id, name: user.name, hasPassword: user.has_password, token });
    await refresh("users");
  });
  const revocation = createAction(async (user: User) => {
    const { revoked } = await take(api.users({ id: user.id }).tokens.delete());
    tell(`${plural(revoked, "token or session", "tokens and sessions")} of ${user.name} revoked.`);
    await changed(user);
  });
  const revoke = async () => {
    const { user } = props;
    const yes = await confirm({
      title: `Revoke all tokens of ${user.name}?`,
      text: `${plural(user.tokens, "token or session", "tokens and sessions")} end at once: programs lose access, and the person is signed out everywhere.${user.id === me()?.id && me()?.auth !== "loopback" ? " This includes your current session." : ""}`,
      action: "Revoke all tokens",
    });
    if (yes) await revocation.run(user);
  };
  return (
    <section class="section">
      <h3>Access</h3>
      <dl class="facts">
        <dt>Password</dt>
        <dd>{props.user.has_password ? "set" : "none; cannot sign in on the login page"}</dd>
        <dt>Tokens</dt>
        <dd>
          {props.user.tokens === 0
            ? "none"
            : plural(props.user.tokens, "token or session", "tokens and sessions")}
        </dd>
        <dt>Last used</dt>
        <dd>
          <Show when={props.user.last_used_at} fallback="never">
            {(time) => <Time time={time()} relative />}
          </Show>
        </dd>
      </dl>
      <div class="people-actions">
        <Button busy={creation.busy()} onClick={() => void creation.run()}>
          <KeyRound aria-hidden="true" />
          Create token
        </Button>
        <Button
          kind="danger"
          busy={revocation.busy()}
          disabled={props.user.tokens === 0}
          onClick={() => void revoke()}
        >
          Revoke all
        </Button>
      </div>
      <p class="small muted">
        Set a password through the API: <code class="wrap">PUT /api/v1/users/{props.user.id}/password</code>
      </p>
    </section>
  );
}

function Teams(props: { readonly user: User; readonly onShowTeam: (id: number) => void }): JSX.Element {
  const teams = teamsQuery();
  const mine = () =>
    teams.data()?.filter((team) => team.members.some(({ id }) => id === props.user.id)) ?? [];
  return (
    <section class="section">
      <h3>Teams</h3>
      <ul class="people-tags">
        <For each={mine()} fallback={<li class="muted">No teams.</li>}>
          {(team) => (
            <li>
              <Button small onClick={() => props.onShowTeam(team.id)}>
                <span class="ellipsis" dir="auto">
                  {team.name}
                </span>
              </Button>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

function Deletion(props: { readonly user: User; readonly onGone: () => void }): JSX.Element {
  const [asking, setAsking] = createSignal(false);
  const close = unlessMovedOn(() => {
    setAsking(false);
    props.onGone();
  });
  return (
    <section class="section">
      <Button kind="danger" onClick={() => setAsking(true)}>
        Delete person
      </Button>
      <Show when={asking()}>
        <DeletePerson user={props.user} onClose={() => setAsking(false)} onGone={close} />
      </Show>
    </section>
  );
}
