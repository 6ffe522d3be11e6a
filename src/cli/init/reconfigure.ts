// `cairn init --reconfigure`: shows the settings of an installation that exists, and changes those that it is told to. Changes nothing else.

import { changeListen } from "../../context/config/editing.ts";
import { readServerConfig } from "../../context/config/config.ts";
import { serverDirectory } from "../../context/config/directory.ts";
import { enclosingSpaceDirectory, holdsLocalSpace } from "../../context/space/directory.ts";
import { localSettings } from "../../context/space/settings.ts";
import { isReplica, originOf } from "../../context/replica/state.ts";
import { spaceNameProblem } from "../../context/spaces/schema.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { listenProblem } from "../../kit/network/hosts.ts";
import { BACK, choose, introduce, typeLine } from "../../kit/terminal/prompts.ts";
import { localDeps } from "../connection.ts";
import { savedToken, variableToken, variableTokenOfFolder } from "../credentials.ts";
import { serverUrl } from "../server-url.ts";
import { fields } from "../tables.ts";
import { askEach, type Question } from "../wizard.ts";
import { refuseProblems, type Kind } from "./answers.ts";
import { createClient, proveServer } from "./client.ts";
import { portProblem } from "./new-server.ts";
import { wantedDirectory } from "./place.ts";

type Values = Readonly<Record<string, string>>;

interface Setting {
  readonly question: string;
  readonly problem: (text: string) => string | undefined;
}

/** The existing installation, and the settings of it that can change. */
interface Installation {
  readonly kind: Kind;
  readonly directory: string;
  readonly shown: Values;
  /** By name in `shown`, which is also the name of the flag. */
  readonly settings: Readonly<Record<string, Setting>>;
  readonly save: (changes: Values) => Promise<void>;
  /** When a change applies, if not at once. */
  readonly applies?: string;
}

interface Reconfigured {
  readonly kind: Kind;
  readonly directory: string;
  readonly settings: Values;
  /** The names of the settings that were changed. */
  readonly changed: readonly string[];
  readonly applies?: string;
}

interface Where {
  readonly dir?: string | undefined;
  readonly serverDir?: string | undefined;
  /** The new token of the folder's user, or the one for the new address of the server. */
  readonly token?: string | undefined;
}

interface Wanted {
  /** Undefined: whatever is there. */
  readonly kind: Kind | undefined;
  readonly where: Where;
  /** New values by setting; without any, a person at a terminal is asked. */
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly mayAsk: boolean;
}

/** Raises `not_found` if there is nothing of that kind, and `invalid` with everything that is wrong. */
export async function reconfigure(
  { kind, where, given, mayAsk }: Wanted,
  environment: Environment,
): Promise<Reconfigured> {
  const installation = await find(kind, where, environment);
  const { settings, shown } = installation;
  const wanted = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined);
  refuseProblems(
    wanted.map(([key, value]) => {
      const kept =
        shown[key] === value
          ? undefined
          : `a ${installation.kind} installation keeps what it was created with`;
      const problem = settings[key] ? settings[key].problem(value) : kept;
      return problem === undefined ? undefined : `--${key} "${value}": ${problem}`;
    }),
  );
  const isAsked = mayAsk && wanted.length === 0 && where.token === undefined;
  const answers = isAsked ? await askFor(installation) : Object.fromEntries(wanted);
  const changes = Object.fromEntries(Object.entries(answers).filter(([key, value]) => shown[key] !== value));
  const changed = [...Object.keys(changes), ...(where.token === undefined ? [] : ["token"])];
  if (changed.length > 0) await installation.save(changes);
  const { directory, applies } = installation;
  const result = { kind: installation.kind, directory, settings: { ...shown, ...changes }, changed };
  return applies === undefined || changed.length === 0 ? result : { ...result, applies };
}

export function reconfiguredText({ kind, directory, settings, changed, applies }: Reconfigured): string {
  const lines = [fields({ kind, directory, ...settings })];
  if (changed.length > 0) lines.push("", `changed: ${changed.join(", ")}${applies ? `; ${applies}` : ""}`);
  return lines.join("\n");
}

async function askFor({ kind, directory, settings, shown }: Installation): Promise<Values> {
  await introduce(`Settings of the ${kind} installation in ${directory}. Enter keeps a value.`);
  type Draft = Values & { readonly saved?: string };
  const questions: Question<Draft>[] = Object.entries(settings).map(([key, { question, problem }]) => ({
    isOpen: (answers) => answers[key] === undefined,
    ask: async (answers, last) => {
      const initial = last[key] ?? shown[key];
      const answer = await typeLine({ message: question, initial, problem });
      return answer === BACK ? BACK : { ...answers, [key]: answer };
    },
  }));
  questions.push({
    isOpen: ({ saved }) => saved === undefined,
    ask: async (answers) => {
      const changed = Object.keys(settings).filter((key) => answers[key] !== shown[key]);
      const what = changed.map((key) => `${key}: ${shown[key]} → ${answers[key]}`).join(", ");
      const choice = await choose(changed.length === 0 ? "Nothing changed." : `Save ${what}?`, [
        {
          value: "save",
          label: changed.length === 0 ? "Done" : "Save",
          hint: "Nothing has been written so far.",
        },
        { value: "back", label: "Back", hint: "Change the last answer." },
      ]);
      return choice === "save" ? { ...answers, saved: "yes" } : BACK;
    },
  });
  const { saved: _, ...answers } = await askEach<Draft>(questions, {});
  return answers;
}

async function find(kind: Kind | undefined, where: Where, environment: Environment): Promise<Installation> {
  const isServer = kind === "server" || (kind === undefined && where.serverDir !== undefined);
  if (isServer) return serverIn(serverDirectory(where.serverDir, environment));
  const around =
    where.dir === undefined && !environment["SERVICE_DIR"] ? enclosingSpaceDirectory() : undefined;
  const directory = around ?? wantedDirectory(where.dir, environment);
  if (holdsLocalSpace(directory)) {
    const found = isReplica(directory) ? "client" : "solo";
    if (kind !== undefined && kind !== found)
      throw new AppError(
        "not_found",
        `${directory} is a ${found} installation; use cairn init ${found} --reconfigure`,
      );
    return found === "client" ? clientIn(directory, where.token, environment) : soloIn(directory);
  }
  if (kind === undefined && where.dir === undefined) {
    try {
      return serverIn(serverDirectory(undefined, environment));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    }
  }
  throw new AppError("not_found", `nothing to reconfigure in ${directory}; create a space with cairn init`);
}

async function soloIn(directory: string): Promise<Installation> {
  const deps = localDeps(directory);
  const { name, template, max_versions: kept } = await localSettings(directory, deps);
  return {
    kind: "solo",
    directory,
    shown: { name, template, "max-versions": String(kept) },
    settings: {
      name: { question: "Name of the space", problem: spaceNameProblem },
      "max-versions": {
        question: "How many versions of a file keep their content? 0: all",
        problem: (text) => (/^(0|[1-9][0-9]{0,8})$/.test(text) ? undefined : "expected a whole number"),
      },
    },
    save: async ({ name: wanted, "max-versions": count }) => {
      const change = { name: wanted, max_versions: count === undefined ? undefined : Number(count) };
      await localSettings(directory, deps, change);
    },
  };
}

async function clientIn(
  directory: string,
  given: string | undefined,
  environment: Environment,
): Promise<Installation> {
  const origin = await originOf(directory);
  if (!origin)
    throw new AppError("not_found", `${directory}: the first sync never began; run cairn init client again`);
  return {
    kind: "client",
    directory,
    shown: { server: origin.server, space: origin.space, user: origin.user },
    settings: {
      server: {
        question: "Address of the server, which must have the same space",
        problem: (text) =>
          URL.canParse(text) ? undefined : "expected an address, for example https://context.example.org",
      },
    },
    // The join proves that the server at the address has the history of this copy, and that the token is its user's.
    save: async ({ server }) => {
      const url = serverUrl(server ?? origin.server);
      const variable = server === undefined ? variableTokenOfFolder : variableToken;
      const saved = (address: string) => savedToken(address, environment, origin.user);
      const token = given ?? variable(url, environment) ?? saved(url) ?? saved(origin.server);
      const proven = await proveServer(url, token);
      await createClient(proven, { space: origin.space, directory, keepToken: true }, environment);
    },
  };
}

function serverIn(directory: string): Installation {
  const { listen } = readServerConfig(directory);
  return {
    kind: "server",
    directory,
    shown: { address: listen.host, port: String(listen.port) },
    settings: {
      address: { question: "Address to listen on", problem: listenProblem },
      port: { question: "Port to listen on", problem: portProblem },
    },
    save: ({ address, port }) =>
      changeListen(directory, { address, port: port === undefined ? undefined : Number(port) }),
    applies: "a running server applies this from its next start",
  };
}
