// The difference between two versions of a file, in unified format.

import type { Desk, ReadDoor } from "../desk.ts";
import type { Tone } from "../line.ts";
import { TextPage } from "../text-page.ts";
import { plural } from "../../../kit/text/amounts.ts";

interface Range {
  /** Undefined: the version before that still has its content. */
  readonly from?: number;
  readonly to: number;
}

/** `range` undefined: the newest version against the one before, or a manual edit against its version. */
export function diffPage(desk: Desk, space: string, path: string, range?: Range): TextPage {
  const versions = range && [range.from, range.to].flatMap((one) => (one === undefined ? [] : `v${one}`));
  return new TextPage({
    title: `${space}/${path}${versions ? ` ${versions.join("–")}` : ""} diff`,
    text: async () => {
      const diff = await desk.look(space, async (door) => door.diff(path, await queryOf(door, path, range)));
      const { added, removed, coarse, text } = diff;
      const sum = `${plural(added, "line")} added, ${plural(removed, "line")} removed`;
      return `${sum}${coarse ? " (too different to compare line by line)" : ""}\n\n${text}`;
    },
    tone: diffTone,
  });
}

async function queryOf(door: Pick<ReadDoor, "history">, path: string, range: Range | undefined) {
  if (range === undefined || range.from !== undefined) return { ...range };
  const { versions } = await door.history(path);
  const before = versions.find((one) => one.version < range.to && !one.destroyed && !one.pruned);
  return { from: before?.version ?? 0, to: range.to };
}

/** Above the first place, `---` and `+++` name the two sides; below it, they are lines of the document. */
export function diffTone(line: string, index: number, lines: readonly string[]): Tone {
  const isHead = index < lines.findIndex((one) => one.startsWith("@@"));
  if (isHead) return "plain";
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "bold" : "plain";
}
