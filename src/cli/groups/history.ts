// `cairn history …`: snapshots of a space.

import { AppError } from "../../kit/error.ts";
import { spaceCommand } from "../command.ts";
import { plural, shown, table, when } from "../tables.ts";

export const historyList = spaceCommand({
  name: "list",
  description: "List the snapshots of a space",
  args: {},
  ask: (space) => space.snapshots(),
  show: (snapshots) =>
    table(
      snapshots.map((one) => [one.id, one.name, one.head, when(one.created_at), one.author]),
      ["ID", "NAME", "HEAD", "CREATED", "AUTHOR"],
      "no snapshots",
    ),
});

export const historySnapshot = spaceCommand({
  name: "snapshot",
  description: "Take a snapshot of a space",
  args: {
    name: { type: "positional", required: true, valueHint: "name", description: "Name of the snapshot" },
  },
  ask: (space, args) => space.snapshot(args.name),
  show: (made) => `snapshot ${made.id} "${made.name}" at ${made.head}`,
});

export const historyRestore = spaceCommand({
  name: "restore",
  description: "Restore a space to a snapshot by writing new versions",
  args: {
    snapshot: {
      type: "positional",
      required: true,
      valueHint: "snapshot",
      description: "Number or name of the snapshot",
    },
  },
  ask: async (space, { snapshot }) => {
    const all = await space.snapshots();
    const meant = all.find(({ id }) => String(id) === snapshot) ?? all.find(({ name }) => name === snapshot);
    if (!meant)
      throw new AppError("not_found", `snapshot "${snapshot}": not found; cairn history list shows all`);
    return space.restore(meant.id);
  },
  show: ({ files, lost, head }) => {
    if (files.length + lost.length === 0) return "nothing to restore: the space is the same as the snapshot";
    const restored = `${plural(files.length, "file")} restored; the head is ${head}`;
    if (lost.length === 0) return restored;
    const left = `${plural(lost.length, "file was", "files were")} not restored, because the content at that time was destroyed or pruned:`;
    return [restored, left, ...lost.map((path) => `  ${shown(path)}`)].join("\n");
  },
});
