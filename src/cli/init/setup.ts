// `cairn init server` at a terminal: prepares the directory, starts the server, and leaves the rest to the setup page in the browser. The server
// keeps running afterwards.

import { newServerDirectory } from "../../context/config/directory.ts";
import { runFolder } from "../../context/people/local-door.ts";
import { openInBrowser } from "../../kit/processes/browser.ts";
import { waitForStop } from "../../kit/processes/stop-request.ts";
import { commandText } from "../../kit/terminal/command-text.ts";
import { stderrLogFormat, type Environment } from "../../kit/environment.ts";
import { logWriter, printText } from "../../kit/terminal/output.ts";
import { randomSecret } from "../../kit/random.ts";
import { refuseProblems, type Answers } from "./answers.ts";
import { listenProblems } from "./new-server.ts";

const CODE_BITS = 128;

/** Runs until the server is stopped. Raises `invalid`, `conflict` for a directory with a server that has users. */
export async function setUpInBrowser(answers: Answers, environment: Environment): Promise<void> {
  const { address, port, force = false } = answers;
  refuseProblems(await listenProblems(answers));
  const directory = answers.directory ?? newServerDirectory(undefined, environment);
  const { prepareServer } = await import("../../context/init-server.ts");
  const { startServer } = await import("../../context/main.ts");
  const log = { format: stderrLogFormat(environment), write: logWriter() };
  await prepareServer(
    { directory, address, port: port === undefined ? undefined : Number(port), force },
    log,
  );
  const stopped = waitForStop(runFolder(directory));
  const setupCode = randomSecret(CODE_BITS);
  const server = await startServer({ directory, log, setupCode, environment });
  const url = `${server.url}/setup?code=${setupCode}`;
  const isOpened = openInBrowser(url, environment);
  await printText(
    [
      isOpened
        ? "Continue in the browser. If it did not open, go to:"
        : "Open this address in a browser on this machine:",
      `  ${url}`,
      "",
      "The server runs in this terminal until you press Ctrl+C. To start it again:",
      `  ${commandText(["cairn", "server", "start", "--server-dir", directory])}`,
    ].join("\n"),
  );
  await server.stop(await stopped);
}
