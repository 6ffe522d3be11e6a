// `cairn space …`: the spaces of a server.

import { defineCommand, type CommandDef } from "citty";
import { enclosingSpaceDirectory } from "../../context/space/directory.ts";
import type { SpaceDoor } from "../../context/space/door.ts";
import type { EffectiveQuotas, Space, SyncMode, SyncRules } from "../../context/spaces/schema.ts";
import { modeOf } from "../../context/spaces/modes.ts";
import { syncModes } from "../../context/spaces/schema.ts";
import { templateNames } from "../../context/spaces/templates.ts";
import { flagToo, oneOfWords } from "../../kit/terminal/arguments.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData, printWarning } from "../../kit/terminal/output.ts";
import { done, requireOnDisk } from "../behind.ts";
import { serverCommand, spaceCommand } from "../command.ts";
import {
  dirArg,
  localDeps,
  spaceArgs,
  withLocalSpace,
  withSpace,
  type SpaceCommandFlags,
} from "../connection.ts";
import { withReplica } from "../replica.ts";
import { chosenSpace, listSpaces } from "../space-choice.ts";
import { spaceTarget, type ServerFlags } from "../target.ts";
import { bytes, fields, plural, shown, table, when, wholeNumber } from "../tables.ts";

const word = { type: "positional", valueHint: "name", description: "Name of the space" } as const;
/** As a word or a flag. */
const spaceWord = flagToo({ ...word, required: false });

export const spaceList = serverCommand({
  name: "list",
  description: "List the spaces that you may see",
  args: {},
  async ask(client) {
    const { spaces, unopened } = await listSpaces(client);
    if (unopened !== undefined) await printWarning(unopened.error.message);
    return spaces;
  },
  show: (spaces) =>
    table(
      spaces.map((space) => [
        space.name,
        space.files,
        bytes(space.bytes),
        space.versions,
        when(space.created_at),
      ]),
      ["NAME", "FILES", "SIZE", "VERSIONS", "CREATED"],
      "no spaces",
    ),
});

export const spaceShow = spaceCommand({
  name: "show",
  description: "Show totals, quotas and sync rules of a space",
  args: { space: spaceWord },
  ask: (space) => space.record(),
  show: (space) => {
    const { name: called, template, head, created_at, files, versions, sync } = space;
    const totals = { files, versions, bytes: `${space.bytes} (${bytes(space.bytes)})` };
    return `${fields({ name: called, template, head, created_at, ...totals, ...limitsText(space) })}\n${syncText(sync)}`;
  },
});

/** Lists each quota in force, with its author if the space sets it. */
function limitsText({ quotas, quotas_set_by: setBy }: Space): Record<string, string> {
  const limit = (
    value: number,
    origin: { name: string; role: string } | undefined,
    words: (value: number) => string = String,
  ) => {
    const said = value === Number.MAX_SAFE_INTEGER ? "unlimited" : words(value);
    return origin === undefined ? said : `${said}, set by ${origin.name} (${origin.role})`;
  };
  return {
    max_file_size: limit(quotas.max_file_size, setBy.max_file_size, bytes),
    max_space_size: limit(quotas.max_space_size, setBy.max_space_size, bytes),
    max_files: limit(quotas.max_files, setBy.max_files),
  };
}

export const spaceCreate = serverCommand({
  name: "create",
  description: "Create a space",
  args: {
    name: { ...word, required: true },
    template: oneOfWords(templateNames, {
      type: "string",
      valueHint: "name",
      description: `Template of the space: ${templateNames.join(", ")} (default: team)`,
    }),
  },
  ask: (client, args) =>
    client.json<Space>("POST", "/spaces", {
      body: { name: args.name, ...(args.template === undefined ? {} : { template: args.template }) },
    }),
  show: (space) => `created space ${space.name} with ${plural(space.files, "file")}`,
});

export const spaceDelete = serverCommand({
  name: "delete",
  description: "Delete a space with every version of every file",
  args: {
    space: flagToo({ ...word, required: true }),
    yes: { type: "boolean", description: "Confirm the deletion" },
  },
  first: requireNamedServer,
  ask: async (client, args) => {
    if (args.yes !== true) {
      const found = await client.get<Space>(`/spaces/${encodeURIComponent(args.space)}`);
      throw new AppError(
        "refused",
        `${args.space} contains ${plural(found.files, "file")} in ${plural(found.versions, "version")} (${bytes(found.bytes)}); pass --yes to delete all of it`,
      );
    }
    return client.json<{ name: string; files: number; bytes: number }>(
      "DELETE",
      `/spaces/${encodeURIComponent(args.space)}`,
      {
        query: { confirm: args.space },
      },
    );
  },
  show: (gone) => `deleted space ${gone.name}: ${plural(gone.files, "file")}, ${bytes(gone.bytes)}`,
});

/** In the folder of a space, its name may mean the folder as well as a space of the server. Raises `invalid`. */
function requireNamedServer(args: ServerFlags): void {
  const isNamed = args.server !== undefined || args["server-dir"] !== undefined || args.local === true;
  const folder =
    isNamed || processEnvironment()["SERVICE_SERVER_DIR"] ? undefined : enclosingSpaceDirectory();
  if (folder === undefined) return;
  throw new AppError(
    "invalid",
    `you are in the space ${folder}, which is a folder; to delete a space of a server, name the server with --server, or use --local for the one on this machine`,
    { directory: folder },
  );
}

export const spaceAdopt = spaceCommand({
  name: "adopt",
  description: "Record files added or edited in the working tree by hand",
  args: { space: spaceWord },
  ask: (space) => space.adopt(),
  show: ({ adopted, refused }) =>
    adopted.length + refused.length === 0
      ? "nothing to adopt"
      : [
          ...adopted.map((path) => `adopted ${shown(path)}`),
          ...refused.map(({ path, reason }) => `refused ${shown(path)}: ${shown(reason)}`),
        ].join("\n"),
  check({ refused }) {
    // A folder of another program, such as .git, is listed and leaves nothing to do.
    const left = refused.filter(({ code }) => code !== "reserved_name").length;
    if (left > 0)
      throw new AppError("refused", `${plural(left, "file was", "files were")} not adopted; see above`);
  },
});

export const spaceIndex = defineCommand({
  meta: {
    name: "index",
    description: "Update space-index.md, which lists every document of a local space with its title",
  },
  args: dirArg,
  async run({ args }) {
    const { writeIndexPage } = await import("../../context/space/index-page.ts");
    const made = await withLocalSpace(args.dir, (space) => done(space, writeIndexPage));
    await printData(made.answer, formatOf(args), ({ path, version, changed, documents }) =>
      changed
        ? `${path} is at v${version} and lists ${plural(documents, "document")}`
        : `${path} is up to date (v${version}, ${plural(documents, "document")})`,
    );
    requireOnDisk(made, args);
  },
});

export const spaceQuotas = serverCommand({
  name: "quotas",
  description: "Show or set the quotas of a space; 0: server default",
  args: {
    space: spaceWord,
    "max-file-size": { type: "string", valueHint: "bytes", description: "Maximum size of a file" },
    "max-space-size": {
      type: "string",
      valueHint: "bytes",
      description: "Maximum size of all live files together",
    },
    "max-files": { type: "string", valueHint: "count", description: "Maximum number of live files" },
  },
  ask: async (client, args) => {
    const place = `/spaces/${encodeURIComponent(await chosenSpace(client, args.space))}`;
    const given = {
      max_file_size: args["max-file-size"],
      max_space_size: args["max-space-size"],
      max_files: args["max-files"],
    };
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    if (set.length === 0) return (await client.get<Space>(place)).quotas;
    const body = Object.fromEntries(
      set.map(([key, value]) => [key, wholeNumber(`--${key.replaceAll("_", "-")}`, value!)]),
    );
    return client.json<EffectiveQuotas>("PUT", `${place}/quotas`, { body });
  },
  show: ({ max_file_size: file, max_space_size: space, max_files }) =>
    fields({
      max_file_size: `${file} (${bytes(file)})`,
      max_space_size: `${space} (${bytes(space)})`,
      max_files,
    }),
});

export const syncShow = spaceCommand({
  name: "show",
  description: "Show the sync rules of a space",
  args: { space: spaceWord },
  ask: (space) => space.syncRules(),
  show: syncText,
});

const syncSetArgs = {
  ...spaceArgs,
  space: spaceWord,
  path: {
    type: "positional",
    required: true,
    valueHint: "prefix",
    description: "Path prefix, for example identity/",
  },
  mode: oneOfWords(syncModes, {
    type: "positional",
    required: true,
    valueHint: "mode",
    description: `${syncModes.join(", ")}; init-only: copied once, when a machine joins`,
  }),
} as const;

interface SetRule {
  readonly path: string;
  readonly from: SyncMode;
  readonly to: SyncMode;
  readonly rules: SyncRules;
}

export const syncSet: CommandDef<typeof syncSetArgs> = defineCommand({
  meta: { name: "set", description: "Set the sync mode of the paths below a prefix" },
  args: syncSetArgs,
  async run({ args }) {
    const set = (space: SpaceDoor) => setRule(space, args.path, args.mode);
    const target = spaceTarget(args, processEnvironment());
    const { isReplica } = await import("../../context/replica/state.ts");
    const answer =
      target.kind === "folder" && isReplica(target.directory)
        ? await setRuleOfCopy(target.directory, args, set)
        : await withSpace(args, set);
    await printData(
      answer,
      formatOf(args),
      ({ rules, path, from, to }) => `${path}: ${from} → ${to}\n\n${syncText(rules)}`,
    );
  },
});

async function setRule(space: SpaceDoor, path: string, asked: string): Promise<SetRule> {
  const rules = await space.syncRules();
  const prefix = path.endsWith("/") ? path : `${path}/`;
  // The parser takes no other word.
  const mode = syncModes.find((one) => one === asked)!;
  const now = await space.setSyncRule(prefix, mode);
  const directory = prefix.slice(0, -1);
  return { path: prefix, from: modeOf(rules, directory), to: modeOf(now, directory), rules: now };
}

/** The rules of a folder that syncs are those of its server, so they are set there, and shown here at once. */
function setRuleOfCopy(
  directory: string,
  args: SpaceCommandFlags,
  set: (space: SpaceDoor) => Promise<SetRule>,
): Promise<SetRule> {
  return withReplica(directory, args["token-file"], async (state, client) => {
    const { server, space } = state.origin!;
    if (args.space !== undefined && args.space !== space)
      throw new AppError("not_found", `${directory} syncs with ${space}, not with ${args.space}`);
    if (formatOf(args) === "text") await printWarning(`server: ${server}`);
    const { LocalCopy } = await import("../../context/replica/local-copy.ts");
    const { RemoteSpace } = await import("../../context/space/remote.ts");
    const answer = await set(new RemoteSpace(client, space));
    await new LocalCopy(directory, localDeps(directory)).adoptRules(answer.rules);
    return answer;
  });
}

function syncText(rules: SyncRules): string {
  return table(Object.entries(rules), ["PATH", "SYNC"], "no rules: every path always syncs");
}
