// Users, tokens, sessions and teams as the API shows them. No record has a field for a token, hash or password.

import { Type, type Static } from "@sinclair/typebox";
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from "../../kit/secrets/passwords.ts";
import { judgedText, GivenName, closed, Id, nullable, Time } from "../../kit/schema.ts";
import { AuthKind, Role } from "../identity/schema.ts";

export const LOGIN_ATTEMPTS_PER_MINUTE = 10;
/** Limit before trimming; names themselves are shorter. */
const LOGIN_NAME_CHARACTERS_MAX = 1000;
/** A session expires after this time without use. */
export const SESSION_IDLE_DAYS = 30;

export const User = closed({
  id: Id,
  name: Type.String(),
  role: Role,
  has_password: Type.Boolean(),
  tokens: Type.Integer({ description: "number of valid access tokens and sessions" }),
  last_used_at: nullable(Time),
  created_at: Time,
});
export type User = Static<typeof User>;

export const CreateUser = closed({ name: GivenName, role: Type.Optional(Role) });
export const UpdateUser = closed({ name: Type.Optional(GivenName), role: Type.Optional(Role) });
/** Counted in UTF-16 units, so that every password within the limit in characters passes. */
const GivenPassword = Type.String({ maxLength: PASSWORD_CHARACTERS_MAX * 2 });
export const SetPassword = closed({
  password: judgedText({ minLength: PASSWORD_CHARACTERS_MIN, maxLength: PASSWORD_CHARACTERS_MAX }),
  current_password: Type.Optional(GivenPassword),
});
export const DeleteUserQuery = closed({ transfer_to: Type.Optional(Id) });

/** The only response with a token, which is shown once, at creation. */
export const UserWithToken = closed({ user: User, token: Type.String() });
export const RevokedTokens = closed({ revoked: Type.Integer() });

export const Login = closed({
  user: Type.String({ maxLength: LOGIN_NAME_CHARACTERS_MAX }),
  password: GivenPassword,
});

export const WhoAmI = closed({
  id: Id,
  name: Type.String(),
  role: Role,
  auth: AuthKind,
  team_ids: Type.Array(Id),
});
export type WhoAmI = Static<typeof WhoAmI>;

export const Team = closed({
  id: Id,
  name: Type.String(),
  members: Type.Array(closed({ id: Id, name: Type.String(), role: Role })),
});
export type Team = Static<typeof Team>;
export const WriteTeam = closed({ name: GivenName });
export const TeamMemberParams = closed({ id: Id, user_id: Id });
