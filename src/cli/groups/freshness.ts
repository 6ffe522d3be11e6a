// `cairn freshness …`: which documents are stale, and the date of the last validation of one.

import { defineCommand } from "citty";
import type { Freshness } from "../../context/freshness/schema.ts";
import { problemText } from "../../context/freshness/problem-words.ts";
import { validate } from "../../context/space/validation.ts";
import { systemClock } from "../../kit/clock.ts";
import { compare } from "../../kit/compare.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { spaceCommand } from "../command.ts";
import { spaceArgs, withSpace } from "../connection.ts";
import { plural, table } from "../tables.ts";

const ORDER: readonly Freshness["state"][] = ["stale", "unknown", "fresh"];
export const freshnessCheck = defineCommand({
  meta: {
    name: "check",
    description: "List the documents whose front matter has stale-after, stale ones first",
  },
  args: {
    "fail-on-stale": { type: "boolean", description: "Exit with 1 if a document is stale" },
    ...spaceArgs,
  },
  async run({ args }) {
    const { documents } = await withSpace(args, (space) => space.freshness());
    const sorted = documents.toSorted(
      (a, b) =>
        ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
        compare(a.due ?? "", b.due ?? "") ||
        compare(a.path, b.path),
    );
    await printData(sorted, formatOf(args), freshnessText);
    const stale = documents.filter(({ state }) => state === "stale").length;
    if (args["fail-on-stale"] === true && stale > 0)
      throw new AppError("refused", `${plural(stale, "document is", "documents are")} stale`);
  },
});

function freshnessText(documents: readonly Freshness[]): string {
  const states = table(
    documents.map(({ state, path, stale_after, last_validated, written, due, owner }) => [
      state,
      path,
      stale_after,
      last_validated ?? `written ${written.slice(0, 10)}`,
      due?.slice(0, 10),
      owner,
    ]),
    ["STATE", "PATH", "STALE AFTER", "VALIDATED", "DUE", "OWNER"],
    "no document has stale-after in its front matter",
  );
  const problems = documents.flatMap(({ path, problems: found }) =>
    found.map((problem) => `${path}: ${problemText(problem)}`),
  );
  return problems.length === 0 ? states : `${states}\n\n${problems.join("\n")}`;
}

export const freshnessValidate = spaceCommand({
  name: "validate",
  description: "Record that a document was checked today: set last-validated in its front matter",
  args: {
    path: { type: "positional", required: true, valueHint: "path", description: "Path in the space" },
  },
  ask: (space, args) => validate(space, args.path, systemClock.now()),
  show: ({ path, last_validated: date, version, changed }) =>
    changed
      ? `${path} is validated as of ${date} (v${version})`
      : `${path} was already validated on ${date}; nothing was written`,
});
