// The users of a server, for admins: the list, and one user with everything that the server says about them.

import { visibleInLine } from "../../../kit/text/visible.ts";
import type { Token, User } from "../../people/schema.ts";
import type { ServerDesk, UserDetails } from "../desk.ts";
import type { Stage } from "../page.ts";
import { TablePage } from "../table-page.ts";
import { TextPage } from "../text-page.ts";
import { plural } from "../../../kit/text/amounts.ts";
import { timeText } from "../words.ts";

const LABEL_COLUMNS = 12;

export function usersPage(server: ServerDesk): TablePage<User> {
  return new TablePage<User>({
    title: "Users",
    columns: [
      { title: "NAME", of: ({ name }) => name },
      { title: "ROLE", width: 11, of: ({ role }) => role },
      { title: "STATE", width: 8, of: stateText },
      { title: "SPACES", width: 20, of: spacesText },
      { title: "TOKENS", width: 6, of: ({ tokens }) => String(tokens) },
      { title: "CREATED (UTC)", width: 16, of: ({ created_at: at }) => timeText(at), fromColumns: 100 },
    ],
    rows: () => server.users(),
    text: (user) => `${user.name} ${user.role} ${stateText(user)}`,
    empty: "no users",
    open: ({ name }, stage) => stage.open(userPage(server, name)),
    actions: [{ key: "x", does: "disable or enable", changes: true, run: toggle }],
  });
}

function userPage(server: ServerDesk, name: string): TextPage {
  let shown: User | undefined;
  return new TextPage({
    title: `User ${name}`,
    text: async () => {
      const details = await server.user(name);
      shown = details.user;
      return textOf(details);
    },
    tone: (line) => (/^\S+ \(\d+\)$/.test(line) ? "bold" : "plain"),
    actions: [
      {
        key: "x",
        does: "disable or enable",
        changes: true,
        run: (stage) => {
          if (shown) toggle(shown, stage);
        },
      },
    ],
  });
}

function textOf({ user, tokens, rules, lastSeen }: UserDetails): string {
  const lines = [
    row("Name", user.name),
    row("Role", user.role),
    row("State", stateText(user)),
    ...(user.locked_until === null ? [] : [row("Locked until", timeText(user.locked_until))]),
    row("Spaces", spacesText(user)),
    row("Password", user.has_password ? "set" : "none"),
    row("Created", timeText(user.created_at)),
    row("Last use", lastSeen === null ? "never" : timeText(lastSeen)),
    "",
    `Tokens (${tokens.length})`,
    ...tokens.map(tokenText),
    "",
    `Rules (${rules.length})`,
    ...rules.map(
      ({ effect, path, capabilities }) => `  ${effect.padEnd(5)}  ${path}  ${capabilities.join(", ")}`,
    ),
  ];
  // A label or a pattern must not look like a line of its own.
  return lines.map((line) => visibleInLine(line)).join("\n");
}

function tokenText({
  id,
  kind,
  label,
  created_at: made,
  last_used_at: used,
  expires_at: end,
}: Token): string {
  const times = [
    `created ${timeText(made)}`,
    used === null ? "never used" : `last used ${timeText(used)}`,
    end === null ? "never expires" : `expires ${timeText(end)}`,
  ];
  return `  ${id}  ${kind}${label === "" ? "" : ` "${label}"`}: ${times.join(", ")}`;
}

function row(label: string, value: string): string {
  return `${label.padEnd(LABEL_COLUMNS)}  ${value}`;
}

function spacesText({ spaces }: User): string {
  if (spaces === null) return "all";
  return spaces.length === 0 ? plural(0, "space") : spaces.join(", ");
}

function stateText({ disabled, locked_until: locked }: User): string {
  return disabled ? "disabled" : locked === null ? "active" : "locked";
}

function toggle({ name, disabled }: User, stage: Stage): void {
  const question = disabled ? `Enable ${name}?` : `Disable ${name} and revoke all of their tokens?`;
  const attempt = { action: disabled ? "user.enable" : "user.disable", target: name };
  stage.confirm(question, () =>
    stage.change(attempt, async (hands) => {
      await hands.setDisabled?.(name, !disabled);
      return `${name} is ${disabled ? "enabled" : "disabled"}`;
    }),
  );
}
