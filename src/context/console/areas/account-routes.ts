// My account: everyone's own password and tokens.

import { h } from "preact";
import { notFound } from "../../../kit/error.ts";
import type { Account } from "../../people/account.ts";
import type { Logins } from "../../people/logins.ts";
import { page, to, type Area, type PageRoute } from "../area.ts";
import type { Failure } from "../failure.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { ACCOUNT, AccountBody } from "../pages/account.tsx";
import { ConfirmBody } from "../pages/confirm.tsx";
import { attempt, get, idOf, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

const CRUMBS = [{ label: "My account", path: ACCOUNT }];

export function accountArea(account: Account, logins: Pick<Logins, "changePassword">): Area {
  const shown = (visit: Visit, failure?: Failure) =>
    page("My account", h(AccountBody, { visit, tokens: account.tokens(visit.caller), failure }), {
      status: failure?.status ?? 200,
    });
  return {
    routes: [
      get(ACCOUNT, ({ visit }) => shown(visit)),
      post(`${ACCOUNT}/password`, ({ visit, form }) =>
        attempt(
          async () => {
            await logins.changePassword(visit.caller, form.text("current"), form.text("password"));
            return to(ACCOUNT, "Changed your password. Your other sessions have ended.");
          },
          (failure) => shown(visit, failure),
        ),
      ),
      ...revokeRoutes(account),
    ],
  };
}

function revokeRoutes(account: Account): PageRoute[] {
  const all = `${ACCOUNT}/tokens/revoke`;
  const one = `${ACCOUNT}/tokens/:id/revoke`;
  return [
    get(all, ({ visit }) => {
      const count = account.tokens(visit.caller).length;
      const body = `Revokes ${counted(count, "token")}. Programs that use a revoked token lose access at once. This session stays open.`;
      const confirm = {
        visit,
        action: all,
        back: ACCOUNT,
        button: "Revoke all",
        children: h("p", null, body),
      };
      return page("Revoke all your tokens", h(ConfirmBody, confirm), { crumbs: CRUMBS });
    }),
    post(all, async ({ visit }) => {
      const count = await account.revokeTokens(visit.caller);
      return to(ACCOUNT, `Revoked ${counted(count, "token")}.`);
    }),
    get(one, ({ visit, params }) => {
      const id = params["id"]!;
      const token = account.tokens(visit.caller).find((known) => String(known.id) === id);
      if (!token) throw notFound("token", id);
      const body = "The program that uses this token loses access at once.";
      const action = `${ACCOUNT}/tokens/${token.id}/revoke`;
      const confirm = { visit, action, back: ACCOUNT, button: "Revoke", children: h("p", null, body) };
      const title = token.label === "" ? `Revoke token ${id}` : `Revoke ${token.label}`;
      return page(title, h(ConfirmBody, confirm), { crumbs: CRUMBS });
    }),
    post(one, async ({ visit, params }) => {
      await account.revokeToken(visit.caller, idOf("token", params));
      return to(ACCOUNT, "Revoked the token.");
    }),
  ];
}
