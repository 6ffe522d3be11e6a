// `cairn user …` and `cairn auth …`: people, their tokens, and who I am.

import type { Token, User } from "../../context/people/schema.ts";
import { roles } from "../../context/access/schema.ts";
import { oneOfWords, repeatable } from "../../kit/arguments.ts";
import { AppError } from "../../kit/error.ts";
import { hasTerminal, processEnvironment } from "../../kit/environment.ts";
import { askHidden, readStdin } from "../../kit/stdin.ts";
import { serverCommand } from "../command.ts";
import { serverUrl } from "../connection.ts";
import { store } from "../credentials.ts";
import { fields, plural, table } from "../text.ts";

const name = {
  type: "positional",
  required: true,
  valueHint: "name",
  description: "Name of the user",
} as const;
const ROLES = roles.join(", ");

export const userList = serverCommand({
  name: "list",
  description: "List the users of a server",
  args: {},
  ask: (client) => client.get<User[]>("/users"),
  show: (users) =>
    table(
      users.map((user) => [
        user.name,
        user.role,
        user.spaces === null ? "all" : user.spaces.join(", "),
        user.disabled
          ? "disabled"
          : user.locked_until === null
            ? "active"
            : `locked until ${user.locked_until}`,
        user.tokens,
        user.has_password,
      ]),
      ["NAME", "ROLE", "SPACES", "STATE", "TOKENS", "PASSWORD"],
      "no users",
    ),
});

export const userAdd = serverCommand({
  name: "add",
  description: "Add a user; prints their first token once",
  args: {
    name,
    role: oneOfWords(roles, {
      type: "string",
      required: true,
      valueHint: "role",
      description: `One of ${ROLES}`,
    }),
    space: repeatable({
      type: "string",
      valueHint: "name",
      description: "A space where the role counts; repeatable (default: every space)",
    }),
  },
  ask: (client, args) =>
    client.json<{ user: User; token: string }>("POST", "/users", {
      body: {
        name: args.name,
        role: args.role,
        spaces: args.space === undefined ? null : listOf(args.space),
      },
    }),
  show: ({ user, token }) => `${user.name} is ${user.role}\ntoken, shown only now: ${token}`,
});

export const userRole = serverCommand({
  name: "role",
  description: "Change the role of a user",
  args: {
    name,
    role: oneOfWords(roles, {
      type: "positional",
      required: true,
      valueHint: "role",
      description: `One of ${ROLES}`,
    }),
  },
  ask: (client, args) =>
    client.json<User>("PATCH", `/users/${encodeURIComponent(args.name)}`, { body: { role: args.role } }),
  show: (user) => `${user.name} is ${user.role}`,
});

export const userResetToken = serverCommand({
  name: "reset-token",
  description: "Revoke all tokens of a user and print a new one once",
  args: { name },
  ask: async (client, args) => {
    const place = `/users/${encodeURIComponent(args.name)}/tokens`;
    const { user, revoked } = await client.json<{ user: string; revoked: number }>("DELETE", place);
    const { token } = await client.json<{ token: string }>("POST", place, { body: { label: "reset" } });
    return { user, revoked, token };
  },
  show: ({ user, revoked, token }) =>
    `${plural(revoked, "token")} of ${user} revoked\ntoken, shown only now: ${token}`,
});

function switchCommand(verb: "disable" | "enable", description: string) {
  return serverCommand({
    name: verb,
    description,
    args: { name },
    ask: (client, args) => client.json<User>("POST", `/users/${encodeURIComponent(args.name)}/${verb}`),
    show: (user) => {
      if (user.disabled) return `${user.name} is disabled; all tokens are revoked`;
      const none = user.tokens === 0 ? `; has no token: cairn auth token create ${user.name}` : "";
      return `${user.name} is active${none}`;
    },
  });
}

export const userDisable = switchCommand("disable", "Disable a user and revoke all their tokens at once");
export const userEnable = switchCommand("enable", "Enable a user again");

export const userRemove = serverCommand({
  name: "remove",
  description: "Remove a user with their tokens and rules",
  args: { name, yes: { type: "boolean", description: "Yes, remove them" } },
  ask: async (client, args) => {
    if (args.yes !== true)
      throw new AppError("refused", `say --yes to remove ${args.name}; to keep the account, disable it`);
    await client.json("DELETE", `/users/${encodeURIComponent(args.name)}`);
    return { name: args.name, removed: true };
  },
  show: (gone) => `${gone.name} is removed`,
});

export const userPassword = serverCommand({
  name: "password",
  description: "Set the password of a user; it is asked for, or read from standard input",
  args: { name },
  ask: async (client, args) => {
    const password = await readPassword(true);
    await client.json("PUT", `/users/${encodeURIComponent(args.name)}/password`, { body: { password } });
    return { name: args.name, has_password: true };
  },
  show: (user) => `the password of ${user.name} is set`,
});

export const tokenCreate = serverCommand({
  name: "create",
  description: "Issue a token for a user; it is printed once",
  args: { name, label: { type: "string", valueHint: "text", description: "What it is for" } },
  ask: (client, args) =>
    client.json<Token & { token: string }>("POST", `/users/${encodeURIComponent(args.name)}/tokens`, {
      body: args.label === undefined ? {} : { label: args.label },
    }),
  show: (made) =>
    `token, shown only now: ${made.token}\n${made.expires_at === null ? "it does not expire" : `valid until ${made.expires_at}`}`,
});

export const tokenList = serverCommand({
  name: "list",
  description: "List the tokens of a user; never the tokens themselves",
  args: { name },
  ask: (client, args) => client.get<Token[]>(`/users/${encodeURIComponent(args.name)}/tokens`),
  show: (tokens) =>
    table(
      tokens.map((token) => [
        token.id,
        token.kind,
        token.label,
        token.created_at,
        token.last_used_at,
        token.expires_at,
      ]),
      ["ID", "KIND", "LABEL", "CREATED", "LAST USED", "EXPIRES"],
      "no tokens",
    ),
});

export const tokenRevoke = serverCommand({
  name: "revoke",
  description: "Revoke all tokens of a user, or one",
  args: { name, id: { type: "string", valueHint: "number", description: "Only this one" } },
  ask: async (client, args) => {
    const place = `/users/${encodeURIComponent(args.name)}/tokens`;
    if (args.id === undefined) return client.json<{ user: string; revoked: number }>("DELETE", place);
    if (!/^[1-9][0-9]*$/.test(args.id))
      throw new AppError("invalid", `--id "${args.id}": expected the number of a token`);
    await client.json("DELETE", `${place}/${args.id}`);
    return { user: args.name, revoked: 1 };
  },
  show: ({ user, revoked }) => `${plural(revoked, "token")} of ${user} revoked`,
});

interface Me {
  name: string;
  role: string;
  spaces: string[] | null;
  auth: string;
}

export const whoami = serverCommand({
  name: "whoami",
  description: "Show who I am on a server",
  args: {},
  ask: (client) => client.get<Me>("/auth/whoami"),
  show: (me) => fields({ ...me, spaces: me.spaces === null ? "all" : me.spaces.join(", ") }),
});

export const login = serverCommand({
  name: "login",
  description:
    "Sign in to a server (--server); the password is asked for, or read from standard input; the token is kept for you",
  args: { name },
  elsewhere: "sign in where?",
  ask: async (client, args) => {
    const url = serverUrl(String(args["server" as never]));
    const password = await readPassword();
    const answer = await client.json<{ user: User; token: string; expires_at: string }>(
      "POST",
      "/auth/login",
      {
        body: { name: args.name, password },
      },
    );
    await store(url, { user: answer.user.name, token: answer.token }, processEnvironment());
    return { server: url, user: answer.user.name, role: answer.user.role, expires_at: answer.expires_at };
  },
  show: (answer) => `signed in to ${answer.server} as ${answer.user} until ${answer.expires_at}`,
});

export const logout = serverCommand({
  name: "logout",
  description: "Sign out of a server (--server): revokes the token that was kept",
  args: {},
  elsewhere: "sign out of where?",
  ask: async (client, args) => {
    const url = serverUrl(String(args["server" as never]));
    await client.json("DELETE", "/auth/token");
    await store(url, undefined, processEnvironment());
    return { server: url, signed_out: true };
  },
  show: (answer) => `signed out of ${answer.server}`,
});

/** From a pipe, or asked for on a terminal, without showing it; a `fresh` one twice. */
async function readPassword(fresh = false): Promise<string> {
  if (!hasTerminal()) return new TextDecoder().decode(await readStdin()).replace(/\r?\n$/, "");
  const password = await askHidden("password");
  if (fresh && (await askHidden("the same once more")) !== password)
    throw new AppError("invalid", "the two are not the same; nothing was changed");
  return password;
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
