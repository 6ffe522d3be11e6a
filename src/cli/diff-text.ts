// The text of a difference between two versions, with colours where a terminal shows them.

import type { FileDiff } from "../context/files/diff.ts";
import { visible } from "../kit/visible.ts";
import { plural } from "./text.ts";

/** Printed before a patch, where programs that read patches skip it. */
const COARSE = "The versions differ too much to compare line by line; the whole difference is one block.";

const [RESET, BOLD, RED, GREEN, CYAN] = [0, 1, 31, 32, 36].map((code) => `\u001b[${code}m`) as [
  string,
  string,
  string,
  string,
  string,
];

/** Drops the lines above the names of the two versions, which are for programs that read many patches at once. Safe to print. */
export function patchText({ path: of, from, to, added, removed, coarse, text }: FileDiff): string {
  if (added + removed === 0) return visible(`${of}: no difference between v${from} and ${newer(to)}`);
  const patch = text.replace(/^(?:Index: .*\n)?=+\n/, "").trimEnd();
  return visible(coarse ? `${COARSE}\n${patch}` : patch);
}

export function statText({ path, from, to, added, removed, coarse }: FileDiff): string {
  const lines = `${plural(added, "line")} added, ${removed} removed`;
  return `${path}  v${from} → ${newer(to)}  ${lines}${coarse ? `\n${COARSE}` : ""}`;
}

function newer(version: number | null): string {
  return version === null ? "the file on disk" : `v${version}`;
}

/** Colours the lines of a patch: names bold, places cyan, removed lines red, added lines green. */
export function painted(patch: string): string {
  let isHead = true;
  return patch
    .split("\n")
    .map((line) => {
      if (line.startsWith("@@")) isHead = false;
      const color = colorOf(line, isHead);
      return color === undefined ? line : color + line + RESET;
    })
    .join("\n");
}

/** Before the first place, `---` and `+++` name the versions; after it, they are lines of the document. */
function colorOf(line: string, isHead: boolean): string | undefined {
  if (isHead) return line.startsWith("--- ") || line.startsWith("+++ ") ? BOLD : undefined;
  if (line.startsWith("@@")) return CYAN;
  if (line.startsWith("-")) return RED;
  return line.startsWith("+") ? GREEN : undefined;
}
