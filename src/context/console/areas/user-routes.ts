// Users: the list, one user, and what admins do with them. The rules are those of the API.

import { h } from "preact";
import { AppError } from "../../../kit/error.ts";
import { checkPasswordShape } from "../../../kit/secrets/passwords.ts";
import type { Role } from "../../access/schema.ts";
import type { AccessRules } from "../../people/access-rules.ts";
import { CreateUser, UpdateUser } from "../../people/schema.ts";
import type { Users } from "../../people/users.ts";
import { page, to, type PageRoute } from "../area.ts";
import type { Failure } from "../failure.ts";
import type { Form } from "../form.ts";
import { PAGE_ROWS, withQuery } from "../format.ts";
import { given } from "../form-input.ts";
import { PasswordBody, UserFormBody, UsersBody, type UserForm } from "../pages/users.tsx";
import { tokenRoutes, userPage } from "./token-routes.ts";
import { crumbsOf, userPath, USERS } from "../user-addresses.ts";
import { userStateRoutes } from "./user-state-routes.ts";
import { attempt, get, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

interface UserPagesDeps {
  readonly users: Users;
  readonly rules: AccessRules;
  readonly spaceNames: () => readonly string[];
}

const CRUMBS = [{ label: "Users", path: USERS }];

export function userRoutes(deps: UserPagesDeps): PageRoute[] {
  const { users } = deps;
  return [
    get(
      USERS,
      ({ visit, query }) => {
        const after = query.get("after") ?? undefined;
        const text = query.get("q")?.trim() ?? "";
        const rows = users.page(visit.caller, { after, part: text, limit: PAGE_ROWS + 1 });
        const shown = rows.slice(0, PAGE_ROWS);
        const address = (from?: string) =>
          withQuery(USERS, { q: text === "" ? undefined : text, after: from });
        const next = rows.length > PAGE_ROWS ? address(shown.at(-1)!.name) : undefined;
        const first = after === undefined ? undefined : address();
        return page("Users", h(UsersBody, { rows: shown, text, next, first }));
      },
      ["after", "q"],
    ),
    ...createRoutes(deps),
    get(`${USERS}/:user`, ({ visit, params }) => userPage(deps, visit, params["user"]!)),
    ...editRoutes(deps),
    ...passwordRoutes(deps),
    ...userStateRoutes(users),
    ...tokenRoutes(deps),
  ];
}

/** The spaces that the form selects; null: every one. */
function spacesIn(form: Form, known: readonly string[]): string[] | null {
  return form.text("everywhere") === "no" ? known.filter((name) => form.has(`space ${name}`)) : null;
}

function createRoutes({ users, spaceNames }: UserPagesDeps): PageRoute[] {
  const path = `${USERS}/new`;
  const shown = (visit: Visit, form: UserForm, failure?: Failure) =>
    page("Create a user", h(UserFormBody, { visit, form, known: spaceNames(), isNew: true, failure }), {
      crumbs: CRUMBS,
      status: failure?.status ?? 200,
    });
  return [
    get(path, ({ visit }) => shown(visit, { name: "", role: "contributor", spaces: null })),
    post(path, ({ visit, form }) => {
      const password = form.text("password");
      const typed = {
        name: form.text("name"),
        role: form.text("role") as Role,
        spaces: spacesIn(form, spaceNames()),
      };
      return attempt(
        async () => {
          if (password !== "") checkPasswordShape(password);
          const made = await users.create(visit.caller, given(CreateUser, typed));
          const { name } = made.user;
          const problem = password === "" ? undefined : await passwordProblem(users, visit, name, password);
          const failed = problem === undefined ? "" : ` The password was not set: ${problem}.`;
          const text = `Created ${name}.${failed} The first token is shown only now.`;
          return to(userPath(name), { text, secret: made.token });
        },
        (failure) => shown(visit, typed, failure),
      );
    }),
  ];
}

/** The user exists by then, so a refusal must not look as if nothing happened. */
async function passwordProblem(
  users: Users,
  { caller }: Visit,
  name: string,
  password: string,
): Promise<string | undefined> {
  try {
    await users.setPassword(caller, name, password);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

function editRoutes({ users, spaceNames }: UserPagesDeps): PageRoute[] {
  const path = `${USERS}/:user/edit`;
  const knownTo = (spaces: readonly string[] | null) =>
    [...new Set([...spaceNames(), ...(spaces ?? [])])].sort();
  const shown = (visit: Visit, form: UserForm, failure?: Failure) =>
    page(`Edit ${form.name}`, h(UserFormBody, { visit, form, known: spaceNames(), isNew: false, failure }), {
      crumbs: crumbsOf(form.name),
      status: failure?.status ?? 200,
    });
  return [
    get(path, ({ visit, params }) => shown(visit, users.get(visit.caller, params["user"]!))),
    post(path, ({ visit, params, form }) => {
      const { name, spaces } = users.get(visit.caller, params["user"]!);
      const typed = { role: form.text("role") as Role, spaces: spacesIn(form, knownTo(spaces)) };
      return attempt(
        async () => {
          await users.update(visit.caller, name, given(UpdateUser, typed));
          return to(userPath(name), `Saved. ${name} has the new rights from the next request.`);
        },
        (failure) => shown(visit, { name, ...typed }, failure),
      );
    }),
  ];
}

function passwordRoutes({ users }: UserPagesDeps): PageRoute[] {
  const path = `${USERS}/:user/password`;
  const shown = (visit: Visit, name: string, failure?: Failure) => {
    const user = users.get(visit.caller, name);
    return page(`Set the password of ${user.name}`, h(PasswordBody, { visit, user, failure }), {
      crumbs: crumbsOf(user.name),
      status: failure?.status ?? 200,
    });
  };
  return [
    get(path, ({ visit, params }) => shown(visit, params["user"]!)),
    post(path, ({ visit, params, form }) => {
      const name = params["user"]!;
      return attempt(
        async () => {
          await users.setPassword(visit.caller, name, form.text("password"));
          return to(userPath(name), `Set the password of ${name}. Their sessions have ended.`);
        },
        (failure) => shown(visit, name, failure),
      );
    }),
  ];
}
