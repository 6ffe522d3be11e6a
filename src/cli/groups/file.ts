// `cairn file …`: the documents of a space.

import { defineCommand } from "citty";
import type { ListedFile } from "../../context/files/listing-schema.ts";
import { parseConflictName } from "../../context/sync/conflict-names.ts";
import type { Expected } from "../../context/versioned-store/engine.ts";
import type { SpaceDoor } from "../../context/space/door.ts";
import type { FileHistory } from "../../context/versioned-store/schema.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printBytes, printData } from "../../kit/terminal/output.ts";
import { printPaged } from "../../kit/terminal/pager.ts";
import { readStdin } from "../../kit/terminal/stdin.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { spaceCommand } from "../command.ts";
import { spaceArgs, withSpace } from "../connection.ts";
import { patchText, statText } from "../diff-text.ts";
import { contentOf } from "../named-content.ts";
import { nextCommand } from "../next-command.ts";
import { bytes, table, when, wholeNumber } from "../tables.ts";

export const path = {
  type: "positional",
  required: true,
  valueHint: "path",
  description: "Path in the space",
} as const;
const ifVersion = {
  type: "string",
  valueHint: "vN",
  description: "Only if this is the current version (vN or N)",
} as const;

/** `-v`, `--version` and `--to` are one flag: the version that a command reads, or ends at. */
const versionFlag = { type: "string", valueHint: "vN" } as const;

/** Parses `v4` and `4`. Raises `invalid` before any request. */
function versionNumber(flag: string, text: string): number {
  const match = /^v?([1-9][0-9]{0,15})$/.exec(text);
  if (!match)
    throw new AppError("invalid", `${flag} "${text}": expected a version, vN or N (for example v4)`);
  return Number(match[1]);
}

/** The version that must be live; undefined: any. Raises `invalid`. */
function expectedOf(flag: string | undefined): Expected {
  return flag === undefined ? undefined : versionNumber("--if-version", flag);
}

const version = (number: number | null) => (number === null ? "—" : `v${number}`);

export const fileList = spaceCommand({
  name: "list",
  description: "List the files of a space",
  args: {
    prefix: {
      type: "positional",
      required: false,
      valueHint: "directory",
      description: "Only files below this directory",
    },
    deleted: { type: "boolean", description: "Include deleted files" },
    at: {
      type: "string",
      valueHint: "head|time",
      description: "List the space as it was at a head or a time (RFC 3339, or a date in UTC)",
    },
  },
  ask: async (space, { prefix, deleted, at }) =>
    (await space.list({ prefix, deleted, at }).catch((error) => quotingMoment(error, at))).map((file) => ({
      ...file,
      status: statusOf(file),
    })),
  show: (files) =>
    table(
      files.map((file) => [
        file.path,
        version(file.version),
        bytes(file.size),
        file.refused ? `${file.status}: ${file.refused.reason}` : file.status,
        file.mode,
        when(file.updated_at),
        file.author,
      ]),
      ["PATH", "VERSION", "SIZE", "STATE", "SYNC", "UPDATED", "AUTHOR"],
      "no files",
    ),
});

/** Quotes a moment that is none, as the flag that it came from. */
function quotingMoment(error: unknown, at: string | undefined): never {
  if (!(error instanceof AppError) || at === undefined) throw error;
  const { field, problem } = error.details ?? {};
  if (field !== "at" || problem === undefined) throw error;
  throw new AppError(error.code, `--at ${JSON.stringify(at)}: ${String(problem)}`, error.details);
}

/** In the words of a person who looks for changes: a file as its last version says is clean. Text and data show it, beside the state of the store. */
function statusOf({ path: of, state, refused }: ListedFile): string {
  if (refused) return state;
  if (parseConflictName(of)) return state === "live" ? "conflict" : `conflict, ${state}`;
  return state === "live" ? "clean" : state;
}

export const fileHistory = spaceCommand({
  name: "history",
  description: "List the versions of a file",
  args: { path },
  ask: (space, args) => space.history(args.path),
  show: (history, args) =>
    history.tracked
      ? versionTable(history)
      : `${history.path} is in the working tree without a version; record it with ${nextCommand(["space", "adopt"], [], args)}`,
});

/** The messages have a column only if a version has one. */
function versionTable({ versions, current }: FileHistory): string {
  const hasMessages = versions.some(({ message }) => message !== undefined);
  return table(
    versions.map((one) => [
      version(one.version) + (one.version === current ? " (current)" : ""),
      one.destroyed ? "destroyed" : one.pruned ? "pruned" : bytes(one.size),
      when(one.created_at),
      one.author,
      ...(hasMessages ? [one.message ?? ""] : []),
      one.deleted ? "deleted" : "",
    ]),
    ["VERSION", "SIZE", "CREATED", "AUTHOR", ...(hasMessages ? ["MESSAGE"] : []), ""],
    "no versions",
  );
}

export const fileGet = defineCommand({
  meta: { name: "get", description: "Print a file" },
  args: {
    path,
    version: {
      ...versionFlag,
      alias: ["v", "to"],
      description: "Version to print (vN or N; default: the newest)",
    },
    ...spaceArgs,
  },
  async run({ args }) {
    const number = args.version === undefined ? undefined : versionNumber("--version", args.version);
    const format = formatOf(args);
    const file = await withSpace(args, (space) => space.read(args.path, number));
    if (format === "text") return printBytes(file.bytes);
    const { path: of, version: read, state } = file;
    const content = decodeUtf8(file.bytes);
    if (content === undefined)
      throw new AppError("not_text", `${of}: not UTF-8 text; print its bytes without --${format}`);
    await printData({ path: of, version: read, state, content }, format, () => content);
  },
});

export const filePut = spaceCommand({
  name: "put",
  description: "Write a file",
  args: {
    path,
    from: {
      type: "string",
      required: true,
      valueHint: "file|-",
      description: "File to read; - means standard input",
    },
    "if-version": ifVersion,
    create: { type: "boolean", description: "Only if the file does not exist" },
  },
  ask: async (space, args) => {
    const given = args["if-version"];
    if (given !== undefined && args.create === true)
      throw new AppError("invalid", "use --if-version or --create, not both");
    const expected = args.create === true ? null : expectedOf(given);
    const content = args.from === "-" ? await readStdin() : contentOf("--from", args.from);
    return space.write(args.path, content, expected);
  },
  show: (written) => `${written.path} is at v${written.version} (${bytes(written.size)})`,
});

export const fileDelete = spaceCommand({
  name: "delete",
  description: "Delete a file and keep its versions",
  args: { path, "if-version": ifVersion },
  ask: async (space, args) => {
    const gone = await space.remove(args.path, expectedOf(args["if-version"]));
    return { ...gone, deleted: true };
  },
  show: (gone, args) =>
    `${gone.path} is deleted (v${gone.version}); restore it with ${nextCommand(["file", "undelete"], [gone.path], args)}`,
});

export const fileUndelete = spaceCommand({
  name: "undelete",
  description: "Restore a deleted file",
  args: { path },
  ask: (space, args) => space.undelete(args.path).catch((error) => withWayBack(error, space, args)),
  show: (back) => `${back.path} is restored at v${back.version}`,
});

/** A file that is only gone from the disk comes back by another command. */
async function withWayBack(
  error: unknown,
  space: SpaceDoor,
  args: Readonly<Record<string, unknown>> & { readonly path: string },
): Promise<never> {
  if (!(error instanceof AppError) || error.code !== "conflict") throw error;
  const [file] = await space.list({ prefix: args.path });
  if (file?.path !== args.path || file.state !== "missing") throw error;
  const back = nextCommand(["file", "revert"], [file.path], args);
  throw new AppError(
    "conflict",
    `${file.path} is not deleted, but missing on disk; get it back with ${back} --to v${file.version}`,
    error.details,
  );
}

export const fileDestroy = spaceCommand({
  name: "destroy",
  description: "Destroy the content of one version permanently",
  args: {
    path,
    version: { ...versionFlag, alias: "v", required: true, description: "Version to destroy (vN or N)" },
    yes: { type: "boolean", description: "Confirm that the content is lost" },
  },
  ask: async (space, args) => {
    const number = versionNumber("--version", args.version);
    if (args.yes !== true) throw await unconfirmed(space, number, args);
    await space.destroy(args.path, number);
    return { path: args.path, version: number, destroyed: true };
  },
  show: (gone) => `v${gone.version} of ${gone.path} is destroyed`,
});

/** Says what would be lost. Raises `not_found` for a version that does not exist. */
async function unconfirmed(
  space: SpaceDoor,
  number: number,
  args: { readonly path: string },
): Promise<AppError> {
  const file = args.path;
  const { current, versions } = await space.history(file);
  const one = versions.find((each) => each.version === number);
  if (!one) throw new AppError("not_found", `file ${file} v${number}: not found`);
  if (one.destroyed || one.pruned)
    return new AppError("refused", `v${number} of ${file} has no content left; nothing to destroy`);
  if (number === current)
    return new AppError(
      "invalid",
      `cannot destroy current live version — soft-delete first; run ${nextCommand(["file", "delete"], [file], args)}`,
    );
  return new AppError(
    "refused",
    `v${number} of ${file} (${bytes(one.size)}, ${one.created_at}, by ${one.author}) would be lost permanently; pass --yes to destroy it`,
  );
}

export const fileDiff = defineCommand({
  meta: {
    name: "diff",
    description:
      "Show the difference between two versions (default: your edit and the last version, or the last two)",
  },
  args: {
    path,
    from: { type: "string", valueHint: "vN", description: "The older version" },
    to: { ...versionFlag, alias: ["version", "v"], description: "The newer version" },
    unified: {
      type: "string",
      alias: "U",
      valueHint: "lines",
      description: "Lines around each change (default: 3)",
    },
    stat: { type: "boolean", description: "Print only the number of lines" },
    ...spaceArgs,
  },
  async run({ args }) {
    const format = formatOf(args);
    const query = {
      from: args.from === undefined ? undefined : versionNumber("--from", args.from),
      to: args.to === undefined ? undefined : versionNumber("--to", args.to),
      context: args.unified === undefined ? undefined : wholeNumber("--unified", args.unified),
    };
    const diff = await withSpace(args, (space) => space.diff(args.path, query));
    if (format !== "text" || args.stat === true) return printData(diff, format, statText);
    await printPaged(patchText(diff), processEnvironment());
  },
});

export const fileRevert = spaceCommand({
  name: "revert",
  description: "Restore an earlier version as the newest one",
  args: {
    path,
    to: {
      ...versionFlag,
      alias: ["version", "v"],
      required: true,
      description: "Version to restore",
    },
    "if-version": ifVersion,
  },
  ask: async (space, args) => {
    const expected = expectedOf(args["if-version"]);
    const { bytes: content } = await space.read(args.path, versionNumber("--to", args.to));
    return space.write(args.path, content, expected);
  },
  show: (written, args) =>
    `${written.path} is at v${written.version}, with the content of v${versionNumber("--to", args.to)}`,
});
