// A home of its own for `cairn init`: commands that work in it, and a person at a terminal who types answers.

import { join } from "node:path";
import { binaryPath } from "../binaries.ts";
import { cairnAt } from "./cairn.ts";
import { temporaryFolder } from "../folder.ts";
import { onTerminal } from "../terminal/on-terminal.ts";

export const [DOWN, ENTER, BACK, CANCEL, END] = ["\u001b[B", "\r", "\u001b", "\u0003", "\u0004"];
/** Deletes the line that is typed so far. */
export const CLEAR = "\u0015";

/** A home of its own, a command line that works in it, and a terminal. */
export async function initDesk() {
  const folder = await temporaryFolder();
  const environment = { HOME: folder.path, SERVICE_DIR: "", SERVICE_SERVER_DIR: "" };
  return {
    folder,
    ...cairnAt([], { cwd: folder.path, environment }),
    at: (...names: string[]) => join(folder.path, ...names),
    /** Answers on a terminal; the returned text has no colours and no moves of the cursor. */
    async typed(args: readonly string[], answers: readonly (readonly [string, string])[]) {
      const command = ["sh", "-c", `cd '${folder.path}' && exec "$0" "$@"`, binaryPath("cairn"), ...args];
      const shown = await onTerminal(command, environment, answers);
      return { ...shown, text: Bun.stripANSI(shown.text) };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
