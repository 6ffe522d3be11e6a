// The text of a difference between two versions, with colours where a terminal shows them.

import type { FileDiff } from "../context/files/diff.ts";
import { styled, type Style } from "../kit/terminal/style.ts";
import { withoutFinalLineFeed } from "../kit/text/line-end.ts";
import { plural } from "./tables.ts";

/** Printed before a patch, where programs that read patches skip it. */
const COARSE = "The versions differ too much to compare line by line; the whole difference is one block.";

export function patchText({ path: of, from, to, added, removed, coarse, text }: FileDiff): string {
  if (added + removed === 0)
    return from === 0
      ? `${of}: ${newer(to)} is the first version, and is empty`
      : `${of}: no difference between v${from} and ${newer(to)}`;
  if (text.includes("\0")) return `${of}: binary files differ`;
  const patch = withoutFinalLineFeed(text);
  return inStyle(coarse ? `${COARSE}\n${patch}` : patch);
}

export function statText({ path, from, to, added, removed, coarse }: FileDiff): string {
  const lines = `${plural(added, "line")} added, ${removed} removed`;
  return `${path}  ${from === 0 ? "nothing" : `v${from}`} → ${newer(to)}  ${lines}${coarse ? `\n${COARSE}` : ""}`;
}

function newer(version: number | null): string {
  return version === null ? "the file on disk" : `v${version}`;
}

/** Names bold, places cyan, removed lines red, added lines green. */
function inStyle(patch: string): string {
  let isHead = true;
  return patch
    .split("\n")
    .map((line) => {
      if (line.startsWith("@@")) isHead = false;
      const style = isHead ? headStyle(line) : bodyStyle(line);
      if (style === undefined) return line;
      // Beyond the style, a carriage return stays part of the line end.
      return line.endsWith("\r") ? `${styled(style, line.slice(0, -1))}\r` : styled(style, line);
    })
    .join("\n");
}

/** Before the first place, `---` and `+++` name the versions; after it, they are lines of the document. */
function headStyle(line: string): Style | undefined {
  return line.startsWith("--- ") || line.startsWith("+++ ") ? "bold" : undefined;
}

function bodyStyle(line: string): Style | undefined {
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("-")) return "red";
  return line.startsWith("+") ? "green" : undefined;
}
