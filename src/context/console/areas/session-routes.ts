// Signing in and out. The rules are those of the API's login: one sentence for every failure, a lock after several, a limit per address.

import { h } from "preact";
import { redirect } from "../responses.ts";
import type { Logins } from "../../people/logins.ts";
import { csrfOf, visitorSecret, type ConsoleCookies } from "../door.ts";
import { failureOf } from "../failure.ts";
import { page, to, type Area } from "../area.ts";
import { AppError } from "../../../kit/error.ts";
import { LoginBody } from "../pages/login.tsx";
import { carriedForm, RepeatBody } from "../pages/repeat.tsx";

export function sessionArea(logins: Logins, cookies: ConsoleCookies): Area {
  return {
    routes: [
      {
        method: "GET",
        path: "/console/login",
        query: ["next"],
        open: ({ visit, query }) => {
          const form = { name: "", next: ownPath(query.get("next")) };
          return page("Sign in", h(LoginBody, { visit, form }));
        },
      },
      {
        method: "POST",
        path: "/console/login",
        open: async ({ visit, form, exchange }) => {
          const name = form.text("name");
          const next = ownPath(form.text("next"));
          const late = carriedForm(form);
          try {
            const secret = await logins.beginSession(exchange, name, form.text("password"));
            const set = [cookies.set(exchange, "session", secret), cookies.set(exchange, "visitor", "")];
            if (late)
              return page("Signed in", h(RepeatBody, { csrf: csrfOf(secret), late }), { cookies: set });
            return { kind: "response", response: redirect(exchange, next, visit.nonce, set) };
          } catch (error) {
            if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
            const failure = { ...failureOf(new AppError("invalid", error.message)), status: error.status };
            return page("Sign in", h(LoginBody, { visit, form: { name, next, late, failure } }), {
              status: failure.status,
            });
          }
        },
      },
      {
        method: "POST",
        path: "/console/logout",
        answer: async ({ visit, exchange }) => {
          await logins.endSession(visit.caller);
          const secret = visitorSecret();
          const set = [cookies.set(exchange, "session", ""), cookies.set(exchange, "visitor", secret)];
          return { kind: "response", response: redirect(exchange, "/console/login", csrfOf(secret), set) };
        },
      },
      { method: "GET", path: "/console/logout", open: () => to("/console") },
    ],
  };
}

/** Returns an address of the console only, so that signing in leads nowhere else. */
function ownPath(text: string | null): string {
  const isOwn = text !== null && /^\/console(?:$|[/?])[\x21-\x7e]*$/.test(text) && !text.includes("\\");
  return isOwn ? text : "/console";
}
