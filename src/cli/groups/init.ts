// `cairn init`: creates a space in a folder, a client of a server, or a server. Answers come from flags; a person at a terminal is asked for the
// rest. Nothing is written before everything is known and checked.

import { defineCommand, type ArgsDef } from "citty";
import { newServerDirectory } from "../../context/config/directory.ts";
import { integrationIds } from "../../context/integrations/descriptors.ts";
import { ownSpaceDirectory } from "../../context/space/directory.ts";
import { templateNames } from "../../context/spaces/templates.ts";
import { oneOfWords, repeatable, subject } from "../../kit/terminal/arguments.ts";
import { processEnvironment, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData, printNext } from "../../kit/terminal/output.ts";
import { mayAsk, refuseMissing, type Answers, type Kind } from "../init/answers.ts";
import {
  checkClientPlace,
  clientNext,
  clientText,
  createClient,
  proveAddress,
  proveServer,
  spaceOf,
  tokenToJoin,
} from "../init/client.ts";
import { createServer, serverNext, serverText, type MadeServer } from "../init/new-server.ts";
import { typedDirectory, wantedDirectory } from "../init/place.ts";
import { checkSolo, createSolo, requireRecorded, soloNext, soloText, type NewSolo } from "../init/solo.ts";
import { requireSynced } from "../refused-lines.ts";
import { tokenIn } from "../connection.ts";
import { variableToken } from "../credentials.ts";
import { serverUrl } from "../server-url.ts";
import type { Question } from "../wizard.ts";
import { wire, wiredLines } from "./wiring.ts";
import { commaList } from "../comma-list.ts";

const nonInteractive = {
  "non-interactive": { type: "boolean", description: "Never prompt" },
} as const satisfies ArgsDef;

const reconfigureArg = {
  reconfigure: {
    type: "boolean",
    description: "Show the settings of an existing installation, or change those given",
  },
} as const satisfies ArgsDef;

const toolsArg = {
  tools: repeatable({
    type: "string",
    valueHint: "id",
    description: `AI tools to connect to the space for all your projects: ${integrationIds.join(", ")}`,
  }),
} as const satisfies ArgsDef;

const folderArg = subject({
  type: "string",
  valueHint: "dir",
  description: "Folder of the space (default: $SERVICE_DIR, ~/.cairn/space)",
} as const);

const soloArgs = {
  dir: folderArg,
  name: {
    type: "string",
    valueHint: "name",
    description: "Name of the space (default: the name of the folder; for the default folder, notes)",
  },
  template: oneOfWords(templateNames, {
    type: "string",
    valueHint: "name",
    description: `Pages that the space starts with: ${templateNames.join(", ")} (default: solo)`,
  }),
  adopt: { type: "boolean", description: "Record the files that are in the folder already" },
  ...toolsArg,
  force: {
    type: "boolean",
    description: "Add missing pages of the template to a space that exists; changes no file",
  },
  ...reconfigureArg,
  "max-versions": {
    type: "string",
    valueHint: "count",
    description: "With --reconfigure: versions of a file that keep their content; 0: all",
  },
  ...nonInteractive,
} as const satisfies ArgsDef;

export const initSolo = defineCommand({
  meta: { name: "solo", description: "Create a space in a folder on this machine" },
  args: soloArgs,
  async run({ args }) {
    const { dir, name, template, adopt } = args;
    if (args.reconfigure === true)
      return printReconfigured("solo", args, { name, template, "max-versions": args["max-versions"] });
    if (args["max-versions"] !== undefined)
      throw new AppError("invalid", "--max-versions needs --reconfigure; a new space keeps all versions");
    const tools = toolsOf(args.tools);
    const given = [dir, name, template, adopt, tools, args.force].some((value) => value !== undefined);
    const answers: Answers = { kind: "solo", space: name, template, adopt };
    const environment = processEnvironment();
    if (!given && mayAsk(args)) return printMade(await wizard(answers, environment), args, environment);
    const made: NewSolo = {
      directory: wantedDirectory(dir, environment),
      name,
      template,
      adopt: adopt === true,
      force: args.force === true,
    };
    await printSolo(made, { tools }, args, environment);
  },
});

/** Raises `invalid` for an unknown tool, before anything is written. */
function toolsOf(flag: string | undefined): readonly string[] | undefined {
  const tools = flag === undefined ? undefined : commaList(flag);
  const unknown = tools?.find((id) => !integrationIds.includes(id));
  if (unknown !== undefined)
    throw new AppError("invalid", `--tools "${unknown}": expected one of ${integrationIds.join(", ")}`);
  return tools;
}

const clientArgs = {
  server: { type: "string", valueHint: "url", description: "Address of the server" },
  "token-file": {
    type: "string",
    valueHint: "file",
    description: "File with your access token (default: $SERVICE_TOKEN, the last sign-in there)",
  },
  space: { type: "string", valueHint: "name", description: "Space of the server (default: the only one)" },
  dir: folderArg,
  ...toolsArg,
  daemon: { type: "boolean", description: "Sync in the background from now on, like cairn daemon install" },
  force: {
    type: "boolean",
    description: "Join with a folder that holds a space: its files stay and are sent by the next sync",
  },
  ...reconfigureArg,
  ...nonInteractive,
} as const satisfies ArgsDef;

export const initClient = defineCommand({
  meta: { name: "client", description: "Create a folder that syncs with a space of a server" },
  args: clientArgs,
  async run({ args }) {
    const environment = processEnvironment();
    const { space, dir } = args;
    if (args.reconfigure === true) return printReconfigured("client", args, { server: args.server, space });
    const server = args.server === undefined ? undefined : serverUrl(args.server);
    const file = args["token-file"];
    const typedToken = file === undefined ? undefined : true;
    const directory = dir === undefined ? undefined : wantedDirectory(dir, environment);
    const { daemon } = args;
    const tools = toolsOf(args.tools);
    const answers: Answers = {
      kind: "client",
      server,
      space,
      directory,
      typedToken,
      tools,
      daemon,
      force: args.force,
    };
    if (server === undefined && mayAsk(args) && file === undefined)
      return printMade(await wizard(answers, environment), args, environment);
    refuseMissing({ "--server": server });
    const joined = wantedDirectory(dir, environment);
    const token = file === undefined ? await tokenToJoin(server!, joined, environment) : tokenIn(file);
    if (token === undefined && mayAsk(args)) {
      await proveAddress(server!);
      return printMade(await wizard(answers, environment), args, environment);
    }
    const isSaved = file === undefined && variableToken(server!, environment) === undefined;
    const proven = await proveServer(server!, token).catch((error: unknown) => {
      if (isSaved && mayAsk(args) && isUnauthenticated(error)) return undefined;
      throw error;
    });
    // The wizard says why the saved token is refused, and asks for another.
    const all = proven ? { ...answers, proven } : await wizard(answers, environment);
    await printMade(all, args, environment);
  },
});

const isUnauthenticated = (error: unknown) => error instanceof AppError && error.code === "unauthenticated";

const serverArgs = {
  "data-dir": {
    type: "string",
    valueHint: "dir",
    description: "Data directory (default: --server-dir, $SERVICE_SERVER_DIR, ~/.cairn/server)",
  },
  "server-dir": { type: "string", valueHint: "dir", description: "Alias of --data-dir" },
  address: { type: "string", valueHint: "address", description: "Address to listen on (default: 127.0.0.1)" },
  port: {
    type: "string",
    valueHint: "port",
    description: "Port to listen on; 0: a free one, which the server keeps (default: 8743)",
  },
  space: { type: "string", valueHint: "name", description: "Name of the first space" },
  admin: { type: "string", valueHint: "name", description: "Name of the first admin" },
  template: oneOfWords(templateNames, {
    type: "string",
    valueHint: "name",
    description: `Template of the space: ${templateNames.join(", ")} (default: team)`,
  }),
  force: { type: "boolean", description: "Accept a directory with other files; replaces none of them" },
  ...reconfigureArg,
  noui: { type: "boolean", description: "Ask in the terminal instead of on a setup page in the browser" },
  ...nonInteractive,
} as const satisfies ArgsDef;

export const initServerCommand = defineCommand({
  meta: { name: "server", description: "Create a context server: directory, first space, first admin" },
  args: serverArgs,
  async run({ args }) {
    const { address, port, space, admin, template } = args;
    if (args.reconfigure === true)
      return printReconfigured("server", args, { address, port, space, admin, template });
    const environment = processEnvironment();
    const directory = args["data-dir"] ?? args["server-dir"];
    const answers: Answers = {
      kind: "server",
      directory: directory === undefined ? undefined : newServerDirectory(directory, environment),
      address,
      port,
      space,
      admin,
      template,
      force: args.force,
    };
    const isComplete = space !== undefined && admin !== undefined;
    const wantsPage = space === undefined && admin === undefined && template === undefined && !args.noui;
    if (wantsPage && mayAsk(args)) return setUp(answers, environment);
    if (!isComplete && mayAsk(args)) return printMade(await wizard(answers, environment), args, environment);
    refuseMissing({ "--space": space, "--admin": admin });
    const made = await createServer(answers, environment);
    await printServer(made, args);
  },
});

async function setUp(answers: Answers, environment: Environment): Promise<void> {
  const { setUpInBrowser } = await import("../init/setup.ts");
  await setUpInBrowser(answers, environment);
}

/** Of `cairn init` alone. */
export const wizardArgs = {
  force: {
    type: "boolean",
    description: "Accept a folder that holds a space or other files; no file is overwritten",
  },
  ...reconfigureArg,
  dir: { ...folderArg, description: "With --reconfigure: folder of the space" },
  ...nonInteractive,
} as const satisfies ArgsDef;

/** Asks what to create, and everything that it takes. Raises `invalid` where nobody can be asked. */
export async function runWizard(args: Flags): Promise<void> {
  if (args["reconfigure"] === true) return printReconfigured(undefined, args, {});
  if (args["dir"] !== undefined)
    throw new AppError("invalid", "use --dir with --reconfigure, or with cairn init solo");
  if (!mayAsk(args))
    throw new AppError(
      "invalid",
      "say what to create: cairn init solo, cairn init client or cairn init server; cairn init --help lists their flags",
    );
  const environment = processEnvironment();
  await printMade(await wizard({ force: args["force"] === true }, environment), args, environment);
}

async function wizard(given: Answers, environment: Environment): Promise<Answers> {
  const [{ askEach }, { introduce }, questions, { unconnectedTools }] = await Promise.all([
    import("../wizard.ts"),
    import("../../kit/terminal/prompts.ts"),
    import("../init/questions.ts"),
    import("./plugin.ts"),
  ]);
  await introduce("Nothing is written before the last answer.");
  const all: Question<Answers>[] = [
    questions.kindQuestion,
    questions.serverQuestion,
    questions.credentialQuestion(environment),
    questions.sharedSpaceQuestion,
    questions.directoryQuestion(environment),
    questions.serverDirectoryQuestion(environment),
    questions.nameQuestion,
    questions.templateQuestion,
    questions.adoptQuestion,
    questions.toolsQuestion(await unconnectedTools()),
    questions.daemonQuestion,
    questions.adminQuestion,
    questions.addressQuestion,
    questions.portQuestion,
    questions.confirmQuestion,
  ];
  return askEach(all, given);
}

type Flags = Readonly<Record<string, unknown>>;

async function printReconfigured(
  kind: Kind | undefined,
  args: Flags,
  given: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { reconfigure, reconfiguredText } = await import("../init/reconfigure.ts");
  const text = (name: string) => args[name] as string | undefined;
  const other = ["force", "adopt"].find((flag) => args[flag] === true);
  if (other !== undefined) throw new AppError("invalid", `use --reconfigure or --${other}, not both`);
  const file = text("token-file");
  const where = {
    dir: text("dir"),
    serverDir: text("data-dir") ?? text("server-dir"),
    token: file === undefined ? undefined : tokenIn(file),
  };
  const mayBeAsked = mayAsk(args) && formatOf(args) === "text";
  const done = await reconfigure({ kind, where, given, mayAsk: mayBeAsked }, processEnvironment());
  await printData(done, formatOf(args), reconfiguredText);
}

async function printMade(answers: Answers, args: Flags, environment: Environment): Promise<void> {
  const making: Record<Kind, () => Promise<void>> = {
    solo: () =>
      printSolo(
        {
          directory: typedDirectory(answers.directory!, environment),
          name: answers.space,
          template: answers.template,
          adopt: answers.adopt === true,
          force: answers.force === true,
        },
        answers,
        args,
        environment,
      ),
    client: async () => {
      const proven = answers.proven!;
      const directory = answers.directory ?? wantedDirectory(undefined, environment);
      const space = spaceOf(proven, answers.space);
      checkClientPlace({ directory, force: answers.force }, environment);
      const made = { space, directory, keepToken: answers.typedToken === true };
      const own = ownSpaceDirectory(environment);
      const format = formatOf(args);
      const joined = await createClient(proven, made, environment);
      const wired = await wire(directory, answers);
      await printData({ ...joined, ...wired }, format, (one) =>
        [clientText(one), ...wiredLines(one)].join("\n"),
      );
      await printNext(clientNext(joined, own), format);
      requireSynced(joined);
    },
    server: async () => printServer(await createServer(answers, environment), args),
  };
  await making[answers.kind!]();
}

async function printSolo(
  made: NewSolo,
  answers: Answers,
  args: Flags,
  environment: Environment,
): Promise<void> {
  const format = formatOf(args);
  checkSolo(made, environment);
  const own = ownSpaceDirectory(environment);
  const created = await createSolo(made);
  const wired = await wire(made.directory, answers);
  await printData({ ...created, ...wired }, format, (one) =>
    [soloText(one, own), ...wiredLines(one)].join("\n"),
  );
  await printNext(soloNext(created, own), format);
  requireRecorded(created);
}

async function printServer(made: MadeServer, args: Flags): Promise<void> {
  const format = formatOf(args);
  await printData(made, format, serverText);
  await printNext(serverNext(made), format);
}
