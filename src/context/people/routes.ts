// HTTP for users, their tokens and access rules, and for login and logout.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { Acl, Capability, Explanation, WriteAcl } from "../access/schema.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { closed, Empty, judgedText } from "../../kit/schema.ts";
import { PATH_BYTES_MAX } from "../../kit/text/paths.ts";
import type { AccessRules } from "./access-rules.ts";
import type { Logins } from "./logins.ts";
import type { Admission } from "../identity/admission.ts";
import {
  CreatedToken,
  CreatedUser,
  CreateToken,
  CreateUser,
  Login,
  LoginAnswer,
  RevokedTokens,
  RevokeTokensQuery,
  SetPassword,
  Token,
  TokenParams,
  UpdateUser,
  User,
  UserParams,
  WhoAmI,
} from "./schema.ts";
import type { Users } from "./users.ts";

const AfterUser = Type.String({
  maxLength: 1_000,
  description: "the last user of the previous page; the answer after the last page is empty",
});
/** `<space>/<path>`. */
const ExplainedPath = judgedText({ minLength: 1, maxLength: PATH_BYTES_MAX });

export function peopleRoutes(plugin: Admission, logins: Logins, users: Users, rules: AccessRules) {
  return new Elysia({ name: "people", normalize: false })
    .use(plugin)
    .use(sessionRoutes(plugin, logins, users))
    .use(userRoutes(plugin, users))
    .use(tokenRoutes(plugin, users))
    .use(accessRoutes(plugin, rules));
}

function sessionRoutes(plugin: Admission, logins: Logins, users: Users) {
  return new Elysia({ name: "auth", normalize: false, prefix: "/auth", tags: ["auth"] })
    .use(plugin)
    .post(
      "/login",
      async ({ body, request }) => logins.login(exchangeOf(request), body.name, body.password),
      {
        caller: "open",
        body: Login,
        response: LoginAnswer,
      },
    )
    .delete("/token", async ({ caller }) => logins.logout(caller), { caller: "any", response: Empty })
    .get("/whoami", ({ caller }) => users.whoAmI(caller), { caller: "any", response: WhoAmI });
}

function userRoutes(plugin: Admission, users: Users) {
  return new Elysia({ name: "users", normalize: false, prefix: "/users", tags: ["users"] })
    .use(plugin)
    .get("", ({ caller }) => users.list(caller), { caller: "admin", response: Type.Array(User) })
    .post("", async ({ caller, body, status }) => status(201, await users.create(caller, body)), {
      caller: "admin",
      body: CreateUser,
      response: { 201: CreatedUser },
    })
    .get("/:user", ({ caller, params }) => users.get(caller, params.user), {
      caller: "admin",
      params: UserParams,
      response: User,
    })
    .patch("/:user", async ({ caller, params, body }) => users.update(caller, params.user, body), {
      caller: "admin",
      params: UserParams,
      body: UpdateUser,
      response: User,
    })
    .delete("/:user", async ({ caller, params }) => users.remove(caller, params.user), {
      caller: "admin",
      params: UserParams,
      response: Empty,
    })
    .put(
      "/:user/password",
      async ({ caller, params, body }) => users.setPassword(caller, params.user, body.password),
      {
        caller: "admin",
        params: UserParams,
        body: SetPassword,
        response: Empty,
      },
    )
    .post("/:user/disable", async ({ caller, params }) => users.disable(caller, params.user), {
      caller: "admin",
      params: UserParams,
      response: User,
    })
    .post("/:user/enable", async ({ caller, params }) => users.enable(caller, params.user), {
      caller: "admin",
      params: UserParams,
      response: User,
    });
}

function tokenRoutes(plugin: Admission, users: Users) {
  return new Elysia({ name: "tokens", normalize: false, prefix: "/users/:user/tokens", tags: ["users"] })
    .use(plugin)
    .get("", ({ caller, params }) => users.tokens(caller, params.user), {
      caller: "admin",
      params: UserParams,
      response: Type.Array(Token),
    })
    .post(
      "",
      async ({ caller, params, body, status }) =>
        status(201, await users.createToken(caller, params.user, body ?? {})),
      {
        caller: "admin",
        params: UserParams,
        body: Type.Optional(CreateToken),
        response: { 201: CreatedToken },
      },
    )
    .delete("", async ({ caller, params, query }) => users.revokeTokens(caller, params.user, query.keep), {
      caller: "admin",
      params: UserParams,
      query: fromText(RevokeTokensQuery),
      response: RevokedTokens,
    })
    .delete("/:id", async ({ caller, params }) => users.revokeToken(caller, params.user, params.id), {
      caller: "admin",
      params: fromPath(TokenParams),
      response: Empty,
    });
}

function accessRoutes(plugin: Admission, rules: AccessRules) {
  return new Elysia({ name: "acl", normalize: false, tags: ["acl"] })
    .use(plugin)
    .get("/users/:user/acl", ({ caller, params }) => rules.get(caller, params.user), {
      caller: "admin",
      params: UserParams,
      response: Acl,
    })
    .put("/users/:user/acl", async ({ caller, params, body }) => rules.set(caller, params.user, body), {
      caller: "admin",
      params: UserParams,
      body: WriteAcl,
      response: Acl,
    })
    .delete("/users/:user/acl", async ({ caller, params }) => rules.set(caller, params.user, { rules: [] }), {
      caller: "admin",
      params: UserParams,
      response: Acl,
    })
    .get("/acl", async ({ caller, query }) => rules.page(caller, query.after), {
      caller: "admin",
      query: closed({ after: Type.Optional(AfterUser) }),
      response: Type.Array(Acl),
    })
    .get(
      "/acl/explain",
      async ({ caller, query }) => rules.explain(caller, query.user, query.path, query.capability ?? "read"),
      {
        caller: "admin",
        query: closed({ user: Type.String(), path: ExplainedPath, capability: Type.Optional(Capability) }),
        response: Explanation,
      },
    );
}
