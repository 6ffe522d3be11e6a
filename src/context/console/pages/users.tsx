// The list of users, one user with their tokens, and the forms that create and change them.

import type { VNode } from "preact";
import { roles, type Role } from "../../access/schema.ts";
import type { SeenUser, User } from "../../people/schema.ts";
import type { Failure } from "../failure.ts";
import { countText, counted } from "../../../kit/text/amounts.ts";
import { Choice, Empty, Field, Figure, FormTo, Name, Pager, Problem, Table, Time } from "../pieces.tsx";
import { userPath, USERS } from "../user-addresses.ts";
import type { Visit } from "../visit.ts";
import { SpacePicker, spacesText } from "./space-picker.tsx";

interface UsersProps {
  readonly rows: readonly SeenUser[];
  /** The part of a name that was searched for; empty: nothing. */
  readonly text: string;
  readonly next: string | undefined;
  readonly first: string | undefined;
}

export function UsersBody({ rows, text, next, first }: UsersProps): VNode {
  return (
    <div class="console-stack">
      <div class="console-bar">
        <form method="get" action={USERS} role="search">
          <input
            class="input"
            type="search"
            name="q"
            value={text}
            aria-label="Search users"
            placeholder="Search users"
            dir="auto"
          />
          <button class="btn">Search</button>
        </form>
        <span class="end">
          <a class="btn primary" href={`${USERS}/new`}>
            Create a user
          </a>
        </span>
      </div>
      {rows.length === 0 ? <NoUsers text={text} /> : <UserTable rows={rows} />}
      {rows.length === 1 && text === "" && first === undefined && (
        <p class="muted">
          You are the only user. Create a user for each person and each program that works with this server.
        </p>
      )}
      <Pager first={first} next={next} />
    </div>
  );
}

function NoUsers({ text }: { text: string }): VNode {
  return (
    <Empty>
      {text === "" ? (
        <p>No users here.</p>
      ) : (
        <p>
          No name contains “<Name>{text}</Name>”.
        </p>
      )}
      <a class="btn" href={USERS}>
        Show all users
      </a>
    </Empty>
  );
}

function UserTable({ rows }: Pick<UsersProps, "rows">): VNode {
  return (
    <Table label="Users" head={["Name", "Role", "Spaces", "Last seen", "State"]}>
      {rows.map((one) => (
        <tr>
          <td class="wide">
            <a href={userPath(one.name)}>
              <Name>{one.name}</Name>
            </a>
          </td>
          <td class="tight">{one.role}</td>
          <td data-label="Spaces:">{spacesText(one.spaces)}</td>
          <td class="tight" data-label="Last seen:">
            <Time at={one.last_seen_at} />
          </td>
          <td>
            <UserState user={one} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function UserState({ user }: { user: User }): VNode {
  if (user.disabled) return <span class="console-badge">Disabled</span>;
  if (user.locked_until !== null) return <span class="console-badge">Locked</span>;
  if (user.tokens === 0 && !user.has_password) return <span class="console-badge">No way to sign in</span>;
  return <span class="console-badge plain">Active</span>;
}

interface UserProps {
  readonly user: SeenUser;
  readonly rules: number;
}

/** Shows the facts about a user, and the actions of an admin. */
export function UserFacts({ user, rules, visit }: UserProps & { visit: Visit }): VNode {
  return (
    <div class="console-stack">
      <div class="console-bar">
        <a class="btn" href={userPath(user.name, "/edit")}>
          Edit role and spaces
        </a>
        <a class="btn" href={userPath(user.name, "/access")}>
          Access rules
        </a>
        <a class="btn" href={userPath(user.name, "/password")}>
          Set password
        </a>
        {user.disabled ? (
          <FormTo visit={visit} action={userPath(user.name, "/enable")}>
            <button class="btn">Enable</button>
          </FormTo>
        ) : (
          <a class="btn danger" href={userPath(user.name, "/disable")}>
            Disable
          </a>
        )}
        <a class="btn danger" href={userPath(user.name, "/delete")}>
          Delete
        </a>
      </div>
      <dl class="console-figures facts">
        <Figure label="State">
          <UserState user={user} />
        </Figure>
        <Figure label="Role">{user.role}</Figure>
        <Figure label="Spaces">{spacesText(user.spaces)}</Figure>
        <Figure label="Access rules">{countText(rules)}</Figure>
        <Figure label="Password">{user.has_password ? "set" : "none"}</Figure>
        <Figure label="Last seen">
          <Time at={user.last_seen_at} />
        </Figure>
        <Figure label="Created">
          <Time at={user.created_at} />
        </Figure>
        {user.locked_until !== null && (
          <Figure label="Locked until">
            <Time at={user.locked_until} />
          </Figure>
        )}
      </dl>
    </div>
  );
}

export interface UserForm {
  readonly name: string;
  readonly role: Role;
  /** Null: every space. */
  readonly spaces: readonly string[] | null;
}

interface UserFormProps {
  readonly visit: Visit;
  readonly form: UserForm;
  readonly known: readonly string[];
  readonly isNew: boolean;
  readonly failure: Failure | undefined;
}

const ROLES: Readonly<Record<Role, string>> = {
  admin: "admin: everything, including users and this console's administration",
  "space-lead": "space-lead: reads, writes, and sets up spaces",
  contributor: "contributor: reads and writes documents",
  viewer: "viewer: reads",
};

export function UserFormBody({ visit, form, known, isNew, failure }: UserFormProps): VNode {
  const { name, role, spaces } = form;
  const back = isNew ? USERS : userPath(name);
  return (
    <FormTo visit={visit} action={isNew ? `${USERS}/new` : userPath(name, "/edit")} class="form console-form">
      <Problem
        failure={failure}
        fields={isNew ? ["name", "role", "spaces", "password"] : ["role", "spaces"]}
      />
      {isNew && <Field label="Name" name="name" value={name} required autoFocus failure={failure} />}
      <Choice
        label="Role"
        name="role"
        value={role}
        options={roles.map((value) => ({ value, label: ROLES[value] }))}
        failure={failure}
      />
      <Choice
        label="Where the role applies"
        name="everywhere"
        value={spaces === null ? "yes" : "no"}
        options={[
          { value: "yes", label: "In every space, including new ones" },
          { value: "no", label: "In the selected spaces only" },
        ]}
      />
      <SpacePicker
        known={known}
        chosen={spaces ?? []}
        hint="With none selected, the user has only what access rules allow."
        failure={failure}
      />
      {isNew && (
        <Field
          label="Password (optional)"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters. Without one, the user has tokens only and cannot sign in here."
          failure={failure}
        />
      )}
      <div class="actions">
        <a class="btn" href={back}>
          Cancel
        </a>
        <button class="btn primary">{isNew ? "Create the user" : "Save"}</button>
      </div>
    </FormTo>
  );
}

interface PasswordProps {
  readonly visit: Visit;
  readonly user: User;
  readonly failure: Failure | undefined;
}

export function PasswordBody({ visit, user, failure }: PasswordProps): VNode {
  return (
    <FormTo visit={visit} action={userPath(user.name, "/password")} class="form console-form">
      <Problem failure={failure} fields={["password"]} />
      <p>
        Setting a password ends the sessions of <Name>{user.name}</Name>, here and of logins. Other tokens
        stay valid ({counted(user.tokens, "token")} now).
      </p>
      <Field
        label="New password"
        name="password"
        type="password"
        required
        autoFocus
        autoComplete="new-password"
        hint="At least 8 characters."
        failure={failure}
      />
      <div class="actions">
        <a class="btn" href={userPath(user.name)}>
          Cancel
        </a>
        <button class="btn primary">Set password</button>
      </div>
    </FormTo>
  );
}
