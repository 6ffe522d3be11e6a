// Users of a context server, their tokens, and login. No record contains a token, a hash or a password.

import { Type, type Static } from "@sinclair/typebox";
import { PASSWORD_CHARACTERS_MAX } from "../../kit/secrets/passwords.ts";
import { GivenName, closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";
import { Role } from "../access/schema.ts";
import { authKinds } from "../identity/schema.ts";

export const FAILED_LOGINS_MAX = 5;
export const LOCKED_MINUTES = 15;
export const BOOTSTRAP_HOURS = 24;
export const SESSION_HOURS = 12;
/** A session of the console ends after this long, and earlier if it is not used. */
export const CONSOLE_HOURS = 12;
export const CONSOLE_IDLE_HOURS = 2;
export const CONSOLE_SESSIONS_MAX = 20;
const TOKEN_LABEL_CHARACTERS_MAX = 100;
const SPACES_PER_USER_MAX = 1_000;
/** Ten years; a token that should never expire has no lifetime. */
const TOKEN_SECONDS_MAX = 10 * 365 * 86_400;

const tokenKinds = ["token", "bootstrap", "session"] as const;

export const User = closed({
  name: Type.String(),
  role: Role,
  /** The spaces where the role applies; null: all. */
  spaces: nullable(Type.Array(Type.String())),
  has_password: Type.Boolean(),
  disabled: Type.Boolean(),
  /** No password is accepted until then; null: not locked. */
  locked_until: nullable(Time),
  tokens: Type.Integer({ description: "number of valid tokens" }),
  created_at: Time,
});
export type User = Static<typeof User>;
/** `last_seen_at`: the last use of a valid token or of a session of the console. */
export type SeenUser = User & { readonly last_seen_at: string | null };

const Spaces = nullable(Type.Array(Type.String(), { maxItems: SPACES_PER_USER_MAX, uniqueItems: true }));
export const CreateUser = closed({ name: GivenName, role: Role, spaces: Type.Optional(Spaces) });
export type CreateUser = Static<typeof CreateUser>;
export const UpdateUser = closed({ role: Type.Optional(Role), spaces: Type.Optional(Spaces) });
export type UpdateUser = Static<typeof UpdateUser>;
export const CreatedUser = closed({ user: User, token: Type.String({ description: "shown once" }) });

export const Token = closed({
  id: Id,
  kind: oneOf(tokenKinds),
  label: Type.String(),
  created_at: Time,
  last_used_at: nullable(Time),
  expires_at: nullable(Time),
});
export type Token = Static<typeof Token>;
export const CreateToken = closed({
  label: Type.Optional(Type.String({ maxLength: TOKEN_LABEL_CHARACTERS_MAX })),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TOKEN_SECONDS_MAX,
      description: "seconds; auth.token_ttl still applies if it ends earlier",
    }),
  ),
});
export type CreateToken = Static<typeof CreateToken>;
export const CreatedToken = closed({
  ...Token.properties,
  token: Type.String({ description: "shown once" }),
});
export type CreatedToken = Static<typeof CreatedToken>;
export const RevokeTokensQuery = closed({
  /** The number of a token that stays valid. */
  keep: Type.Optional(Id),
});
export const RevokedTokens = closed({ user: Type.String(), revoked: Type.Integer() });

/** Counted in UTF-16 units, so the limit is doubled to accept any password within the real one. */
const GivenPassword = Type.String({ maxLength: PASSWORD_CHARACTERS_MAX * 2 });
export const Login = closed({ name: Type.String({ maxLength: 1_000 }), password: GivenPassword });
export const LoginAnswer = closed({ user: User, token: Type.String(), expires_at: nullable(Time) });
export const SetPassword = closed({ password: GivenPassword });

export const WhoAmI = closed({
  name: Type.String(),
  role: Role,
  spaces: nullable(Type.Array(Type.String())),
  auth: oneOf(authKinds),
});
export type WhoAmI = Static<typeof WhoAmI>;
export const UserParams = closed({ user: Type.String() });
export const TokenParams = closed({ user: Type.String(), id: Id });
