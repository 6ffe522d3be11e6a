// The page of one user with their tokens, and what admins do with those.

import { h } from "preact";
import { fieldError, notFound } from "../../../kit/error.ts";
import { CreateToken } from "../../people/schema.ts";
import type { AccessRules } from "../../people/access-rules.ts";
import type { Users } from "../../people/users.ts";
import { page, to, type Answer, type PageRoute } from "../area.ts";
import type { Failure } from "../failure.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { given } from "../form-input.ts";
import { ConfirmBody } from "../pages/confirm.tsx";
import { UserBody } from "../pages/user.tsx";
import { crumbsOf, userPath, USERS } from "../user-addresses.ts";
import { attempt, get, idOf, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

const DAY_SECONDS = 86_400;

interface TokenPagesDeps {
  readonly users: Users;
  readonly rules: AccessRules;
}

interface TokenForm {
  readonly label: string;
  readonly days: string;
  readonly failure: Failure;
}

export function userPage(
  { users, rules }: TokenPagesDeps,
  visit: Visit,
  name: string,
  form?: TokenForm,
): Answer {
  const { caller } = visit;
  const user = users.seen(caller, name);
  const facts = { user, rules: rules.get(caller, name).rules.length, tokens: users.tokens(caller, name) };
  return page(user.name, h(UserBody, { visit, ...facts, form }), {
    crumbs: [{ label: "Users", path: USERS }],
    status: form?.failure.status ?? 200,
  });
}

export function tokenRoutes(deps: TokenPagesDeps): PageRoute[] {
  const { users } = deps;
  return [
    post(`${USERS}/:user/tokens`, ({ visit, params, form }) => {
      const name = params["user"]!;
      const typed = { label: form.text("label"), days: form.text("days") };
      return attempt(
        async () => {
          const days = form.number("days");
          if (days === 0) throw fieldError("invalid", "days", "at least 1");
          const expires = days === undefined ? {} : { expires_in: days * DAY_SECONDS };
          const made = await users.createToken(
            visit.caller,
            name,
            given(CreateToken, { label: typed.label, ...expires }),
          );
          const text = `Created a token for ${name}. It is shown only now.`;
          return to(userPath(name), { text, secret: made.token });
        },
        (failure) => userPage(deps, visit, name, { ...typed, failure: atDays(failure) }),
        "label",
      );
    }),
    ...revokeAllRoutes(deps),
    ...revokeRoutes(deps),
  ];
}

/** The form has days, the rule seconds. */
function atDays(failure: Failure): Failure {
  return failure.field === "expires_in" ? { ...failure, field: "days", text: "at most 3,650" } : failure;
}

function revokeAllRoutes({ users }: TokenPagesDeps): PageRoute[] {
  const path = `${USERS}/:user/tokens/revoke`;
  return [
    get(path, ({ visit, params }) => {
      const { name, tokens } = users.get(visit.caller, params["user"]!);
      const text = `Revokes ${counted(tokens, "token")} of ${name} at once, including those of logins. Sessions in this console stay open.`;
      const back = userPath(name);
      const action = userPath(name, "/tokens/revoke");
      const confirm = { visit, action, back, button: "Revoke all", children: h("p", null, text) };
      return page(`Revoke all tokens of ${name}`, h(ConfirmBody, confirm), { crumbs: crumbsOf(name) });
    }),
    post(path, async ({ visit, params }) => {
      const { user, revoked } = await users.revokeTokens(visit.caller, params["user"]!);
      return to(userPath(user), `Revoked ${counted(revoked, "token")} of ${user}.`);
    }),
  ];
}

function revokeRoutes({ users }: TokenPagesDeps): PageRoute[] {
  const path = `${USERS}/:user/tokens/:id/revoke`;
  return [
    get(path, ({ visit, params }) => {
      const { name } = users.get(visit.caller, params["user"]!);
      const id = params["id"]!;
      const token = users.tokens(visit.caller, name).find((known) => String(known.id) === id);
      if (!token) throw notFound("token", id);
      const called = token.label === "" ? `token ${id}` : token.label;
      const text = `The program that uses this token of ${name} loses access at once.`;
      const action = userPath(name, `/tokens/${token.id}/revoke`);
      const confirm = {
        visit,
        action,
        back: userPath(name),
        button: "Revoke",
        children: h("p", null, text),
      };
      return page(`Revoke ${called}`, h(ConfirmBody, confirm), { crumbs: crumbsOf(name) });
    }),
    post(path, async ({ visit, params }) => {
      const { name } = users.get(visit.caller, params["user"]!);
      await users.revokeToken(visit.caller, name, idOf("token", params));
      return to(userPath(name), `Revoked a token of ${name}.`);
    }),
  ];
}
