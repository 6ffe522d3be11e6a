// `cairn file …`: the documents of a space.

import { defineCommand } from "citty";
import { readFile } from "node:fs/promises";
import type { Client } from "../../context/client/client.ts";
import { encodedPath } from "../../context/client/client.ts";
import type { FileDiff } from "../../context/files/diff.ts";
import type { Deleted, ListedFile } from "../../context/files/listing-schema.ts";
import type { FileHistory } from "../../context/versioned-store/schema.ts";
import { accessProblem } from "../../kit/disk.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printBytes, printData } from "../../kit/output.ts";
import { readStdin } from "../../kit/stdin.ts";
import { serverCommand, spaceArg } from "../command.ts";
import { connected, connectionArgs } from "../connection.ts";
import { chosenSpace } from "../space-choice.ts";
import { bytes, plural, table, wholeNumber } from "../text.ts";

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

export interface Written {
  path: string;
  version: number;
  hash: string;
  size: number;
  head: string;
  created: boolean;
}

/** Returns the path of a file on the server, in the named space or the only one. */
export async function at(
  client: Client,
  space: string | undefined,
  kind: string,
  file: string,
): Promise<string> {
  return `/spaces/${await chosenSpace(client, space)}/${kind}/${encodedPath(file)}`;
}

/** Parses `v4` and `4`. Raises `invalid` before any request. */
function versionNumber(flag: string, text: string): number {
  const match = /^v?([1-9][0-9]{0,15})$/.exec(text);
  if (!match)
    throw new AppError("invalid", `${flag} "${text}": expected a version, vN or N (for example v4)`);
  return Number(match[1]);
}

const version = (number: number | null) => (number === null ? "—" : `v${number}`);

export const fileList = serverCommand({
  name: "list",
  description: "List the files of a space",
  args: {
    prefix: {
      type: "positional",
      required: false,
      valueHint: "directory",
      description: "Only files below this directory",
    },
    ...spaceArg,
    deleted: { type: "boolean", description: "Include deleted files" },
    at: { type: "string", valueHint: "head|time", description: "List the space as it was then" },
  },
  ask: async (client, args) =>
    client.get<ListedFile[]>(`/spaces/${await chosenSpace(client, args.space)}/files`, {
      prefix: args.prefix,
      deleted: args.deleted === true ? 1 : undefined,
      at: args.at,
    }),
  show: (files) =>
    table(
      files.map((file) => [
        file.path,
        version(file.version),
        bytes(file.size),
        file.refused ? `${file.state}: ${file.refused.reason}` : file.state,
        file.mode,
        file.updated_at,
        file.author,
      ]),
      ["PATH", "VERSION", "SIZE", "STATE", "SYNC", "UPDATED", "AUTHOR"],
      "no files",
    ),
});

export const fileHistory = serverCommand({
  name: "history",
  description: "List the versions of a file",
  args: { path, ...spaceArg },
  ask: async (client, args) => client.get<FileHistory>(await at(client, args.space, "history", args.path)),
  show: (history) =>
    history.tracked
      ? table(
          history.versions.map((one) => [
            version(one.version) + (one.version === history.current ? " (current)" : ""),
            one.destroyed ? "destroyed" : one.pruned ? "pruned" : bytes(one.size),
            one.created_at,
            one.author,
            one.deleted ? "deleted" : "",
          ]),
          ["VERSION", "SIZE", "CREATED", "AUTHOR", ""],
          "no versions",
        )
      : `${history.path} is in the working tree without a version; record it with cairn space adopt`,
});

export const fileGet = defineCommand({
  meta: { name: "get", description: "Print a file" },
  args: {
    path,
    ...spaceArg,
    version: { type: "string", alias: "v", valueHint: "vN", description: "An earlier version (vN or N)" },
    ...connectionArgs,
  },
  async run({ args }) {
    const number = args.version === undefined ? undefined : versionNumber("--version", args.version);
    const format = formatOf(args);
    await connected(args, async (client) => {
      const response = await client.request("GET", await at(client, args.space, "files", args.path), {
        query: { version: number },
      });
      const content = await response.bytes();
      if (format === "text") return printBytes(content);
      const text = new TextDecoder("utf-8").decode(content);
      const answer = {
        path: args.path,
        version: versionOf(response) ?? null,
        state: response.headers.get("x-service-state") ?? "live",
        content: text,
      };
      return printData(answer, format, () => text);
    });
  },
});

/** Undefined if the file was edited by hand and has no version yet. */
export function versionOf({ headers }: Response): number | undefined {
  const tag = headers.get("etag");
  return tag === null ? undefined : Number(tag.replaceAll('"', ""));
}

export const filePut = serverCommand({
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
    ...spaceArg,
  },
  ask: async (client, args) => {
    const given = args["if-version"];
    if (given !== undefined && args.create === true)
      throw new AppError("invalid", "use --if-version or --create, not both");
    const expected = given === undefined ? undefined : versionNumber("--if-version", given);
    const raw = args.from === "-" ? await readStdin() : await contentOf(args.from);
    const headers: Record<string, string> = {};
    if (expected !== undefined) headers["If-Match"] = `"${expected}"`;
    if (args.create === true) headers["If-None-Match"] = "*";
    return client.json<Written>("PUT", await at(client, args.space, "files", args.path), { raw, headers });
  },
  show: (written) => `${written.path} is at v${written.version} (${bytes(written.size)})`,
});

export const fileDelete = serverCommand({
  name: "delete",
  description: "Delete a file and keep its versions",
  args: { path, "if-version": ifVersion, ...spaceArg },
  ask: async (client, args) => {
    const given = args["if-version"];
    const headers: Record<string, string> =
      given === undefined ? {} : { "If-Match": `"${versionNumber("--if-version", given)}"` };
    const place = await at(client, args.space, "files", args.path);
    return { ...(await client.json<Deleted>("DELETE", place, { headers })), deleted: true };
  },
  show: (gone, { space }) =>
    `${gone.path} is deleted (v${gone.version}); restore it with cairn file undelete ${gone.path}${space === undefined ? "" : ` --space ${space}`}`,
});

export const fileUndelete = serverCommand({
  name: "undelete",
  description: "Restore a deleted file",
  args: { path, ...spaceArg },
  ask: async (client, args) =>
    client.json<Written>("POST", await at(client, args.space, "undelete", args.path)),
  show: (back) => `${back.path} is restored at v${back.version}`,
});

export const fileDestroy = serverCommand({
  name: "destroy",
  description: "Destroy the content of one version permanently",
  args: {
    path,
    version: {
      type: "string",
      alias: "v",
      required: true,
      valueHint: "vN",
      description: "Version to destroy (vN or N)",
    },
    ...spaceArg,
  },
  ask: async (client, args) => {
    const number = versionNumber("--version", args.version);
    await client.request("DELETE", await at(client, args.space, "versions", args.path), {
      query: { version: number },
    });
    return { path: args.path, version: number, destroyed: true };
  },
  show: (gone) => `v${gone.version} of ${gone.path} is destroyed`,
});

/** Printed before a patch, where programs that read patches skip it. */
const COARSE = "The versions differ too much to compare line by line; the whole difference is one block.";

export const fileDiff = serverCommand({
  name: "diff",
  description: "Show the difference between two versions (default: the last two)",
  args: {
    path,
    from: { type: "string", valueHint: "vN", description: "The older version" },
    to: { type: "string", valueHint: "vN", description: "The newer version" },
    unified: {
      type: "string",
      alias: "U",
      valueHint: "lines",
      description: "Lines around each change (default: 3)",
    },
    stat: { type: "boolean", description: "Print only the number of lines" },
    ...spaceArg,
  },
  ask: async (client, args) =>
    client.get<FileDiff>(await at(client, args.space, "diff", args.path), {
      from: args.from === undefined ? undefined : versionNumber("--from", args.from),
      to: args.to === undefined ? undefined : versionNumber("--to", args.to),
      context: args.unified === undefined ? undefined : wholeNumber("--unified", args.unified),
    }),
  show: (diff, args) =>
    args.stat === true
      ? `${diff.path}  v${diff.from} → v${diff.to}  ${plural(diff.added, "line")} added, ${diff.removed} removed${diff.coarse ? `\n${COARSE}` : ""}`
      : patchText(diff),
});

export const fileRevert = serverCommand({
  name: "revert",
  description: "Write an earlier version again as the newest",
  args: {
    path,
    to: { type: "string", required: true, valueHint: "vN", description: "Version to write again" },
    "if-version": ifVersion,
    ...spaceArg,
  },
  ask: async (client, args) => {
    const wanted = versionNumber("--to", args.to);
    const place = await at(client, args.space, "files", args.path);
    const raw = await (await client.request("GET", place, { query: { version: wanted } })).bytes();
    const given = args["if-version"];
    const headers: Record<string, string> =
      given === undefined ? {} : { "If-Match": `"${versionNumber("--if-version", given)}"` };
    return client.json<Written>("PUT", place, { raw, headers });
  },
  show: (written, args) => `${written.path} is at v${written.version}, with the content of ${args.to}`,
});

/** Drops the lines above the names of the two versions, which are for programs that read many patches at once. */
function patchText({ path: of, from, to, added, removed, coarse, text }: FileDiff): string {
  if (added + removed === 0) return `${of}: no difference between v${from} and v${to}`;
  const patch = text.replace(/^(?:Index: .*\n)?=+\n/, "").trimEnd();
  return coarse ? `${COARSE}\n${patch}` : patch;
}

async function contentOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new AppError("invalid", `--from ${file}: ${accessProblem(error)}`);
  }
}
