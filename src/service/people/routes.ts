// HTTP for people: login, users, teams.

import { Elysia } from "elysia";
import { fromPath, fromText } from "../../kit/http/text-params.ts";
import { answerJson } from "../../kit/http/answer.ts";
import type { ClientAddresses } from "../../kit/http/client-address.ts";
import { exchangeOf, type Exchange } from "../../kit/http/exchange.ts";
import { Empty, IdParams } from "../../kit/schema.ts";
import { Type } from "@sinclair/typebox";
import type { Admission } from "../identity/admission.ts";
import {
  CreateUser,
  DeleteUserQuery,
  Login,
  RevokedTokens,
  SetPassword,
  Team,
  TeamMemberParams,
  UpdateUser,
  User,
  UserWithToken,
  WhoAmI,
  WriteTeam,
} from "./schema.ts";
import { sessionCookie } from "./session-cookie.ts";
import type { Teams } from "./teams.ts";
import type { Users } from "./users.ts";

export function peopleRoutes(
  plugin: Admission,
  { users, teams, addresses }: { users: Users; teams: Teams; addresses: ClientAddresses },
) {
  return new Elysia({ name: "people", normalize: false, tags: ["people"] })
    .use(sessionRoutes(plugin, users, addresses))
    .use(userRoutes(plugin, users))
    .use(teamRoutes(plugin, teams));
}

function sessionRoutes(plugin: Admission, users: Users, addresses: ClientAddresses) {
  return new Elysia({ name: "sessions", normalize: false, tags: ["people"] })
    .use(plugin)
    .post(
      "/login",
      async ({ body, request }) => {
        const exchange = exchangeOf(request);
        const session = await users.login(body.user, body.password, {
          requestId: exchange.id,
          address: addresses.of(exchange),
        });
        return withSession(answerJson(exchange.id, 200, session), exchange, session.token);
      },
      { caller: "open", body: Login, response: UserWithToken },
    )
    .post(
      "/logout",
      async ({ caller, request }) => {
        await users.logout(caller);
        const exchange = exchangeOf(request);
        return withSession(answerJson(exchange.id, 204, undefined), exchange, "");
      },
      { caller: "any", response: Empty },
    )
    .get("/whoami", ({ caller }) => users.whoami(caller), { caller: "any", response: WhoAmI });
}

function userRoutes(plugin: Admission, users: Users) {
  return new Elysia({ name: "users", normalize: false, tags: ["people"] })
    .use(plugin)
    .get("/users", ({ caller }) => users.list(caller), { caller: "admin", response: Type.Array(User) })
    .post(
      "/users",
      ({ caller, body, status }) => users.create(caller, body).then((created) => status(201, created)),
      {
        caller: "admin",
        body: CreateUser,
        response: { 201: UserWithToken },
      },
    )
    .patch("/users/:id", ({ caller, params, body }) => users.update(caller, params.id, body), {
      caller: "admin",
      params: fromPath(IdParams),
      body: UpdateUser,
      response: User,
    })
    .delete("/users/:id", ({ caller, params, query }) => users.remove(caller, params.id, query.transfer_to), {
      caller: "admin",
      params: fromPath(IdParams),
      query: fromText(DeleteUserQuery),
      response: Empty,
    })
    .put("/users/:id/password", ({ caller, params, body }) => users.setPassword(caller, params.id, body), {
      caller: "self",
      params: fromPath(IdParams),
      body: SetPassword,
      response: Empty,
    })
    .post(
      "/users/:id/tokens",
      ({ caller, params, status }) => users.createToken(caller, params.id).then((made) => status(201, made)),
      {
        caller: "admin",
        params: fromPath(IdParams),
        response: { 201: UserWithToken },
      },
    )
    .delete("/users/:id/tokens", ({ caller, params }) => users.revokeTokens(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: RevokedTokens,
    });
}

function teamRoutes(plugin: Admission, teams: Teams) {
  return new Elysia({ name: "teams", normalize: false, tags: ["people"] })
    .use(plugin)
    .get("/teams", () => teams.list(), { caller: "any", response: Type.Array(Team) })
    .post(
      "/teams",
      ({ caller, body, status }) => teams.create(caller, body).then((team) => status(201, team)),
      {
        caller: "admin",
        body: WriteTeam,
        response: { 201: Team },
      },
    )
    .patch("/teams/:id", ({ caller, params, body }) => teams.rename(caller, params.id, body), {
      caller: "admin",
      params: fromPath(IdParams),
      body: WriteTeam,
      response: Team,
    })
    .delete("/teams/:id", ({ caller, params }) => teams.remove(caller, params.id), {
      caller: "admin",
      params: fromPath(IdParams),
      response: Empty,
    })
    .put(
      "/teams/:id/members/:user_id",
      ({ caller, params }) => teams.addMember(caller, params.id, params.user_id),
      {
        caller: "lead",
        params: fromPath(TeamMemberParams),
        response: Team,
      },
    )
    .delete(
      "/teams/:id/members/:user_id",
      ({ caller, params }) => teams.removeMember(caller, params.id, params.user_id),
      {
        caller: "lead",
        params: fromPath(TeamMemberParams),
        response: Empty,
      },
    );
}

function withSession(response: Response, exchange: Exchange, token: string): Response {
  response.headers.append("Set-Cookie", sessionCookie(exchange, token));
  return response;
}
