// The questions of `cairn init`, in their order. An answer that a flag gave is not asked for.

import { newServerDirectory } from "../../context/config/directory.ts";
import { isReplica } from "../../context/replica/state.ts";
import { holdsFinishedSpace, ownSpaceDirectory } from "../../context/space/directory.ts";
import { spaceNameProblem } from "../../context/spaces/schema.ts";
import { templateNames, templateSummary } from "../../context/spaces/templates.ts";
import { accessTokenIn, TOKEN_EXPECTED } from "../../kit/secrets/access-token.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError, messageOf } from "../../kit/error.ts";
import { listenProblem } from "../../kit/network/hosts.ts";
import { parseName } from "../../kit/text/names.ts";
import {
  BACK,
  choose,
  isCancelled,
  objectTo,
  typeLine,
  typeSecret,
  type Answered,
} from "../../kit/terminal/prompts.ts";
import { storedToken } from "../credentials.ts";
import { serverUrl } from "../server-url.ts";
import { bytes, plural } from "../tables.ts";
import type { Question } from "../wizard.ts";
import type { Answers, Kind } from "./answers.ts";
import { proveAddress, proveServer, signIn, spaceOf, tokenToJoin } from "./client.ts";
import { portProblem, unusableAddress } from "./new-server.ts";
import {
  countFiles,
  defaultName,
  FILES_COUNTED_MAX,
  placeProblem,
  serverPlaceProblem,
  typedDirectory,
} from "./place.ts";

type Key = keyof Answers;

/** A question whose answer is one line. It is open while the answer is unknown, for these kinds. */
function line<K extends Key>(
  key: K,
  kinds: readonly Kind[],
  ask: (answers: Answers, last: Answers) => Promise<Answered<Answers[K]>>,
): Question<Answers> {
  return {
    isOpen: (answers) => answers[key] === undefined && kinds.includes(answers.kind!),
    ask: async (answers, last) => {
      const answer = await ask(answers, last);
      return answer === BACK ? BACK : { ...answers, [key]: answer };
    },
  };
}

export const kindQuestion: Question<Answers> = {
  isOpen: ({ kind }) => kind === undefined,
  ask: async (answers, last) => {
    const kind = await choose<Kind>(
      "What do you want to create?",
      [
        { value: "solo", label: "Space", hint: "A folder for you and your AI tools, with every version." },
        { value: "client", label: "Client", hint: "A folder that syncs with a space of a server." },
        { value: "server", label: "Server", hint: "A server that people and machines share spaces on." },
      ],
      last.kind,
    );
    return kind === BACK ? BACK : { ...answers, kind };
  },
};

export function directoryQuestion(environment: Environment): Question<Answers> {
  return line("directory", ["solo", "client"], async ({ kind, force }, { directory }) => {
    const typed = await typeLine({
      message: "Which folder? It may hold files already; they stay as they are.",
      initial: directory,
      suggested: ownSpaceDirectory(environment),
      problem: (text) => {
        if (text === "") return "type a folder";
        const wanted = typedDirectory(text, environment);
        const isOwn = force === true || (kind === "client" && isReplica(wanted));
        const isTaken = holdsFinishedSpace(wanted) && !isOwn;
        const taken = isTaken ? `${wanted} already holds a space; choose another folder` : undefined;
        return placeProblem(wanted, environment) ?? taken;
      },
    });
    return typed === BACK ? BACK : typedDirectory(typed, environment);
  });
}

const nameLine = line("space", ["solo", "server"], ({ kind, directory }, { space }) =>
  typeLine({
    message: kind === "server" ? "What is the first space called?" : "What is the space called?",
    initial: space,
    suggested: kind === "server" ? "main" : defaultName(directory!),
    problem: spaceNameProblem,
  }),
);

/** A space that exists has a name. */
export const nameQuestion: Question<Answers> = {
  ...nameLine,
  isOpen: (answers) =>
    nameLine.isOpen(answers) && !(answers.kind === "solo" && holdsFinishedSpace(answers.directory!)),
};

export const templateQuestion = line("template", ["solo", "server"], ({ kind }, { template }) =>
  choose(
    "Which pages does it start with?",
    templateNames.map((name) => ({ value: name, label: name, hint: templateSummary(name) })),
    template ?? (kind === "server" ? "team" : "solo"),
  ),
);

export const adoptQuestion: Question<Answers> = {
  isOpen: ({ kind, directory, adopt }) =>
    kind === "solo" && adopt === undefined && countFiles(directory!) > 0,
  ask: async (answers, last) => {
    const files = countFiles(answers.directory!);
    const count = files < FILES_COUNTED_MAX ? `${files}` : `${files} or more`;
    const choice = await choose(
      `The folder has files already (${count}). Record them?`,
      [
        { value: "yes", label: "Record", hint: "Each gets its first version, v1. The files do not change." },
        {
          value: "no",
          label: "Not now",
          hint: "They are listed without a version until you run cairn space adopt.",
        },
      ],
      last.adopt === false ? "no" : "yes",
    );
    return choice === BACK ? BACK : { ...answers, adopt: choice === "yes" };
  },
};

export function serverDirectoryQuestion(environment: Environment): Question<Answers> {
  return line("directory", ["server"], async ({ force }, { directory }) => {
    const typed = await typeLine({
      message: "Which folder keeps the data of the server?",
      initial: directory,
      suggested: newServerDirectory(undefined, environment),
      problem: (text) => {
        if (text === "") return "type a folder";
        // With --force, the creation itself judges what is in the folder.
        return force === true ? undefined : serverPlaceProblem(typedDirectory(text, environment));
      },
    });
    return typed === BACK ? BACK : typedDirectory(typed, environment);
  });
}

export const adminQuestion = line("admin", ["server"], (_, { admin }) =>
  typeLine({
    message: "What is the first admin called? Their token is printed at the end.",
    initial: admin,
    problem: (text) => problemOf(() => parseName("name", text)),
  }),
);

/** Asks until this machine can listen there. */
export const addressQuestion = line("address", ["server"], (_, { address }) =>
  untilProven(
    () =>
      typeLine({
        message: "Which address does it listen on? 127.0.0.1 is this machine only.",
        initial: address,
        suggested: "127.0.0.1",
        problem: listenProblem,
      }),
    async (text) => {
      const problem = await unusableAddress(text);
      if (problem !== undefined) throw new AppError("invalid", problem);
      return text;
    },
  ),
);

export const portQuestion = line("port", ["server"], (_, { port }) =>
  typeLine({ message: "Which port?", initial: port, suggested: "8743", problem: portProblem }),
);

/** Not open if no tool of this user can be connected to the space. */
export function toolsQuestion(
  unconnected: readonly { readonly id: string; readonly tool: string }[],
): Question<Answers> {
  return {
    isOpen: ({ kind, tools }) => kind !== "server" && tools === undefined && unconnected.length > 0,
    ask: async (answers, last) => {
      const names = unconnected.map(({ tool }) => tool).join(", ");
      const choice = await choose(
        `Connect your AI tools to the space? (${names})`,
        [
          {
            value: "yes",
            label: "Connect",
            hint: "Adds a marked block to the file that each tool reads for all projects.",
          },
          { value: "no", label: "Not now", hint: "cairn activate connects the tools of one project." },
        ],
        last.tools?.length === 0 ? "no" : "yes",
      );
      if (choice === BACK) return BACK;
      return { ...answers, tools: choice === "yes" ? unconnected.map(({ id }) => id) : [] };
    },
  };
}

export const daemonQuestion: Question<Answers> = {
  isOpen: ({ kind, daemon }) => kind === "client" && daemon === undefined,
  ask: async (answers, last) => {
    const choice = await choose(
      "Keep the folder in sync in the background?",
      [
        { value: "yes", label: "Install", hint: "A service of this user starts now and at each sign-in." },
        { value: "no", label: "Not now", hint: "cairn sync does it once; cairn daemon install later." },
      ],
      last.daemon === false ? "no" : "yes",
    );
    return choice === BACK ? BACK : { ...answers, daemon: choice === "yes" };
  },
};

export const confirmQuestion: Question<Answers> = {
  isOpen: ({ confirmed }) => confirmed === undefined,
  ask: async (answers) => {
    const choice = await choose(summaryOf(answers), [
      { value: "create", label: "Create", hint: "Nothing has been written so far." },
      { value: "back", label: "Back", hint: "Change the last answer." },
    ]);
    return choice === "create" ? { ...answers, confirmed: true } : BACK;
  },
};

function summaryOf({
  kind,
  directory,
  space,
  template,
  adopt,
  server,
  address,
  port,
  admin,
}: Answers): string {
  if (kind === "client") return `Follow the space ${space} of ${server} in ${directory}?`;
  const pages = template === "blank" ? "without pages" : `with the pages of the template ${template}`;
  if (kind === "server")
    return `Create a server in ${directory} at ${address}:${port}, with the admin ${admin} and the space ${space}, ${pages}?`;
  const files = adopt === true ? ", and record the files that are there" : "";
  if (space === undefined) return `Complete the space in ${directory} ${pages}${files}?`;
  return `Create the space ${space} in ${directory}, ${pages}${files}?`;
}

/** Asks for a server until a context server answers there. */
export const serverQuestion = line("server", ["client"], (_, { server }) =>
  untilProven(
    () =>
      typeLine({
        message: "What is the address of the server?",
        initial: server ?? "https://",
        problem: (text) => problemOf(() => serverUrl(text)),
      }),
    async (text) => {
      const url = serverUrl(text);
      await proveAddress(url);
      return url;
    },
  ),
);

/** Asks for a credential until the server takes it. A stored one that works needs no question. */
export function credentialQuestion(environment: Environment): Question<Answers> {
  return {
    isOpen: ({ kind, proven }) => kind === "client" && proven === undefined,
    known: async (answers) => {
      const { server, directory } = answers;
      const stored =
        directory === undefined
          ? storedToken(server!, environment)
          : await tokenToJoin(server!, directory, environment);
      if (stored === undefined) return undefined;
      try {
        return { ...answers, proven: await proveServer(server!, stored), typedToken: false };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        await objectTo(error.message);
        return undefined;
      }
    },
    ask: async (answers) => {
      const url = answers.server!;
      const proven = await untilProven(
        () => typeCredential(url),
        (token) => proveServer(url, token),
      );
      return proven === BACK ? BACK : { ...answers, proven, typedToken: true };
    },
  };
}

/** Returns a token: typed, or for name and password. */
async function typeCredential(url: string): Promise<Answered<string>> {
  for (;;) {
    const way = await choose(`How do you sign in to ${url}?`, [
      { value: "token", label: "Token", hint: "An admin gave you one." },
      { value: "password", label: "Password", hint: "Your name and password on that server." },
    ]);
    if (way === BACK) return BACK;
    const token = await (way === "token" ? typeToken() : typePassword(url));
    if (token !== BACK) return token;
  }
}

async function typeToken(): Promise<Answered<string>> {
  const typed = await typeSecret("Type or paste the token");
  if (typed !== BACK && accessTokenIn(typed) === undefined) throw new AppError("invalid", TOKEN_EXPECTED);
  return typed;
}

async function typePassword(url: string): Promise<Answered<string>> {
  const name = await typeLine({
    message: "What is your name on that server?",
    problem: (text) => (text === "" ? "type your name" : undefined),
  });
  if (name === BACK) return BACK;
  const password = await typeSecret("What is your password?");
  return password === BACK ? BACK : signIn(url, name, password);
}

const shared = line("space", ["client"], ({ proven }, { space }) =>
  choose(
    "Which space does the folder follow?",
    proven!.spaces.map(({ name, files, bytes: size }) => ({
      value: name,
      label: name,
      hint: `${plural(files, "file")}, ${bytes(size)}.`,
    })),
    space,
  ),
);

/** Asks only if there is a choice. Raises `not_found` if the person sees no space. */
export const sharedSpaceQuestion: Question<Answers> = {
  ...shared,
  known: async (answers) => {
    const { proven } = answers;
    return proven!.spaces.length > 1 ? undefined : { ...answers, space: spaceOf(proven!, undefined) };
  },
};

/** Asks again while the answer fails for a reason that a person can mend. */
async function untilProven<T>(
  ask: () => Promise<Answered<string>>,
  prove: (text: string) => Promise<T>,
): Promise<Answered<T>> {
  for (;;) {
    try {
      const typed = await ask();
      return typed === BACK ? BACK : await prove(typed);
    } catch (error) {
      if (!(error instanceof AppError) || isCancelled(error)) throw error;
      await objectTo(error.message);
    }
  }
}

/** Returns what an attempt to read the text raises. */
function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
