// Shows a long text page by page, in the pager of the person at the terminal ($PAGER, else `less`). In a pipe or a file the text is printed.

import { commandWords } from "./command-text.ts";
import { stdoutIsTerminal, type Environment } from "../environment.ts";
import { printBytes, textOnStdout } from "./output.ts";
import { runOnOwnTerminal } from "../processes/process.ts";

/** `less` ends at once if the text fits (F), passes colours on (R) and leaves the text on the screen (X). */
const LESS = "FRX";

/** The text may carry styles (style.ts). Raises `invalid` for a broken $PAGER. */
export async function printPaged(text: string, environment: Environment): Promise<void> {
  const bytes = new TextEncoder().encode(textOnStdout(text));
  const pager = stdoutIsTerminal() ? pagerOf(environment) : [];
  const surroundings = { ...environment, LESS: environment["LESS"] ?? LESS };
  // A pager that cannot be started is no reason to hide the text.
  if (pager.length > 0 && (await runOnOwnTerminal(pager, surroundings, bytes))) return;
  await printBytes(bytes);
}

/** Empty: print without one. */
function pagerOf(environment: Environment): string[] {
  const given = environment["PAGER"];
  if (given !== undefined) {
    const words = commandWords("$PAGER", given);
    return words[0] === "cat" ? [] : words;
  }
  return Bun.which("less") === null ? [] : ["less"];
}
