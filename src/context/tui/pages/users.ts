// The users of a server, for admins.

import type { User } from "../../people/schema.ts";
import type { ServerDesk } from "../desk.ts";
import type { Stage } from "../page.ts";
import { TablePage } from "../table-page.ts";
import { timeText } from "../words.ts";

export function usersPage(server: ServerDesk): TablePage<User> {
  return new TablePage<User>({
    title: "Users",
    columns: [
      { title: "NAME", of: ({ name }) => name },
      { title: "ROLE", width: 11, of: ({ role }) => role },
      { title: "STATE", width: 8, of: stateText },
      { title: "SPACES", width: 20, of: ({ spaces }) => spaces?.join(", ") ?? "all" },
      { title: "TOKENS", width: 6, of: ({ tokens }) => String(tokens) },
      { title: "CREATED (UTC)", width: 16, of: ({ created_at: at }) => timeText(at), fromColumns: 100 },
    ],
    rows: () => server.users(),
    text: ({ name, role }) => `${name} ${role}`,
    empty: "no users",
    actions: [{ key: "x", does: "disable or enable", run: toggle }],
  });
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
