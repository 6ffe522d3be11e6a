// HTTP for people, their tokens and rules, and for the two ways in.

import { Elysia } from "elysia";
import { Type } from "@sinclair/typebox";
import { Acl, Capability, Explanation, WriteAcl } from "../access/schema.ts";
import { exchangeOf } from "../../kit/http/exchange.ts";
import { fromPath } from "../../kit/http/text-params.ts";
import { closed, Empty } from "../../kit/schema.ts";
import type { AccessRules } from "./access-rules.ts";
import type { Logins } from "./logins.ts";
import type { ActorPlugin } from "./plugin.ts";
import {
  CreatedToken,
  CreatedUser,
  CreateToken,
  CreateUser,
  Login,
  LoginAnswer,
  RevokedTokens,
  SetPassword,
  Token,
  TokenParams,
  UpdateUser,
  User,
  UserParams,
  WhoAmI,
} from "./schema.ts";
import type { Users } from "./users.ts";

export function peopleRoutes(plugin: ActorPlugin, logins: Logins, users: Users, rules: AccessRules) {
  return new Elysia({ name: "people", normalize: false })
    .use(plugin)
    .use(sessionRoutes(plugin, logins, users))
    .use(userRoutes(plugin, users))
    .use(tokenRoutes(plugin, users))
    .use(accessRoutes(plugin, rules));
}

function sessionRoutes(plugin: ActorPlugin, logins: Logins, users: Users) {
  return new Elysia({ name: "auth", normalize: false, prefix: "/auth", tags: ["auth"] })
    .use(plugin)
    .post(
      "/login",
      async ({ body, request }) => logins.login(exchangeOf(request), body.name, body.password),
      {
        actor: "open",
        body: Login,
        response: LoginAnswer,
      },
    )
    .delete("/token", async ({ actor }) => logins.logout(actor), { actor: "any", response: Empty })
    .get("/whoami", ({ actor }) => users.whoAmI(actor), { actor: "any", response: WhoAmI });
}

function userRoutes(plugin: ActorPlugin, users: Users) {
  return new Elysia({ name: "users", normalize: false, prefix: "/users", tags: ["users"] })
    .use(plugin)
    .get("", ({ actor }) => users.list(actor), { actor: "admin", response: Type.Array(User) })
    .post("", async ({ actor, body, status }) => status(201, await users.create(actor, body)), {
      actor: "admin",
      body: CreateUser,
      response: { 201: CreatedUser },
    })
    .get("/:user", ({ actor, params }) => users.get(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: User,
    })
    .patch("/:user", async ({ actor, params, body }) => users.update(actor, params.user, body), {
      actor: "admin",
      params: UserParams,
      body: UpdateUser,
      response: User,
    })
    .delete("/:user", async ({ actor, params }) => users.remove(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: Empty,
    })
    .put(
      "/:user/password",
      async ({ actor, params, body }) => users.setPassword(actor, params.user, body.password),
      {
        actor: "admin",
        params: UserParams,
        body: SetPassword,
        response: Empty,
      },
    )
    .post("/:user/disable", async ({ actor, params }) => users.disable(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: User,
    })
    .post("/:user/enable", async ({ actor, params }) => users.enable(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: User,
    });
}

function tokenRoutes(plugin: ActorPlugin, users: Users) {
  return new Elysia({ name: "tokens", normalize: false, prefix: "/users/:user/tokens", tags: ["users"] })
    .use(plugin)
    .get("", ({ actor, params }) => users.tokens(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: Type.Array(Token),
    })
    .post(
      "",
      async ({ actor, params, body, status }) =>
        status(201, await users.createToken(actor, params.user, body?.label ?? "")),
      {
        actor: "admin",
        params: UserParams,
        body: Type.Optional(CreateToken),
        response: { 201: CreatedToken },
      },
    )
    .delete("", async ({ actor, params }) => users.revokeTokens(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: RevokedTokens,
    })
    .delete("/:id", async ({ actor, params }) => users.revokeToken(actor, params.user, params.id), {
      actor: "admin",
      params: fromPath(TokenParams),
      response: Empty,
    });
}

function accessRoutes(plugin: ActorPlugin, rules: AccessRules) {
  return new Elysia({ name: "acl", normalize: false, tags: ["acl"] })
    .use(plugin)
    .get("/users/:user/acl", ({ actor, params }) => rules.get(actor, params.user), {
      actor: "admin",
      params: UserParams,
      response: Acl,
    })
    .put("/users/:user/acl", async ({ actor, params, body }) => rules.set(actor, params.user, body), {
      actor: "admin",
      params: UserParams,
      body: WriteAcl,
      response: Acl,
    })
    .delete("/users/:user/acl", async ({ actor, params }) => rules.set(actor, params.user, { rules: [] }), {
      actor: "admin",
      params: UserParams,
      response: Acl,
    })
    .get(
      "/acl/explain",
      ({ actor, query }) => rules.explain(actor, query.user, query.path, query.capability ?? "read"),
      {
        actor: "admin",
        query: closed({ user: Type.String(), path: Type.String(), capability: Type.Optional(Capability) }),
        response: Explanation,
      },
    );
}
