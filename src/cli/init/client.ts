// `cairn init client`: a folder that follows a space of a server. Address, token and space are proven before anything is written.

import { Client, networkTransport } from "../../context/client/client.ts";
import type { Progress } from "../../context/replica/cycle.ts";
import type { SyncReport } from "../../context/replica/report.ts";
import { isReplica, originOf } from "../../context/replica/state.ts";
import { holdsFinishedSpace } from "../../context/space/directory.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import type { Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { inWordsOfFlags, localDeps } from "../connection.ts";
import { saveServer, saveToken, storedToken } from "../credentials.ts";
import { patiently } from "../retrying-client.ts";
import { progressLine } from "../progress.ts";
import { listSpaces, onlySpace, unchosen } from "../space-choice.ts";
import { bytes, plural, shown } from "../tables.ts";
import { activateHint, refuseProblems, type ProvenServer } from "./answers.ts";
import { inColumns, refusedLines } from "../refused-lines.ts";
import { placeProblem } from "./place.ts";

/** Raises `unavailable` if no context server answers there, and `unauthenticated` if it does not take the token. */
export async function proveServer(url: string, token: string | undefined): Promise<ProvenServer> {
  return withClient(url, token, async (client) => {
    const me = await client.get<{ name: string; role: string }>("/auth/whoami");
    return { url, token, user: me.name, role: me.role, ...(await listSpaces(client)) };
  });
}

/** Raises `unavailable` if no context server answers there. */
export async function proveAddress(url: string): Promise<void> {
  try {
    await withClient(url, undefined, (client) => client.get("/auth/whoami"));
  } catch (error) {
    // That it asks for a token is what a context server does.
    if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
  }
}

/** Returns the token that joins the folder with the server: that of its user if it is a copy already, otherwise that of the current one. */
export async function tokenToJoin(
  url: string,
  directory: string,
  environment: Environment,
): Promise<string | undefined> {
  const origin = await originOf(directory);
  return storedToken(url, environment, origin?.user) ?? storedToken(url, environment);
}

/** Returns a token for name and password. Raises `unauthenticated`. */
export async function signIn(url: string, name: string, password: string): Promise<string> {
  const body = { name, password };
  const { token } = await withClient(url, undefined, (client) =>
    client.json<{ token: string }>("POST", "/auth/login", { body }),
  );
  return token;
}

/** Returns the named space, or the only one. Raises `invalid` with the names to choose from. */
export function spaceOf(proven: ProvenServer, wanted: string | undefined): string {
  const { url, user, spaces, unopened } = proven;
  const none = new AppError("not_found", `${user} sees no space on ${url}; ask an admin of that server`);
  if (wanted === undefined) return onlySpace(proven, none);
  if (spaces.some(({ name }) => name === wanted)) return wanted;
  if (unopened?.names.includes(wanted) === true) throw unopened.error;
  throw unchosen(`--space "${wanted}": not found on ${url}`, proven, none);
}

/**
 * Raises `invalid` with everything that is wrong, and `conflict` for a folder that holds a space of its own, unless it is to become a copy. A copy
 * whose first sync was interrupted is continued.
 */
export function checkClientPlace(
  { directory, force = false }: { readonly directory: string; readonly force?: boolean | undefined },
  environment: Environment,
): void {
  refuseProblems([placeProblem(directory, environment)]);
  if (holdsFinishedSpace(directory) && !isReplica(directory) && !force)
    throw new AppError(
      "conflict",
      `${directory} already holds a space; choose another folder with --dir, or pass --force: its files stay, and the next sync sends them`,
    );
}

interface MadeClient {
  readonly directory: string;
  readonly server: string;
  readonly space: string;
  readonly user: string;
  readonly files: number;
  readonly bytes: number;
  readonly conflicts: readonly string[];
  /** Of the first sync: changes that were refused, and files that the disk refused. */
  readonly held: SyncReport["held"];
  readonly refused: SyncReport["refused"];
  readonly behind: SyncReport["behind"];
}

/** Clones the space. The token is stored once that has worked, since later syncs need it. `keepToken`: it is not stored yet. */
export async function createClient(
  { url, token, user }: ProvenServer,
  made: { readonly space: string; readonly directory: string; readonly keepToken: boolean },
  environment: Environment,
): Promise<MadeClient> {
  const { space, directory } = made;
  const { joinSpace } = await import("../../context/replica/join.ts");
  const progress = progressLine();
  const onProgress = ({ files, totalFiles, bytes: size, totalBytes }: Progress) =>
    progress.show(() => `${files} of ${plural(totalFiles, "file")}, ${bytes(size)} of ${bytes(totalBytes)}`);
  const { log } = localDeps(directory);
  try {
    const joined = await withClient(url, token, (client) =>
      joinSpace({ client, space, directory, onProgress, log }),
    );
    if (made.keepToken && token !== undefined) await saveToken(url, { user, token }, environment);
    else await saveServer(url, environment);
    const { files, bytes: size, report } = joined;
    const conflicts = report.conflicts.map(({ path }) => path);
    const { held, refused, behind } = report;
    return { directory, server: url, space, user, files, bytes: size, conflicts, held, refused, behind };
  } finally {
    progress.end();
  }
}

/** A folder that is joined again has most of its files already. */
function fetchedText({ files, bytes: size }: MadeClient): string {
  return files === 0 ? "nothing new" : `fetched ${plural(files, "file")}, ${bytes(size)}`;
}

export function clientText(made: MadeClient): string {
  const lines = [
    `${made.directory} follows the space ${made.space} of ${made.server} as ${made.user}: ${fetchedText(made)}`,
  ];
  for (const path of made.conflicts) lines.push(`conflict: ${shown(path)} differs here; both texts are kept`);
  lines.push(...inColumns(refusedLines(made)));
  return lines.join("\n");
}

/** Returns the lines of the commands that come next. `own`: the folder that commands use without `--dir`. */
export function clientNext({ directory }: MadeClient, own: string): string[] {
  const dir = directory === own ? [] : ["--dir", directory];
  const commands = [["sync"], ["daemon", "install"]].map((words) => commandText(["cairn", ...words, ...dir]));
  return [...commands, activateHint(dir)];
}

async function withClient<T>(
  url: string,
  token: string | undefined,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = patiently(new Client(networkTransport(url, token)));
  try {
    return await work(client);
  } catch (error) {
    throw inWordsOfFlags(error, url);
  } finally {
    await client.close();
  }
}
