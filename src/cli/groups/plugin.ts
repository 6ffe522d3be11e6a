// `cairn plugin …`, `cairn activate`, `cairn deactivate`: connect the AI tools of a project to a space.

import { defineCommand } from "citty";
import { realpathSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import {
  Integrations,
  type Change,
  type Listed,
  type Scope,
} from "../../context/integrations/integrations.ts";
import { integrationIds } from "../../context/integrations/descriptors.ts";
import { oneOfWords, repeatable } from "../../kit/terminal/arguments.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import { formatOf, printData, printHint, printWarning } from "../../kit/terminal/output.ts";
import { withoutFinalLineFeed } from "../../kit/text/line-end.ts";
import { spaceArgs, withSpace, type SpaceCommandFlags } from "../connection.ts";
import { nextCommand } from "../next-command.ts";
import { spaceWords } from "../space-arguments.ts";
import { table } from "../tables.ts";
import { commaList } from "../comma-list.ts";

const DIFF_CONTEXT_LINES = 3;

const project = {
  type: "string",
  valueHint: "dir",
  description: "Project folder (default: the working directory)",
} as const;
const folder = {
  type: "positional",
  required: false,
  valueHint: "project folder",
  description: "Project folder (default: the working directory)",
} as const;
const user = { type: "boolean", description: "Use the tool's file for all your projects" } as const;
const dryRun = { type: "boolean", description: "Print the difference and change nothing" } as const;
const id = oneOfWords(integrationIds, {
  type: "positional",
  required: true,
  valueHint: "id",
  description: `Integration: ${integrationIds.join(", ")}`,
});

export interface Done {
  readonly id: string;
  readonly tool: string;
  /** `none`: the file already is as it should be. */
  readonly action: Change["action"];
  readonly target: string;
  /** With `--dry-run`: in unified format. */
  readonly diff?: string;
}

export const pluginList = defineCommand({
  meta: { name: "list", description: "List the AI tools that cairn can connect" },
  args: { project, user },
  async run({ args }) {
    const scope = scopeOf(args);
    await printData(await integrations().list(scope), formatOf(args), (rows) =>
      // Without `how`, which leaves the target whole on a terminal of 80 columns.
      table(
        rows.map((row) => [row.id, row.tool, row.detected, shownTarget(row.target, scope), stateOf(row)]),
        ["ID", "TOOL", "DETECTED", "TARGET", "INSTALLED"],
        "no tools",
      ),
    );
  },
});

export const pluginInstall = defineCommand({
  meta: { name: "install", description: "Connect one AI tool to a space" },
  args: { id, project, user, "dry-run": dryRun, ...spaceArgs },
  async run({ args }) {
    const scope = scopeOf(args);
    await finish(await planned([args.id], scope, args), scope, args);
  },
});

export const pluginRemove = defineCommand({
  meta: { name: "remove", description: "Disconnect one AI tool" },
  args: { id, project, user, "dry-run": dryRun },
  async run({ args }) {
    const scope = scopeOf(args);
    await finish(await integrations().planRemove([args.id], scope), scope, args);
  },
});

export const activate = defineCommand({
  meta: { name: "activate", description: "Connect the AI tools of a project to a space" },
  args: {
    folder,
    only: repeatable({
      type: "string",
      valueHint: "id",
      description: `Only these tools (default: those detected): ${integrationIds.join(", ")}`,
    }),
    "dry-run": dryRun,
    ...spaceArgs,
  },
  async run({ args }) {
    const scope = scopeOf({ project: args.folder });
    const ids = args.only === undefined ? integrations().detected(scope) : commaList(args.only);
    const changes = await planned(ids, scope, args).catch((error: unknown) => {
      throw withOthers(error, ids, args);
    });
    await finish(changes, scope, args);
    if (formatOf(args) === "text" && args["dry-run"] !== true)
      await printHint(`start a new session in each tool; ${undoing(args.folder)} undoes this`);
  },
});

export const deactivate = defineCommand({
  meta: { name: "deactivate", description: "Disconnect the AI tools of a project" },
  args: { folder, "dry-run": dryRun },
  async run({ args }) {
    const scope = scopeOf({ project: args.folder });
    const changes = await integrations().planRemove(undefined, scope);
    await finish(
      changes.filter(({ action }) => action !== "none"),
      scope,
      args,
    );
  },
});

/** Names the command that connects the other tools, if some cannot be connected. */
function withOthers(
  error: unknown,
  ids: readonly string[],
  args: SpaceCommandFlags & { readonly folder?: string | undefined },
): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.details?.["ids"])) return error;
  const refused: readonly unknown[] = error.details["ids"];
  const others = ids.filter((one) => !refused.includes(one));
  if (others.length === 0) return error;
  const words = ["activate", "--only", others.join(",")];
  const places = args.folder === undefined ? [] : [args.folder];
  const again = nextCommand(words, places, { ...args });
  return new AppError(error.code, `${error.message}; to connect the others, run ${again}`, error.details);
}

/** The command that undoes an activation, which needs no space. */
function undoing(projectFolder: string | undefined): string {
  return nextCommand(["deactivate"], projectFolder === undefined ? [] : [projectFolder], {});
}

function integrations(): Integrations {
  return new Integrations(processEnvironment());
}

interface ScopeFlags {
  readonly project?: string | undefined;
  readonly user?: boolean | undefined;
}

/** Raises `invalid` if the folder does not exist. */
function scopeOf({ project: given, user: isUser }: ScopeFlags): Scope {
  if (isUser === true && given !== undefined)
    throw new AppError("invalid", "use --user or --project, not both");
  if (isUser === true) return { user: true };
  const path = resolve(given ?? ".");
  try {
    if (!statSync(path).isDirectory()) throw new AppError("invalid", `${path} is not a folder`);
    return { project: realpathSync(path) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const problem = systemCode(error) === "ENOENT" ? "no such folder" : accessProblem(error);
    throw new AppError("invalid", `${path}: ${problem}`);
  }
}

/** Delivers the space in a folder into the files that these tools read for all projects of this user. */
export async function installForUser(ids: readonly string[], dir: string): Promise<Done[]> {
  const changes = await planned(ids, { user: true }, { dir });
  await integrations().apply(changes);
  return changes.map(({ id: of, tool, action, target }) => ({ id: of, tool, action, target: target.path }));
}

/** The tools of this user that can be connected to a space, and are not. */
export async function unconnectedTools(): Promise<Pick<Listed, "id" | "tool">[]> {
  const all = await integrations().list({ user: true });
  return all.filter(({ detected, installed, problem }) => detected && !installed && problem === null);
}

/** Opens the space first, so that no tool is connected to one that does not exist. */
async function planned(ids: readonly string[], scope: Scope, flags: SpaceCommandFlags): Promise<Change[]> {
  const space = await withSpace(flags, async ({ name }) => name);
  const { program, flags: spaceFlags, folder: directory } = spaceWords(flags, space);
  if ("project" in scope && directory !== undefined) await warnInside(directory, scope.project);
  return integrations().planInstall(ids, scope, { program, spaceFlags, space, folder: directory });
}

/** The files of a tool name places of this machine, and those in a space are documents of everyone who has it. */
async function warnInside(space: string, projectFolder: string): Promise<void> {
  const way = relative(realpathSync(space), projectFolder);
  if (way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way) return;
  const { isReplica } = await import("../../context/replica/state.ts");
  const others = isReplica(space) ? " and reach everyone who syncs it" : "";
  await printWarning(
    `warning: ${projectFolder} is in the space itself, so these files, which name places of this machine, become documents of it${others}; to connect a project, run the command in its folder`,
  );
}

async function finish(
  changes: readonly Change[],
  scope: Scope,
  flags: Readonly<Record<string, unknown>>,
): Promise<void> {
  const isDry = flags["dry-run"] === true;
  if (!isDry) await integrations().apply(changes);
  const done: Done[] = [];
  for (const change of changes) {
    const { tool, action, target } = change;
    const entry = { id: change.id, tool, action, target: target.path };
    done.push(isDry ? { ...entry, diff: await patchOf(change) } : entry);
  }
  await printData(done, formatOf(flags), (all) =>
    isDry
      ? all
          .map(({ diff }) => diff)
          .filter((text) => text !== "")
          .join("\n") || "nothing to change"
      : table(
          all.map((one) => [one.id, one.tool, WORDS[one.action], shownTarget(one.target, scope)]),
          ["ID", "TOOL", "RESULT", "TARGET"],
          "nothing to remove",
        ),
  );
}

const WORDS = { create: "created", update: "updated", delete: "deleted", none: "unchanged" } as const;

async function patchOf({ action, target, after }: Change): Promise<string> {
  if (action === "none") return "";
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const from = target.text === undefined ? "/dev/null" : target.name;
  const to = after === undefined ? "/dev/null" : target.name;
  const options = { context: DIFF_CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(from, to, target.text ?? "", after ?? "", undefined, undefined, options);
  return withoutFinalLineFeed(patch);
}

function shownTarget(path: string, scope: Scope): string {
  return "project" in scope ? relative(scope.project, path) || path : path;
}

function stateOf({ installed, problem }: Listed): string {
  if (problem !== null) return problem;
  return installed ? "yes" : "no";
}
