// `cairn history …`: snapshots of a space.

import type { Snapshot } from "../../context/versioned-store/schema.ts";
import { AppError } from "../../kit/error.ts";
import { serverCommand, spaceArg } from "../command.ts";
import { chosenSpace } from "../space-choice.ts";
import { plural, table } from "../text.ts";

export const historyList = serverCommand({
  name: "list",
  description: "List the snapshots of a space",
  args: { ...spaceArg },
  ask: async (client, args) =>
    client.get<Snapshot[]>(`/spaces/${await chosenSpace(client, args.space)}/snapshots`),
  show: (snapshots) =>
    table(
      snapshots.map((one) => [one.id, one.name, one.head, one.created_at, one.author]),
      ["ID", "NAME", "HEAD", "CREATED", "AUTHOR"],
      "no snapshots",
    ),
});

export const historySnapshot = serverCommand({
  name: "snapshot",
  description: "Take a snapshot of a space",
  args: {
    name: { type: "positional", required: true, valueHint: "name", description: "Name of the snapshot" },
    ...spaceArg,
  },
  ask: async (client, args) =>
    client.json<Snapshot>("POST", `/spaces/${await chosenSpace(client, args.space)}/snapshots`, {
      body: { name: args.name },
    }),
  show: (made) => `snapshot ${made.id} "${made.name}" at ${made.head}`,
});

export const historyRestore = serverCommand({
  name: "restore",
  description: "Restore a space to a snapshot by writing new versions",
  args: {
    id: { type: "positional", required: true, valueHint: "number", description: "Number of the snapshot" },
    ...spaceArg,
  },
  ask: async (client, args) => {
    if (!/^[1-9][0-9]*$/.test(args.id))
      throw new AppError("invalid", `"${args.id}": expected the number of a snapshot`);
    const place = `/spaces/${await chosenSpace(client, args.space)}/snapshots/${encodeURIComponent(args.id)}/restore`;
    return client.json<{ head: string; files: string[] }>("POST", place);
  },
  show: ({ files, head }) =>
    files.length === 0
      ? "nothing to restore: the space is the same as the snapshot"
      : `${plural(files.length, "file")} restored; the head is ${head}`,
});
