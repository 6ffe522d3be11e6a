// The difference between two versions of a file, in unified format.

import type { Desk } from "../desk.ts";
import type { Tone } from "../line.ts";
import { TextPage } from "../text-page.ts";
import { countText } from "../words.ts";

/** A diff begins with a line that says nothing. */
export const RULE = /^=+\n/;

/** Against the version before; `version` undefined: of the newest, or of a manual edit. */
export function diffPage(desk: Desk, space: string, path: string, version?: number): TextPage {
  const range = version === undefined ? {} : { from: version - 1, to: version };
  return new TextPage({
    title: `${space}/${path}${version === undefined ? "" : ` v${version}`} diff`,
    text: async () => {
      const diff = await desk.look(space, (door) => door.diff(path, range));
      const { added, removed, coarse, text } = diff;
      const sum = `${countText(added, "line")} added, ${countText(removed, "line")} removed`;
      return `${sum}${coarse ? " (too different to compare line by line)" : ""}\n\n${text.replace(RULE, "")}`;
    },
    tone: diffTone,
  });
}

export function diffTone(line: string): Tone {
  if (line.startsWith("+") && !line.startsWith("+++")) return "added";
  if (line.startsWith("-") && !line.startsWith("---")) return "removed";
  return line.startsWith("@@") ? "bold" : "plain";
}
