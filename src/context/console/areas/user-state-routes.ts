// Disabling, enabling and deleting a user. Pages ask first, and say what ends.

import { h } from "preact";
import type { Users } from "../../people/users.ts";
import { page, to, type Answer, type PageRoute } from "../area.ts";
import type { Failure } from "../failure.ts";
import { requireTyped } from "../form.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { ConfirmBody } from "../pages/confirm.tsx";
import { attempt, get, post } from "../routes.ts";
import { crumbsOf, userPath, USERS } from "../user-addresses.ts";
import type { Visit } from "../visit.ts";

type Deed = "Disable" | "Delete";

const THEN: Readonly<Record<Deed, string>> = {
  Disable: "Documents and their history stay. Enabling the user later does not restore the tokens.",
  Delete:
    "The access rules of the user are deleted too. Documents, their history and the audit record keep the name.",
};

export function userStateRoutes(users: Users): PageRoute[] {
  const [disable, enable, remove] = ["disable", "enable", "delete"].map(
    (word) => `${USERS}/:user/${word}`,
  ) as [string, string, string];
  const asked = (visit: Visit, user: string, deed: Deed, failure?: Failure) =>
    askedPage(users, { visit, user, deed }, failure);
  return [
    get(disable, ({ visit, params }) => asked(visit, params["user"]!, "Disable")),
    post(disable, ({ visit, params }) =>
      attempt(
        async () => {
          const { name, tokens } = users.get(visit.caller, params["user"]!);
          await users.disable(visit.caller, name);
          return to(userPath(name), `Disabled ${name} and revoked ${counted(tokens, "token")}.`);
        },
        (failure) => asked(visit, params["user"]!, "Disable", failure),
      ),
    ),
    post(enable, async ({ visit, params }) => {
      const { name } = await users.enable(visit.caller, params["user"]!);
      return to(userPath(name), `Enabled ${name}. A token or a password lets them in again.`);
    }),
    get(remove, ({ visit, params }) => asked(visit, params["user"]!, "Delete")),
    post(remove, ({ visit, params, form }) =>
      attempt(
        async () => {
          const { name } = users.get(visit.caller, params["user"]!);
          requireTyped(form, name);
          await users.remove(visit.caller, name);
          return to(USERS, `Deleted the user ${name}.`);
        },
        (failure) => asked(visit, params["user"]!, "Delete", failure),
      ),
    ),
  ];
}

function askedPage(
  users: Users,
  { visit, user, deed }: { visit: Visit; user: string; deed: Deed },
  failure: Failure | undefined,
): Answer {
  const { name, tokens } = users.get(visit.caller, user);
  const ends = `Revokes ${counted(tokens, "token")} and ends every session of ${name} at once. ${THEN[deed]}`;
  const confirm = {
    visit,
    action: userPath(name, `/${deed.toLowerCase()}`),
    back: userPath(name),
    button: `${deed} the user`,
    children: h("p", null, ends),
    typed: deed === "Delete" ? name : undefined,
    failure,
  };
  return page(`${deed} ${name}`, h(ConfirmBody, confirm), {
    crumbs: crumbsOf(name),
    status: failure?.status ?? 200,
  });
}
