// `cairn user …` and `cairn auth …`: users, tokens and signing in.

import type { CreatedToken, Token, User } from "../../context/people/schema.ts";
import { roles } from "../../context/access/schema.ts";
import { oneOfWords, repeatable } from "../../kit/terminal/arguments.ts";
import { AppError } from "../../kit/error.ts";
import { hasTerminal, processEnvironment } from "../../kit/environment.ts";
import { askHidden, readStdin } from "../../kit/terminal/stdin.ts";
import { serverCommand } from "../command.ts";
import { serverUrl } from "../server-url.ts";
import type { ServerFlags } from "../target.ts";
import { forgetToken, lastSignIn, saveSignIn } from "../credentials.ts";
import { connectionArgs, tokenToSend } from "../connection.ts";
import { nextCommand } from "../next-command.ts";
import { fields, plural, secondsOf, table, when } from "../tables.ts";
import { commaList } from "../comma-list.ts";

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
        spacesText(user),
        stateText(user),
        user.tokens,
        user.has_password,
      ]),
      ["NAME", "ROLE", "SPACES", "STATE", "TOKENS", "PASSWORD"],
      "no users",
    ),
});

const spacesText = ({ spaces }: Pick<User, "spaces">) =>
  spaces === null ? "all" : spaces.length === 0 ? "none" : spaces.join(", ");

function stateText({ disabled, locked_until: until }: User): string {
  if (disabled) return "disabled";
  return until === null ? "active" : `locked until ${until}`;
}

export const userAdd = serverCommand({
  name: "add",
  description: "Add a user and print their first token",
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
      description: "Space where the role applies; repeatable (default: every space)",
    }),
  },
  ask: (client, args) =>
    client.json<{ user: User; token: string }>("POST", "/users", {
      body: {
        name: args.name,
        role: args.role,
        spaces: args.space === undefined ? null : commaList(args.space),
      },
    }),
  show: ({ token }) => token,
  note: ({ user }) => `${user.name} is ${user.role}; the token is shown once`,
});

export const userShow = serverCommand({
  name: "show",
  description: "Show one user",
  args: { name },
  ask: (client, args) => client.get<User>(`/users/${encodeURIComponent(args.name)}`),
  show: (user) =>
    fields({
      name: user.name,
      role: user.role,
      spaces: spacesText(user),
      state: stateText(user),
      tokens: user.tokens,
      password: user.has_password,
      created: user.created_at,
    }),
});

export const userSpaces = serverCommand({
  name: "spaces",
  description: "Change the spaces where the role of a user applies",
  args: {
    name,
    space: repeatable({
      type: "string",
      valueHint: "name",
      description: "Space where the role applies; repeatable, and replaces the list",
    }),
    all: { type: "boolean", description: "The role applies in every space" },
    none: { type: "boolean", description: "The role applies in no space" },
  },
  ask: (client, args) => {
    const given = [args.space !== undefined, args.all === true, args.none === true];
    if (given.filter(Boolean).length !== 1)
      throw new AppError("invalid", "use one of --space, --all and --none");
    const spaces = args.all === true ? null : commaList(args.space ?? "");
    return client.json<User>("PATCH", `/users/${encodeURIComponent(args.name)}`, { body: { spaces } });
  },
  show: (user) =>
    user.spaces === null
      ? `${user.name} is ${user.role} in every space`
      : user.spaces.length === 0
        ? `${user.name} is ${user.role} in no space`
        : `${user.name} is ${user.role} in ${user.spaces.join(", ")}`,
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
  description: "Revoke all tokens of a user and print a new one",
  args: { name },
  ask: async (client, args) => {
    const place = `/users/${encodeURIComponent(args.name)}/tokens`;
    // First the new one, because a reset of one's own tokens revokes the one that signs these requests.
    const { id, token } = await client.json<CreatedToken>("POST", place, { body: { label: "reset" } });
    const query = { keep: id };
    const { user, revoked } = await client.json<{ user: string; revoked: number }>("DELETE", place, {
      query,
    });
    return { user, revoked, token };
  },
  show: ({ token }) => token,
  note: ({ user, revoked }) => `${plural(revoked, "token")} of ${user} revoked; the new one is shown once`,
});

function switchCommand(verb: "disable" | "enable", description: string) {
  return serverCommand({
    name: verb,
    description,
    args: { name },
    ask: (client, args) => client.json<User>("POST", `/users/${encodeURIComponent(args.name)}/${verb}`),
    show: (user, args) => {
      if (user.disabled) return `${user.name} is disabled; all tokens are revoked`;
      const create = nextCommand(["auth", "token", "create"], [user.name], args);
      const none = user.tokens === 0 ? `; no token yet, create one with ${create}` : "";
      return `${user.name} is active${none}`;
    },
  });
}

export const userDisable = switchCommand("disable", "Disable a user and revoke all their tokens");
export const userEnable = switchCommand("enable", "Enable a disabled user");

export const userDelete = serverCommand({
  name: "delete",
  description: "Delete a user with all tokens and rules",
  args: { name, yes: { type: "boolean", description: "Confirm the deletion" } },
  ask: async (client, args) => {
    if (args.yes !== true)
      throw new AppError(
        "refused",
        `pass --yes to delete ${args.name}, or run ${nextCommand(["user", "disable"], [args.name], args)} to keep the account`,
      );
    await client.json("DELETE", `/users/${encodeURIComponent(args.name)}`);
    return { name: args.name, deleted: true };
  },
  show: (gone) => `deleted ${gone.name}`,
});

export const userPassword = serverCommand({
  name: "password",
  description: "Set the password of a user; prompts, or reads standard input",
  args: { name },
  ask: async (client, args) => {
    const password = await readPassword(true);
    await client.json("PUT", `/users/${encodeURIComponent(args.name)}/password`, { body: { password } });
    return { name: args.name, has_password: true };
  },
  show: (user) => `set the password of ${user.name}`,
});

export const tokenCreate = serverCommand({
  name: "create",
  description: "Create a token for a user and print it",
  args: {
    name,
    label: { type: "string", valueHint: "text", description: "Purpose of the token" },
    expires: {
      type: "string",
      valueHint: "duration",
      description:
        "Lifetime in hours, days or weeks, for example 12h, 30d or 8w (default: auth.token_ttl of the server)",
    },
  },
  ask: (client, args) => {
    const body = {
      ...(args.label === undefined ? {} : { label: args.label }),
      ...(args.expires === undefined ? {} : { expires_in: secondsOf("--expires", args.expires) }),
    };
    const place = `/users/${encodeURIComponent(args.name)}/tokens`;
    return client.json<CreatedToken>("POST", place, { body });
  },
  show: ({ token }) => token,
  note: ({ expires_at: end }) =>
    `the token is shown once and ${end === null ? "does not expire" : `expires at ${end}`}`,
});

export const tokenList = serverCommand({
  name: "list",
  description: "List the tokens of a user, without the tokens themselves",
  args: { name },
  ask: (client, args) => client.get<Token[]>(`/users/${encodeURIComponent(args.name)}/tokens`),
  show: (tokens) =>
    table(
      tokens.map((token) => [
        token.id,
        token.kind,
        token.label,
        when(token.created_at),
        when(token.last_used_at),
        when(token.expires_at),
      ]),
      ["ID", "KIND", "LABEL", "CREATED", "LAST USED", "EXPIRES"],
      "no tokens",
    ),
});

export const tokenRevoke = serverCommand({
  name: "revoke",
  description: "Revoke one token of a user, or all",
  args: {
    name,
    id: {
      type: "string",
      valueHint: "number",
      description: "Number of the token, from the list (default: all of them)",
    },
  },
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
  description: "Show the signed-in user",
  args: {},
  ask: (client) => client.get<Me>("/auth/whoami"),
  show: (me) => fields({ ...me, spaces: spacesText(me) }),
});

export const login = serverCommand({
  name: "login",
  description:
    "Sign in to a server (--server) and save the token; prompts for the password, or reads standard input",
  args: {
    name,
    server: { ...connectionArgs.server, required: true, description: "Address of the server" },
  },
  namesServer: true,
  ask: async (client, args) => {
    const url = serverUrl(args.server);
    const password = await readPassword();
    const answer = await client.json<{ user: User; token: string; expires_at: string }>(
      "POST",
      "/auth/login",
      {
        body: { name: args.name, password },
      },
    );
    await saveSignIn(url, { user: answer.user.name, token: answer.token }, processEnvironment());
    return { server: url, user: answer.user.name, role: answer.user.role, expires_at: answer.expires_at };
  },
  show: (answer) => `signed in to ${answer.server} as ${answer.user} until ${answer.expires_at}`,
});

export const logout = serverCommand({
  name: "logout",
  description: "Sign out of a server: revoke and delete the saved token of one user",
  args: {
    name: {
      ...name,
      required: false,
      description: "User to sign out (default: the current user of that server)",
    },
  },
  first: (args) => void signedInServer(args),
  as: (args) => args.name,
  ask: async (client, args) => {
    if (args.name !== undefined && args["token-file"] !== undefined)
      throw new AppError("invalid", "use a name or --token-file, not both");
    const url = signedInServer(args);
    const token = tokenToSend(url, args, args.name);
    const { name: user } = await client.get<Me>("/auth/whoami");
    await client.json("DELETE", "/auth/token");
    await forgetToken(url, token!, processEnvironment());
    return { server: url, user, signed_out: true };
  },
  show: (answer) => `signed out of ${answer.server} as ${answer.user}`,
});

/** Returns the address that `whoami` asks too. Raises `invalid` if that is a server on this machine, where nobody signs in. */
function signedInServer(flags: ServerFlags): string {
  const { server, "server-dir": directory, local } = flags;
  const environment = processEnvironment();
  const isOwn =
    (directory ?? (environment["SERVICE_SERVER_DIR"] || undefined)) !== undefined || local === true;
  const url = server === undefined ? (isOwn ? undefined : lastSignIn(environment)) : serverUrl(server);
  if (url !== undefined) return url;
  const why = isOwn ? "nobody is signed in to a server on this machine" : "you are not signed in to a server";
  throw new AppError("invalid", `${why}; name the server to sign out of with --server`, {
    missing: ["--server"],
  });
}

/** Reads a password from a pipe, or prompts without echo; a `fresh` one twice. */
async function readPassword(fresh = false): Promise<string> {
  if (!hasTerminal()) return new TextDecoder().decode(await readStdin()).replace(/\r?\n$/, "");
  const password = await askHidden("password");
  if (fresh && (await askHidden("repeat the password")) !== password)
    throw new AppError("invalid", "the passwords differ; nothing was changed");
  return password;
}
