// Every agent's file tools, on the directory of its workspace. Paths are relative in both directions, so that no model learns where it is.

import { Type } from "@sinclair/typebox";
import { fieldError } from "../../kit/error.ts";
import { closed } from "../../kit/schema.ts";
import { plural } from "../../kit/text/amounts.ts";
import { externalTool, ok, type ExternalTool, type ToolSource } from "../tools/tool.ts";
import type { FilePart, Files } from "./files.ts";
import { FILE_BYTES_MAX, TOOL_LIST_ENTRIES_MAX, type FileEntry } from "./schema.ts";
import { ANYTHING } from "./version.ts";

const FilePath = Type.String({
  description: "Relative path in the workspace, with / between names, for example: notes/plan.md",
});

const ListInput = closed({
  path: Type.Optional(Type.String({ description: "A directory; default: the top of the workspace" })),
});
const ReadInput = closed({
  path: FilePath,
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "Byte offset to start at, from the previous answer; default: the beginning",
    }),
  ),
});
const WriteInput = closed({
  path: FilePath,
  content: Type.String({ description: "The whole new content of the file" }),
});

export function fileTools(files: Files): ToolSource {
  const tools = [listTool(files), readTool(files), writeTool(files)];
  return () => tools;
}

function listTool(files: Files): ExternalTool {
  return externalTool({
    name: "file_list",
    description: "Lists one directory of the workspace's files.",
    parameters: ListInput,
    run: async (scope, input) => {
      const given = withoutSlash(input.path ?? "");
      const path = given === "." ? "" : given;
      return ok(listing(path, await files.list(scope.caller, scope.workspaceId, path)));
    },
  });
}

function readTool(files: Files): ExternalTool {
  return externalTool({
    name: "file_read",
    description:
      "Reads a text file of the workspace. A long file comes in parts; the answer says where to continue.",
    parameters: ReadInput,
    run: async (scope, input) =>
      ok(reading(await files.readPart(scope.caller, scope.workspaceId, input.path, input.offset ?? 0))),
  });
}

function writeTool(files: Files): ExternalTool {
  return externalTool({
    durable: true,
    name: "file_write",
    description:
      "Saves a text file in the workspace, replacing its content. Missing directories are created.",
    parameters: WriteInput,
    run: async (scope, input) => {
      if (!input.content.isWellFormed())
        throw fieldError("not_text", "content", "has half a character (a lone surrogate)");
      const bytes = new TextEncoder().encode(input.content);
      const saved = await files.save(scope.caller, scope.workspaceId, input.path, {
        expected: ANYTHING,
        content: () => Promise.resolve(bytes),
      });
      return ok(`${saved.created ? "Created" : "Saved"} ${saved.path} (${plural(saved.size, "byte")}).`);
    },
  });
}

function withoutSlash(path: string): string {
  return path.endsWith("/") && path.length > 1 ? path.slice(0, -1) : path;
}

function listing(path: string, entries: readonly FileEntry[]): string {
  if (entries.length === 0) return path === "" ? "There are no files yet." : `${path} is empty.`;
  const lines = entries.slice(0, TOOL_LIST_ENTRIES_MAX).map(line);
  const left = entries.length - lines.length;
  if (left > 0) lines.push(`(${plural(left, "more is", "more are")} not shown.)`);
  return lines.join("\n");
}

function line(entry: FileEntry): string {
  if (entry.kind === "directory") return `${entry.path}/`;
  if (entry.kind === "other") return `${entry.path} (cannot be opened)`;
  const note = entry.size! > FILE_BYTES_MAX ? ", too large to write" : "";
  return `${entry.path} (${plural(entry.size!, "byte")}${note})`;
}

function reading(part: FilePart): string {
  if (part.size === 0) return `(${part.path} is empty.)`;
  if (part.start === 0 && part.end === part.size) return part.text;
  const where = `(These are bytes ${part.start} to ${part.end} of ${part.size} of ${part.path}.`;
  const next =
    part.end < part.size ? ` To continue, call file_read with offset ${part.end}.)` : " That is the end.)";
  return `${part.text}\n\n${where}${next}`;
}
