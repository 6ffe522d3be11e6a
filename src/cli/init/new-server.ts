// `cairn init server`: a server in a data directory. The answers are checked here, the directory in src/context/init-server.ts.

import { newServerDirectory } from "../../context/config/directory.ts";
import { spaceNameProblem } from "../../context/spaces/schema.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import type { Environment } from "../../kit/environment.ts";
import { PORT_MAX } from "../../kit/network/hosts.ts";
import { addressProblem } from "../../kit/network/port.ts";
import { printWarning } from "../../kit/terminal/output.ts";
import { refuseProblems, type Answers } from "./answers.ts";

/** Undefined: a number that a server can listen on; 0 lets the system choose. */
export function portProblem(text: string): string | undefined {
  const isPort = /^(0|[1-9][0-9]{0,4})$/.test(text) && Number(text) <= PORT_MAX;
  return isPort ? undefined : `expected a number from 0 to ${PORT_MAX}`;
}

/** Undefined: an address at which this machine can listen. */
export async function unusableAddress(text: string): Promise<string | undefined> {
  const problem = await addressProblem(text);
  return problem && `${problem}; use an address of this machine, or :: for all of them`;
}

/** Of the flags that say where the server listens. */
export async function listenProblems({ address, port }: Answers): Promise<(string | undefined)[]> {
  const ofAddress = address === undefined ? undefined : await unusableAddress(address);
  const ofPort = port === undefined ? undefined : portProblem(port);
  return [flagProblem("--address", address, ofAddress), flagProblem("--port", port, ofPort)];
}

function flagProblem(
  flag: string,
  value: string | undefined,
  problem: string | undefined,
): string | undefined {
  return problem === undefined ? undefined : `${flag} "${value}": ${problem}`;
}

export interface MadeServer {
  readonly directory: string;
  readonly admin: string;
  readonly token: string;
  readonly token_file: string;
  readonly port: number;
  readonly port_in_use?: true;
}

/** Raises `invalid` with everything that is wrong, before anything is written. `space` and `admin` are known. */
export async function createServer(answers: Answers, environment: Environment): Promise<MadeServer> {
  const { directory, address, port, space = "", admin = "", template, force = false } = answers;
  refuseProblems([
    ...(await listenProblems(answers)),
    flagProblem("--space", space, spaceNameProblem(space)),
  ]);
  const { initServer } = await import("../../context/init-server.ts");
  return initServer(
    {
      directory: directory ?? newServerDirectory(undefined, environment),
      address,
      port: port === undefined ? undefined : Number(port),
      space,
      admin,
      template,
      force,
    },
    { format: "text", write: (line) => void printWarning(line.trimEnd()) },
  );
}

export function serverText(server: MadeServer): string {
  return [
    `created the server in ${server.directory}`,
    "",
    `token of ${server.admin}, shown once, valid for 24 hours:`,
    `  ${server.token}`,
    `also in ${server.token_file}: copy it, then delete that file`,
    ...portLines(server),
  ].join("\n");
}

/** Returns the lines of the commands that come next. */
export function serverNext({ directory, admin }: MadeServer): string[] {
  const place = ["--server-dir", directory];
  return [
    commandText(["cairn", "server", "start", ...place]),
    commandText(["cairn", "auth", "token", "create", admin, ...place]),
  ];
}

/** A port that is taken may be free when the server starts. */
function portLines({ directory, port, port_in_use }: MadeServer): string[] {
  if (port_in_use !== true) return [];
  const words = ["cairn", "init", "server", "--reconfigure", "--server-dir", directory, "--port"];
  return [
    "",
    `another program uses port ${port} now: stop it before you start the server, or choose another port:`,
    `  ${commandText(words)} <port>`,
  ];
}
