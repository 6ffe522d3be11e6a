// Requests to the server of a data directory on this machine. A server that is started again has a new token and maybe a new port, so a program
// that runs for long asks where it is now.

import { networkTransport, type Transport } from "../context/client/client.ts";
import { isSafe, runningDoor, type Door } from "../context/people/local-door.ts";
import { AppError } from "../kit/error.ts";

const UNAUTHENTICATED = 401;

/** `door`: of the server that runs now. `listeners`: only tests replace it. */
export function doorTransport(
  directory: string,
  door: Door,
  listeners?: Parameters<typeof isSafe>[2],
): Transport {
  let at = { door, transport: networkTransport(door.url, door.token) };
  const hasMoved = async () => {
    const now = await runningDoor(directory, listeners);
    if (!now || (now.token === at.door.token && now.url === at.door.url)) return false;
    at = { door: now, transport: networkTransport(now.url, now.token) };
    return true;
  };
  return {
    get name() {
      return at.transport.name;
    },
    async send(...request) {
      if (!isSafe(directory, at.door, listeners) && !(await hasMoved()))
        throw new AppError(
          "unavailable",
          `${at.transport.name} does not answer: the server in ${directory} has ended, and the program of another user listens there`,
        );
      try {
        const answer = await at.transport.send(...request);
        if (answer.status !== UNAUTHENTICATED || !(await hasMoved())) return answer;
        await answer.body?.cancel();
      } catch (error) {
        // Whether the server did what it was asked before it ended is unknown, so only a question is repeated.
        const [method] = request;
        const isLost = error instanceof AppError && error.code === "unavailable" && method === "GET";
        if (!isLost || !(await hasMoved())) throw error;
      }
      return at.transport.send(...request);
    },
    close: () => at.transport.close(),
  };
}
