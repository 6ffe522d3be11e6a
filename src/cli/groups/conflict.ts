// `cairn conflict …`: files that two people changed in ways that cannot be merged.

import {
  openConflicts,
  resolveConflict,
  showConflict,
  type Resolution,
} from "../../context/replica/conflicts.ts";
import { AppError } from "../../kit/error.ts";
import { withoutFinalLineFeed } from "../../kit/text/line-end.ts";
import { spaceCommand } from "../command.ts";
import { contentOf } from "../named-content.ts";
import { shown, table, when } from "../tables.ts";

const path = {
  type: "positional",
  required: true,
  valueHint: "path",
  description: "The file, or its conflict file",
} as const;

export const conflictList = spaceCommand({
  name: "list",
  description: "List open conflicts",
  args: {},
  ask: (space) => openConflicts(space),
  show: (conflicts) =>
    table(
      conflicts.map((one) => [one.path, one.copy, one.user, when(one.opened_at)]),
      ["PATH", "OTHER VERSION", "OF", "OPENED"],
      "no open conflicts",
    ),
});

export const conflictShow = spaceCommand({
  name: "show",
  description: "Show how the two versions of a conflict differ",
  args: { path },
  ask: (space, args) => showConflict(space, args.path),
  show: ({ deleted, diff, path: file, copy }) => {
    const difference =
      diff ?? `${shown(file)} and ${shown(copy)} are not text, or too different to compare line by line`;
    const text = withoutFinalLineFeed(difference);
    return deleted ? `${shown(file)} was deleted; ${shown(copy)} is still there\n${text}` : text;
  },
});

export const conflictResolve = spaceCommand({
  name: "resolve",
  description: "Resolve a conflict with one of --ours, --theirs and --merged",
  args: {
    path,
    ours: { type: "boolean", description: "Keep the conflict file's version" },
    theirs: { type: "boolean", description: "Keep the version under the original name" },
    merged: { type: "string", valueHint: "file", description: "Keep the content of this file" },
  },
  ask: (space, args) => resolveConflict(space, args.path, resolutionOf(args)),
  show: ({ path: file, kept, copy }) => `resolved ${shown(file)}: kept ${kept}, deleted ${shown(copy)}`,
});

interface Chosen {
  readonly ours?: boolean | undefined;
  readonly theirs?: boolean | undefined;
  readonly merged?: string | undefined;
}

function resolutionOf({ ours, theirs, merged }: Chosen): Resolution {
  const given = [ours === true, theirs === true, merged !== undefined].filter(Boolean).length;
  if (given !== 1) throw new AppError("invalid", "use exactly one of --ours, --theirs and --merged <file>");
  if (merged === undefined) return ours === true ? "ours" : "theirs";
  return { merged: contentOf("--merged", merged) };
}
